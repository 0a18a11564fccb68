import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import {
  adsTxtState,
  marketDay,
  PROJECTIONS,
  robotsState,
  siteCooldown,
} from '../../../projections/index.ts'
import type { PastPage, ProjectionStore } from '../../../projections/port.ts'
import { projection } from '../../../projections/projection.ts'
import { SNAPSHOT_BYTES, SNAPSHOT_EVERY } from '../../../projections/snapshot.ts'
import { canonicalJson } from '../../../src/kernel/canonical-json.ts'
import { E } from '../../../src/kernel/fp.ts'
import { catchUp } from '../../../src/shell/projecting/catch-up.ts'
import { rowsAt } from '../../../src/shell/projecting/rows-at.ts'
import { right } from '../../support/either.ts'
import { History } from '../../support/history.ts'
import { nights } from '../../support/nights.ts'
import { memoryStore, portsOf, rowsThen } from '../../support/projecting.ts'

/** Tells of every look at the past. */
const watched = (store: ProjectionStore, see: (page: PastPage) => void): ProjectionStore => ({
  ...store,
  readPast:
    (...args) =>
    async () => {
      const page = await store.readPast(...args)()
      if (E.isRight(page) && page.right !== undefined) see(page.right)
      return page
    },
})

const EVENTS = 400
const history = nights(EVENTS, 3)
const EVERY = 4

for (const given of PROJECTIONS)
  test(`CL6 ${given.name}: at each position it folds less than one interval, and tells what history tells`, async () => {
    const one = { ...given, snapshotEvery: EVERY }
    let based = 0
    const store = watched(memoryStore(), ({ keys }) => {
      for (const key of keys) {
        ok(key.tag !== 'Unknown')
        if (key.tag === 'Settled') continue
        ok(key.touched.length < EVERY, `${key.touched.length} events`)
        if (key.base !== undefined) based += 1
      }
    })
    const ports = portsOf(history, store)
    for (let position = 0; position <= EVENTS; position += 3)
      deepEqual(
        await rowsThen(ports, one, { moment: { position } }),
        right(await rowsAt(ports)(one, { position })()).rows.map((row) => canonicalJson(row)),
      )
    const isOften = [adsTxtState, marketDay, robotsState, siteCooldown].includes(given)
    if (isOften) ok(based > 0, 'snapshots were used')
  })

test('CL6 of a site with very many events no more are folded than of one with few', async () => {
  const history = new History()
  const asked = { site: 'hot.example', purpose: 'ads-txt' as const }
  while (history.recorded.length < 3_000)
    history.fetch(asked, { tag: 'answer', status: 200, body: `ads.example, 1, DIRECT\n` })
  let read = 0
  const ports = portsOf(history)
  right(await catchUp(ports)(siteCooldown)())
  const ledger = {
    ...ports.ledger,
    readAll: () => () => Promise.reject(new Error('the ledger is not looked through')),
    readAt: (positions: readonly number[]) => {
      read = positions.length
      return ports.ledger.readAt(positions)
    },
  }
  for (const position of [7, 500, 1_501, 2_997]) {
    const rows = await rowsThen({ ...ports, ledger }, siteCooldown, { moment: { position } })
    equal(rows.length, 1)
    ok(read < SNAPSHOT_EVERY, `${read} events`)
  }
})

/** A state as long as `length`, whatever happens. */
const heavy = (length: number) =>
  projection<{ readonly at: number; readonly text: string }>(
    {
      name: 'heavy',
      version: 1,
      interestedIn: ['RequestSent'],
      snapshotEvery: 2,
      keysOf: ({ event }) => (event.type === 'RequestSent' ? ['all'] : []),
      initial: () => ({ at: 0, text: '' }),
      fold: (_, { recorded }) => ({ at: recorded.position, text: 'x'.repeat(length) }),
    },
    { columns: ['position'], rowsOf: ({ at }) => [{ position: at }] },
    '',
  )

for (const [what, length, intervals] of [
  ['a small state', 10, [2, 2, 2, 2]],
  ['a state of four times what an event may take', SNAPSHOT_BYTES * 4 - 100, [4, 4]],
  ['a state of some more', SNAPSHOT_BYTES * 4 + 1, [6]],
] as const)
  test(`${what} has a snapshot after ${intervals[0]} events`, async () => {
    const history = new History()
    for (let i = 0; i < 9; i += 1)
      history.fetch({ site: 'a.example', purpose: 'ads-txt' }, { tag: 'failure', reason: 'dns' })
    const store = memoryStore()
    const taken: number[] = []
    const noting: ProjectionStore = {
      ...store,
      commit: (table, standing, batch) => {
        const written = [...batch.written]
        for (const { snapshots } of written)
          taken.push(...snapshots.map(({ touched }) => touched.length))
        return store.commit(table, standing, { ...batch, written })
      },
    }
    right(await catchUp(portsOf(history, noting))(heavy(length))())
    deepEqual(taken, intervals)
  })
