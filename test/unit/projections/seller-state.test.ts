import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { sellerState } from '../../../projections/index.ts'
import type { Row } from '../../../projections/projection.ts'
import { present } from '../../../src/kernel/assert.ts'
import { catchUp } from '../../../src/shell/projecting/catch-up.ts'
import { right } from '../../support/either.ts'
import { type Ending, History } from '../../support/history.ts'
import { foldAll, portsOf } from '../../support/projecting.ts'

const TARGET = 'https://sellers.network.test/sellers.json'
const asked = { site: 'network.test', purpose: 'sellers-json' as const, target: TARGET }
const answer = (status: number, body: string): Ending => ({
  tag: 'answer',
  status,
  body,
  type: 'application/json',
})
const LIST = JSON.stringify({
  version: '1.0',
  sellers: [
    { seller_id: '1', name: 'A', domain: 'a.example', seller_type: 'PUBLISHER' },
    { seller_id: '2', name: 'B', domain: 'b.example', seller_type: 'both' },
    { seller_id: '3', seller_type: 'INTERMEDIARY', is_confidential: 1 },
  ],
})

const rowAfter = async (history: History): Promise<Row> => {
  const ports = portsOf(history)
  right(await catchUp(ports)(sellerState)())
  const { rows } = right(await ports.store.readRows(sellerState, { limit: 2 })())
  equal(rows.length, 1)
  return present(rows[0], 'one row')
}

test('PR16 a list is counted by kind, under the name the source list gives its address', async () => {
  const history = new History()
  history.adoptSources(['example-network', TARGET])
  const concluded = history.fetch(asked, answer(200, LIST))
  const row = await rowAfter(history)
  deepEqual(
    [row['source'], row['site'], row['state'], row['position']],
    ['example-network', 'network.test', 'ok', concluded],
  )
  deepEqual(
    ['sellers', 'publishers', 'both_types', 'intermediaries', 'confidential', 'with_domain'].map(
      (column) => row[column],
    ),
    [3, 1, 1, 1, 1, 2],
  )
})

test('PR16 a source that was never asked is on record as unknown', async () => {
  const history = new History()
  const adopted = history.adoptSources(['example-network', TARGET])
  const row = await rowAfter(history)
  deepEqual([row['state'], row['seen_at'], row['position']], ['unknown', null, adopted])
})

for (const [what, ending, code] of [
  ['a 404', answer(404, ''), 'H_STATUS'],
  ['a 503', answer(503, ''), 'H_STATUS'],
  ['broken JSON', answer(200, '{"sellers":['), 'S_INVALID_JSON'],
  ['a network failure', { tag: 'failure', reason: 'dns' } as const, 'H_NETWORK'],
] as const)
  test(`PR17 ${what} takes no seller off the last good list`, async () => {
    const history = new History()
    const good = history.fetch(asked, answer(200, LIST))
    history.fetch(asked, ending)
    const row = await rowAfter(history)
    deepEqual([row['state'], row['sellers'], row['good_position']], ['keep_last', 3, good])
    const faults = row['fault_list']
    deepEqual(Array.isArray(faults) ? faults.map((fault: { code: string }) => fault.code) : [], [
      code,
    ])
  })

test('CL2 an unexpected reading is a recorded fault, never an exception', () => {
  const history = new History()
  history.fetch(asked, answer(200, LIST))
  for (const shape of [null, [], { state: 'ok' }, { state: 'ok', sellers: [1], faults: [] }]) {
    const state = foldAll(sellerState, TARGET, history.recorded, () => shape)
    const row = present(sellerState.rowsOf(state)[0], 'one row')
    deepEqual(
      [row['state'], row['fault_list']],
      ['unknown', [{ code: 'R_READING_SHAPE', count: 1 }]],
    )
  }
})
