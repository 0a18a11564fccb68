/** Projections whose rows are added: what waits for a commit, and what a state keeps. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectionStore } from '../../../projections/port.ts'
import { projection, type Row } from '../../../projections/projection.ts'
import { catchUp } from '../../../src/shell/projecting/catch-up.ts'
import { rebuild } from '../../../src/shell/projecting/rebuild.ts'
import { right } from '../../support/either.ts'
import { History } from '../../support/history.ts'
import { contentsOf, memoryStore, portsOf } from '../../support/projecting.ts'

type State = { readonly seen: number; readonly told: readonly Row[] }

/** Of every request so many rows with a text of that length. */
const telling = (rows: number, length: number, positionOf = (at: number): number => at) =>
  projection<State>(
    {
      name: 'telling',
      version: 1,
      adds: { keeps: (state) => ({ ...state, told: [] }) },
      interestedIn: ['RequestSent'],
      keysOf: ({ event }) => (event.type === 'RequestSent' ? [event.subject] : []),
      initial: () => ({ seen: 0, told: [] }),
      fold: ({ seen }, { recorded: { position } }) => {
        const row = { position: positionOf(position), text: 'x'.repeat(length) }
        return { seen: seen + 1, told: Array.from({ length: rows }, () => row) }
      },
    },
    { columns: ['position', 'text'], rowsOf: ({ told }) => told },
    '',
  )

const asked = (requests: number, siteOf = (i: number): number => i % 3): History => {
  const history = new History()
  for (let i = 0; i < requests; i += 1)
    history.fetch(
      { site: `s${siteOf(i)}.example`, purpose: 'ads-txt' },
      { tag: 'failure', reason: 'dns' },
    )
  return history
}

test('rows that wait for a commit count by their texts', async () => {
  const [heldBytes, length] = [200_000, 5_000]
  const store = memoryStore()
  const waited: number[] = []
  const noting: ProjectionStore = {
    ...store,
    commit: (table, standing, batch) => {
      const written = [...batch.written]
      waited.push(written.reduce((sum, { rows }) => sum + rows.length * length, 0))
      return store.commit(table, standing, { ...batch, written })
    },
  }
  const limits = { pageEvents: 10, batchEvents: 2, batchBytes: 1e9, heldBytes, newKeys: 1e9 }
  right(await rebuild(portsOf(asked(200), noting))(telling(1, length), { limits })())
  equal(
    waited.reduce((sum, one) => sum + one),
    200 * length,
  )
  for (const bytes of waited) ok(bytes <= heldBytes + 2 * length, `${bytes} bytes`)
})

test('a state is kept without the rows that it told', async () => {
  const ports = portsOf(asked(30))
  const [one, many] = [telling(1, 10), telling(50, 10)]
  right(await catchUp(ports)(one)())
  const { states } = await contentsOf(ports.store, one)
  deepEqual(
    states.map(({ state, touched }) => [state, touched]),
    states.map(() => ['{"seen":10,"told":[]}', []]),
  )
  right(await rebuild(ports)(many)())
  const contents = await contentsOf(ports.store, many)
  deepEqual(contents.states, states)
  equal(contents.rows.length, 30 * 50)
})

test('a row is written once, though its key is held while others are committed', async () => {
  // Every other request is about a site that is new, and has what waits committed.
  const ports = portsOf(asked(40, (i) => (i % 2 === 0 ? 0 : i)))
  const limits = { pageEvents: 1, batchEvents: 1, batchBytes: 1, heldBytes: 1e9, newKeys: 1 }
  right(await rebuild(ports)(telling(2, 1), { limits })())
  const { rows } = await contentsOf(ports.store, telling(2, 1))
  equal(rows.length, 80)
  equal(new Set(rows).size, 40)
})

test('a row that names another event than the one that told it is a defect', async () => {
  const ports = portsOf(asked(3))
  const early = telling(1, 10, (at) => at - 1)
  await rejects(catchUp(ports)(early)(), /tells rows of another event/)
})
