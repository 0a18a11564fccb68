/** Rows that are only ever added, in tables that have many. */
import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { rowsBehind } from '../../src/adapters/postgres/projections/added-rows.ts'
import { postgresProjectionStore } from '../../src/adapters/postgres/projections/store.ts'
import type { Written } from '../../projections/port.ts'
import { projection } from '../../projections/projection.ts'
import { testDatabase } from '../support/database.ts'
import { right } from '../support/either.ts'

const ROWS = 3_000

const told = projection<null>(
  {
    name: 'told',
    version: 1,
    adds: { keeps: (state) => state },
    interestedIn: [],
    keysOf: () => [],
    initial: () => null,
    fold: () => null,
  },
  { columns: ['position'], rowsOf: () => [] },
  'create table :table (position bigint not null);',
)

const entry = (key: string, count: number): Written => ({
  key,
  isNew: true,
  state: 'null',
  rows: Array.from({ length: count }, (_, i) => ({ position: i + 1 })),
  since: 0,
  touched: [],
  snapshots: [],
})

/** Of the table and its indexes, since the transaction began. */
const LOOKED_AT = `
  select sum(pg_stat_get_xact_tuples_returned(relation))::int as count from (
    select 'projection.told'::regclass::oid as relation
    union all
    select indexrelid from pg_index where indrelid = 'projection.told'::regclass) r`

test('where the rows of a key go on is found without looking at all that it has', async () => {
  const { database, close } = await testDatabase()
  const store = postgresProjectionStore(database)
  const shadow = right(await store.startShadow(told, { version: 1, reader: null })())
  const written = [entry('a', ROWS), entry('b', ROWS), entry('c', 0)]
  const filled = right(await store.commit(told, shadow, { checkpoint: 1, written })())
  right(await store.swap(told, filled)())
  const client = await database.projector.connect()
  await client.query('begin')
  const more = [...written, entry('d', 1)].map((one) => ({ ...one, isNew: false }))
  const rows = [{ position: 9 }]
  const added = more.map((one) => ({ ...one, rows }))
  const behind = await rowsBehind(client, 'projection.told', added)
  const { rows: looked } = await client.query<{ readonly count: number }>(LOOKED_AT)
  await client.query('rollback')
  client.release()
  await close()
  deepEqual(
    [...behind].toSorted(([a], [b]) => (a < b ? -1 : 1)),
    [
      ['a', ROWS],
      ['b', ROWS],
    ],
  )
  const [{ count } = { count: Number.NaN }] = looked
  ok(count < 10, `${count} entries were looked at`)
})
