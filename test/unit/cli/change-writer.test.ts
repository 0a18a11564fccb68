import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { changeWriter, type Form } from '../../../src/cli/projecting/change-writer.ts'
import { partsOf } from '../../../src/cli/projecting/parts.ts'
import type { Change } from '../../../src/shell/projecting/changes.ts'
import type { Io } from '../../../src/cli/command.ts'

const builds = {
  before: { version: 1, reader: 'ads-txt@1' },
  after: { version: 1, reader: 'ads-txt@2' },
}

const changeOf = (before: Change['before'], after: Change['after']): Change => ({
  projection: 'ads-txt-state',
  key: 'one.example',
  index: 0,
  row: 'changed',
  column: 'hint',
  before,
  after,
  rests: { before: { position: 7, commit: 'ab' }, after: { position: 7, commit: 'ab' } },
})

const written = async (form: Form, changes: readonly Change[]): Promise<string> => {
  let text = ''
  const io: Io = {
    out: async (part) => {
      text += part
    },
    err: () => undefined,
    in: (async function* none() {})(),
    isTerminal: false,
    columns: 80,
    environment: {},
    stop: new AbortController().signal,
    exitWith: () => undefined,
  }
  const writer = changeWriter(io, form)
  await writer.begin()
  for (const change of changes) await writer.write(change, builds)
  await writer.end()
  return text
}

const HOSTILE = ['=1+1', '+cmd|x', '-2+3', '@SUM(A1)', '\u001b[2J', '\u202ereversed', 'a"b,c\nd']

test('CSV: no cell is a formula, none breaks its line, none commands a terminal', async () => {
  const text = await written(
    'csv',
    HOSTILE.map((hostile) => changeOf(hostile, null)),
  )
  equal(text.split('\n').length, HOSTILE.length + 2)
  ok(!/(?:^|,)"?[=+@-]/m.test(text), text)
  ok(!/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/.test(text))
})

test('text: what is hostile is escaped, and a row is named once', async () => {
  const text = await written(
    'text',
    HOSTILE.map((hostile) => changeOf(null, hostile)),
  )
  ok(!/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/.test(text))
  equal(text.split('\n').length, HOSTILE.length + 3)
  equal(text.match(/one\.example/g)?.length, 1)
})

test('JSON is one document, and JSON lines are its changes', async () => {
  const changes = [changeOf('a', 'b'), changeOf(null, { list: [1] })]
  const document: unknown = JSON.parse(await written('json', changes))
  const lines = (await written('jsonl', changes)).trimEnd().split('\n')
  const expected = changes.map((change) => ({ ...change, builds }))
  deepEqual(document, { changes: expected, projections: [] })
  deepEqual(
    lines.map((one): unknown => JSON.parse(one)),
    expected,
  )
})

test('a data set is taken apart to the records that differ', () => {
  const [a, b, c] = [
    { line: 1, account: '1' },
    { line: 2, account: '2' },
    { line: 2, account: '3' },
  ]
  const before = { records: [a, b, b], variables: [] }
  const after = { records: [a, b, c], variables: [] }
  deepEqual(partsOf(before, after), [
    { path: 'records', before: b },
    { path: 'records', after: c },
  ])
  deepEqual(partsOf(3, 4), [{ path: '', before: 3, after: 4 }])
  deepEqual(partsOf(null, [1]), [{ path: '', before: null, after: [1] }])
})
