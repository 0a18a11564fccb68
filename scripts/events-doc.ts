/**
 * Usage: node scripts/events-doc.ts
 * Writes docs/events.md from the event codecs. A test fails while the file says something else.
 */
import { globSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { t } from '../src/kernel/codec.ts'
import { EVENTS } from '../src/ledger/event.ts'
import { codecShape, type CodecShape } from './codec-shape.ts'

const HEAD = `# Events

Every event type of the ledger, in the order in which a night meets them. This page is generated
from \`src/ledger/events/\` by \`npm run docs:events\`; the words are explained in the
[glossary](glossary.md), how a type is added in [CONTRIBUTING](../CONTRIBUTING.md).

An **entry** is one event with its envelope as canonical JSON (RFC 8785: strings, integers, booleans,
null, lists and objects, keys in order, no white space), in UTF-8, at most 65,535 bytes. These bytes
are what is stored and hashed; nobody serialises them again. One entry of each type and version is
frozen in \`schema/events/\` and must be readable for ever.

The envelope, beside the fields of the event:

| field | value |
| --- | --- |
| \`type\`, \`v\` | the event type and the version of its shape |
| \`ts\` | when it was recorded: RFC 3339 in UTC with milliseconds, never earlier than the entry before |
| \`stream\` | the ordered events about one thing, \`category-id\`, such as \`site-example.org\` |
| \`version\` | the place in the stream, from 1, without a gap |
| \`run\` | the run that recorded it |

The **position** of an entry, its place in the whole ledger from 1 without a gap, stands beside the
entry, not in it. A field that is \`null\` has no value; a field is never left out.
`

type Row = readonly [name: string, value: string]

/** The value of a field in a few words, as it fits into one cell. */
const describe = (codec: t.Mixed): string => {
  const shape = codecShape(codec)
  switch (shape.tag) {
    case 'leaf':
      return shape.name.replaceAll(' | ', ' or ')
    case 'literal':
      return JSON.stringify(shape.value)
    case 'record':
      return 'object'
    case 'list':
      return `list of at most ${shape.max}: ${describe(shape.items)}`
    case 'tuple':
      return `[${shape.items.map(describe).join(', ')}]`
    case 'dictionary':
      return `object from ${describe(shape.key)} to ${describe(shape.value)}`
    case 'union':
      return [...new Set(shape.members.map(describe))].join(' or ')
  }
}

type RecordShape = Extract<CodecShape, { tag: 'record' }>

/** The records inside a value, with the name that leads to them: of a list `name[]`, of a choice `name{field: literal}`. */
const recordsIn = (name: string, codec: t.Mixed): readonly (readonly [string, RecordShape])[] => {
  const shape = codecShape(codec)
  if (shape.tag === 'record') return [[name, shape]]
  if (shape.tag === 'list') return recordsIn(`${name}[]`, shape.items)
  if (shape.tag !== 'union') return []
  const records = shape.members.flatMap((member) => recordsIn(name, member))
  return records.length < 2
    ? records
    : records.map(([inner, record]) => [`${inner}${markOf(record)}`, record] as const)
}

const markOf = ({ fields }: RecordShape): string => {
  const marks = fields.flatMap(([field, codec]) => {
    const shape = codecShape(codec)
    return shape.tag === 'literal' ? [`${field}: ${JSON.stringify(shape.value)}`] : []
  })
  return `{${marks.join(', ')}}`
}

const rowsOf = (name: string, codec: t.Mixed): readonly Row[] => [
  [name, describe(codec)],
  ...recordsIn(name, codec).flatMap(([inner, { fields }]) =>
    fields.flatMap(([field, fieldCodec]) => rowsOf(`${inner}.${field}`, fieldCodec)),
  ),
]

const fileOf = (type: string): string =>
  `${type.replaceAll(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase()}.ts`

const DECLARED = globSync('src/ledger/events/**/*.ts', { cwd: new URL('..', import.meta.url) })

const pathOf = (type: string): string =>
  DECLARED.find((path) => path.endsWith(`/${fileOf(type)}`)) ?? fileOf(type)

const sectionOf = ({ type, v, summary, fields }: (typeof EVENTS)[number]): string => {
  const rows = Object.entries<t.Mixed>(fields).flatMap(([name, codec]) => rowsOf(name, codec))
  return `## ${type}

${summary}

Version ${v} · [declared in ${fileOf(type)}](../${pathOf(type)}) · [an entry](../schema/events/${type}/v${v}.json)

| field | value |
| --- | --- |
${rows.map(([name, value]) => `| \`${name}\` | ${value.replaceAll('|', '\\|')} |`).join('\n')}
`
}

/** The whole page. */
export const eventsDoc = (): string => [HEAD, ...EVENTS.map(sectionOf)].join('\n')

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(new URL('../docs/events.md', import.meta.url), eventsDoc())
