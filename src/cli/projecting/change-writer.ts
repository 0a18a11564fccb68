/** How the facts that a rebuild changes look, one by one as they are found. */
import type { Cell } from '../../../projections/projection.ts'
import type { Change } from '../../shell/projecting/changes.ts'
import type { Io } from '../command.ts'
import { csvLine } from '../csv.ts'
import { cellText, line, safe } from '../print.ts'
import { partsOf, type Part } from './parts.ts'

export type Form = 'text' | 'json' | 'jsonl' | 'csv'

/** What made a table, and how many facts the two builds have otherwise. */
export type Diffed = {
  readonly name: string
  readonly version: number
  readonly position: number
  readonly before: number | null
  readonly builds: {
    readonly before: { readonly version: number; readonly reader: string | null } | null
    readonly after: { readonly version: number; readonly reader: string | null }
  }
  /** Where it went on, if an earlier rebuild was cut off. */
  readonly resumedFrom: number | null
  /** Up to where both were folded for the comparison; null if there was nothing to compare with. */
  readonly comparedAt: number | null
  readonly facts: number
  readonly rows: number
  /** The new rows are the live ones now. */
  readonly swapped: boolean
  /** ReaderAdopted was recorded. */
  readonly adopted: boolean
}

export type ChangeWriter = {
  readonly begin: () => Promise<void>
  readonly write: (change: Change, builds: Diffed['builds']) => Promise<void>
  /** After the changes of one projection. */
  readonly close: (diffed: Diffed) => Promise<void>
  readonly end: () => Promise<void>
}

const nothing = async (): Promise<void> => undefined

export const changeWriter = (io: Io, form: Form): ChangeWriter => {
  switch (form) {
    case 'json':
      return jsonWriter(io)
    case 'jsonl':
      return {
        begin: nothing,
        write: (change, builds) => io.out(line(valueOf(change, builds))),
        close: nothing,
        end: nothing,
      }
    case 'csv':
      return {
        begin: () => io.out(csvLine(COLUMNS)),
        write: (change, builds) => io.out(csvLine(csvOf(change, builds))),
        close: nothing,
        end: nothing,
      }
    case 'text':
      return textWriter(io)
  }
}

const valueOf = (change: Change, builds: Diffed['builds']) => ({ ...change, builds })

/** One document, written as it grows. */
const jsonWriter = ({ out }: Io): ChangeWriter => {
  const done: Diffed[] = []
  let opening = ''
  return {
    begin: () => out('{"changes":['),
    write: (change, builds) => {
      const text = `${opening}\n${JSON.stringify(valueOf(change, builds))}`
      opening = ','
      return out(text)
    },
    close: async (diffed) => {
      done.push(diffed)
    },
    end: () => out(`\n],"projections":${JSON.stringify(done)}}\n`),
  }
}

const COLUMNS = [
  'projection',
  'key',
  'index',
  'row',
  'column',
  'before',
  'after',
  'position_before',
  'position_after',
  'commit_before',
  'commit_after',
  'version_before',
  'version_after',
  'reader_before',
  'reader_after',
] as const

const csvOf = (change: Change, { before, after }: Diffed['builds']) => {
  const { projection, key, index, row, column, rests } = change
  const of = (side: 'before' | 'after', name: string): string | number | null => {
    const cell = rests[side]?.[name] ?? null
    return typeof cell === 'number' ? cell : cellText(cell)
  }
  return [
    projection,
    key,
    index,
    row,
    column,
    scalar(change.before),
    scalar(change.after),
    of('before', 'position'),
    of('after', 'position'),
    of('before', 'commit'),
    of('after', 'commit'),
    before?.version ?? null,
    after.version,
    before?.reader ?? null,
    after.reader,
  ]
}

const scalar = (cell: Cell): string | number | null =>
  typeof cell === 'number' ? cell : cellText(cell)

const PARTS_SHOWN = 20
const CELL_SHOWN_MAX = 300

const textWriter = ({ out }: Io): ChangeWriter => {
  let last = ''
  return {
    begin: nothing,
    write: (change) => {
      const { projection, key, index } = change
      const place = `${projection} ${key} ${index}`
      const head = place === last ? '' : headOf(change)
      last = place
      return out(head + cellLines(change))
    },
    close: (diffed) => out(summaryOf(diffed)),
    end: nothing,
  }
}

/** The row, and what it rests on: positions for `show`. */
const headOf = ({ projection, key, row, rests }: Change): string => {
  const on = rests.after ?? rests.before ?? {}
  const rest = Object.entries(on).map(([column, cell]) => `${column} ${cellText(cell)}`)
  return `${safe(`${projection}  ${key}  ${row}`)}\n  ${safe(`rests on ${rest.join(', ')}`)}\n`
}

const cellLines = ({ column, before, after }: Change): string => {
  const parts = partsOf(before, after)
  const more = parts.length - PARTS_SHOWN
  return [
    ...parts.slice(0, PARTS_SHOWN).map((part) => `  ${safe(partText(column, part))}\n`),
    ...(more > 0 ? [`  ${column}: ${more} more parts differ (see --jsonl)\n`] : []),
  ].join('')
}

const partText = (column: string, { path, before, after }: Part): string => {
  const name = path === '' ? column : `${column}.${path}`
  if (after === undefined) return `${name}  - ${shown(before)}`
  if (before === undefined) return `${name}  + ${shown(after)}`
  return `${name}  ${shown(before)} → ${shown(after)}`
}

const shown = (cell: Cell | undefined): string => {
  const text = cell === null || cell === undefined ? '(nothing)' : cellText(cell)
  return text.length <= CELL_SHOWN_MAX ? text : `${text.slice(0, CELL_SHOWN_MAX)}…`
}

const buildText = (build: { readonly version: number; readonly reader: string | null }): string =>
  build.reader === null ? `version ${build.version}` : `version ${build.version}, ${build.reader}`

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`

const summaryOf = (diffed: Diffed): string => {
  const { name, builds, comparedAt, facts, rows, swapped } = diffed
  const became = swapped ? 'the new rows are live' : 'the live rows stay as they are'
  if (comparedAt === null || builds.before === null)
    return `${name}: nothing to compare with (${buildText(builds.after)}); ${became}\n`
  const found =
    facts === 0 ? 'no fact changed' : `${count(facts, 'fact')} changed in ${count(rows, 'row')}`
  return `${name}: ${found} (${buildText(builds.before)} → ${buildText(builds.after)}, at position ${comparedAt}); ${became}\n`
}
