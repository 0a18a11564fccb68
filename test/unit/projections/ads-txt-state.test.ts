import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { adsTxtState } from '../../../projections/index.ts'
import type { Row } from '../../../projections/projection.ts'
import type { Json } from '../../../src/kernel/canonical-json.ts'
import type { EventOf } from '../../../src/ledger/event.ts'
import { present } from '../../../src/kernel/assert.ts'
import { catchUp } from '../../../src/shell/projecting/catch-up.ts'
import { right } from '../../support/either.ts'
import { type Ending, History } from '../../support/history.ts'
import { foldAll, portsOf } from '../../support/projecting.ts'

const SITE = 'one.example'
const asked = { site: SITE, purpose: 'ads-txt' as const }
const ok = (body: string, type = 'text/plain'): Ending => ({
  tag: 'answer',
  status: 200,
  body,
  type,
})
const status = (status: number, body = ''): Ending => ({
  tag: 'answer',
  status,
  body,
  type: 'text/plain',
})

/** The row after the real reader has read the bodies of the history. */
const rowAfter = async (history: History): Promise<Row> => {
  const ports = portsOf(history)
  right(await catchUp(ports)(adsTxtState)())
  const { rows } = right(await ports.store.readRows(adsTxtState, { limit: 2 })())
  equal(rows.length, 1)
  return present(rows[0], 'one row')
}

const codes = (row: Row): readonly Json[] => {
  const list = row['fault_list']
  return Array.isArray(list) ? list.map((fault: { code: Json }) => fault.code) : []
}

/** The row after one fetch that ended without an answer, perhaps after a good one. */
const afterFailure = (fields: Partial<EventOf<'FetchConcluded'>>, known = false): Promise<Row> => {
  const history = new History()
  if (known) history.fetch(asked, ok('ads.example, 1, DIRECT\n'))
  history.conclude(asked, fields)
  return rowAfter(history)
}

test('A3: a text file is read and used, and its row names the captures it rests on', async () => {
  const history = new History()
  const concluded = history.fetch(asked, ok('ads.example, 1, DIRECT\ncontact=ads@one.example\n'))
  const row = await rowAfter(history)
  deepEqual(
    [row['state'], row['position'], row['good_position'], row['records'], row['variables']],
    ['ok', concluded, concluded, 1, 1],
  )
  const conclusion = history.recorded[concluded - 1]?.event
  equal(conclusion?.type, 'FetchConcluded')
  equal(row['commit'], conclusion?.type === 'FetchConcluded' ? conclusion.commit : undefined)
  equal(row['request'], conclusion?.type === 'FetchConcluded' ? conclusion.request : undefined)
  equal(row['reader'], 'ads-txt@1')
})

test('A8: 404 means at once that nothing is declared', async () => {
  const history = new History()
  history.fetch(asked, ok('ads.example, 1, DIRECT\n'))
  const gone = history.fetch(asked, status(404))
  const row = await rowAfter(history)
  deepEqual([row['state'], row['records'], row['good_position']], ['none', 0, gone])
  deepEqual(codes(row), ['H_404'])
  equal(row['changed_position'], gone)
})

for (const bad of [401, 403, 410, 429, 500, 503])
  test(`A10: ${bad} keeps the last good data set`, async () => {
    const history = new History()
    const good = history.fetch(asked, ok('ads.example, 1, DIRECT\n'))
    const failed = history.fetch(asked, status(bad))
    const row = await rowAfter(history)
    deepEqual(
      [row['state'], row['position'], row['good_position'], row['records']],
      ['keep_last', failed, good, 1],
    )
    deepEqual(codes(row), [bad === 401 ? 'H_401' : 'H_STATUS'])
  })

test('A10: before there ever was data the state is unknown', async () => {
  const history = new History()
  history.fetch(asked, status(503))
  const row = await rowAfter(history)
  deepEqual([row['state'], row['good_position'], row['records']], ['unknown', null, null])
})

test('A10: a 503 after a 404 keeps what the 404 said', async () => {
  const history = new History()
  history.fetch(asked, status(404))
  history.fetch(asked, status(503))
  const row = await rowAfter(history)
  deepEqual([row['state'], row['good_state']], ['keep_last', 'none'])
})

test('A11: a good body under another content type is a hint, not data', async () => {
  const history = new History()
  const good = history.fetch(asked, ok('ads.example, 1, DIRECT\n'))
  history.fetch(asked, ok('ads.example, 1, DIRECT\nads.example, 2, DIRECT\n', 'text/html'))
  const row = await rowAfter(history)
  deepEqual([row['state'], row['good_position'], row['records']], ['keep_last', good, 1])
  deepEqual(codes(row), ['H_CONTENT_TYPE'])
  deepEqual(row['hint'], { faults: 0, records: 2, variables: 0 })
})

test('A12: a page in place of the file keeps the last good data set', async () => {
  const history = new History()
  history.fetch(asked, ok('ads.example, 1, DIRECT\n'))
  history.fetch(asked, ok('<!doctype html><html><body>Not found</body></html>'))
  equal((await rowAfter(history))['state'], 'keep_last')
})

test('A6: a 308 is followed with a note', async () => {
  const history = new History()
  history.fetch({ ...asked, redirects: [308] }, ok('ads.example, 1, DIRECT\n'))
  const row = await rowAfter(history)
  deepEqual([row['state'], codes(row)], ['ok', ['H_REDIRECT_STATUS']])
})

const REFUSALS = [
  ['A5', 'second-hop-outside', 'H_REDIRECT_SECOND_HOP'],
  ['A4', 'too-many-redirects', 'H_TOO_MANY_REDIRECTS'],
  ['A4', 'loop', 'H_TOO_MANY_REDIRECTS'],
  ['HOUSE', 'https-to-http', 'H_REDIRECT_DOWNGRADE'],
  ['A4', 'no-location', 'H_REDIRECT_NO_LOCATION'],
  ['A4', 'bad-location', 'H_REDIRECT_BAD_LOCATION'],
  ['HOUSE', 'something-new', 'H_REDIRECT_REFUSED'],
] as const
for (const [rule, because, code] of REFUSALS)
  test(`${rule}: a redirect refused as ${because} keeps the last good data set with ${code}`, async () => {
    const row = await afterFailure({ outcome: 'redirect-refused', because }, true)
    deepEqual([row['state'], codes(row)], ['keep_last', [code]])
  })

test('A16: a time-out, a dead network and a withheld request each say what they are', async () => {
  const cases = [
    [{ outcome: 'failed', because: 'connect-timeout' }, 'H_TIMEOUT'],
    [{ outcome: 'failed', because: 'dns' }, 'H_NETWORK'],
    [{ outcome: 'withheld', because: 'robots-unreachable' }, 'H_WITHHELD'],
    [{ outcome: 'interrupted', because: '' }, 'H_INTERRUPTED'],
  ] as const
  for (const [fields, code] of cases) {
    const row = await afterFailure(fields)
    deepEqual([row['state'], codes(row)], ['unknown', [code]])
    deepEqual(row['fault_list'], [{ line: 0, code, detail: fields.because }])
  }
})

test('PR17: a line that broke is a fault with its line number, and changes the data set', async () => {
  const history = new History()
  history.fetch(asked, ok('ads.example, 1, DIRECT\nother.example, 2, RESELLER\n'))
  const broken = history.fetch(asked, ok('ads.example, 1, DIRECT\nother.example 2, RESELLER\n'))
  const row = await rowAfter(history)
  deepEqual(row['fault_list'], [{ line: 2, code: 'L_COMMA_MISSING' }])
  deepEqual([row['records'], row['changed_position']], [1, broken])
})

test('chg-comment-only: a comment changes bytes and lines, not the data set', async () => {
  const history = new History()
  const first = history.fetch(asked, ok('ads.example, 1, DIRECT\n'))
  const second = history.fetch(asked, ok('# updated\nads.example, 1, DIRECT # x\n'))
  const row = await rowAfter(history)
  deepEqual([row['changed_position'], row['good_position']], [first, second])
  equal(row['since_position'], first)
})

test('CL2: an unexpected reading is a recorded fault, never an exception', () => {
  const history = new History()
  history.fetch(asked, ok('ads.example, 1, DIRECT\n'))
  const shapes: Json[] = [
    null,
    7,
    'text',
    [],
    {},
    { state: 'ok' },
    { state: 'odd', faults: [], records: [], variables: [] },
  ]
  for (const shape of shapes) {
    const state = foldAll(adsTxtState, SITE, history.recorded, () => shape)
    const row = present(adsTxtState.rowsOf(state)[0], 'one row')
    deepEqual([row['state'], codes(row)], ['unknown', ['R_READING_SHAPE']])
  }
})

test('CL2: a body that is gone is said to be gone, and the rest goes on', async () => {
  const history = new History()
  const good = history.fetch(asked, ok('ads.example, 1, DIRECT\n'))
  const kept = new Set(history.bodies.keys())
  history.fetch(asked, ok('ads.example, 2, DIRECT\n'))
  for (const commit of history.bodies.keys()) if (!kept.has(commit)) history.bodies.delete(commit)
  const row = await rowAfter(history)
  deepEqual(
    [row['state'], row['good_position'], codes(row)],
    ['keep_last', good, ['H_BODY_MISSING']],
  )
})

test('CL2: fetches of other files do not touch the state', () => {
  const history = new History()
  history.fetch({ site: SITE, purpose: 'robots' }, ok('x'))
  deepEqual(
    history.recorded.flatMap((event) => adsTxtState.keysOf(event)),
    [],
  )
})

test('PR8, PR10: a file that was never asked for has a state too, and the reason for it', async () => {
  const history = new History()
  const position = history.withhold(SITE, 'ads-txt', 'robots-unreachable')
  const row = await rowAfter(history)
  deepEqual([row['state'], row['position'], codes(row)], ['unknown', position, ['H_WITHHELD']])
})

test('PR8: a night on which the file was withheld keeps the last good data set', async () => {
  const history = new History()
  history.fetch(asked, ok('ads.example, 1, DIRECT\n'))
  history.withhold(SITE, 'ads-txt', 'crawl-delay-too-long')
  const row = await rowAfter(history)
  deepEqual([row['state'], row['good_state'], row['records']], ['keep_last', 'ok', 1])
})
