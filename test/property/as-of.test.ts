import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { PROJECTIONS } from '../../projections/index.ts'
import type { Projection } from '../../projections/projection.ts'
import { canonicalJson } from '../../src/kernel/canonical-json.ts'
import type { AsOfPorts } from '../../src/shell/projecting/as-of.ts'
import { catchUp } from '../../src/shell/projecting/catch-up.ts'
import { rebuild } from '../../src/shell/projecting/rebuild.ts'
import { rowsAt } from '../../src/shell/projecting/rows-at.ts'
import { anyHistory } from '../support/arbitraries/events.ts'
import { anyLimits } from '../support/arbitraries/limits.ts'
import { dyingStore } from '../support/dying-store.ts'
import { right } from '../support/either.ts'
import { site } from '../support/history.ts'
import { contentsOf, memoryStore, portsOf, rowsThen } from '../support/projecting.ts'
import { fc } from '../support/property.ts'

const isSited = (projection: Projection): boolean => projection.table.columns.includes('site')

/** At `position`: what only history says, whole and of each site, and a table that never got further. */
const isAsOf = async (
  ports: AsOfPorts,
  projection: Projection,
  position: number,
): Promise<void> => {
  const { rows } = right(await rowsAt(ports)(projection, { position })())
  const expected = rows.map((row) => canonicalJson(row))
  deepEqual(await rowsThen(ports, projection, { moment: { position } }), expected)
  if (!isSited(projection)) return
  for (const name of new Set(rows.map((row) => row['site'])).add('nowhere.example')) {
    if (typeof name !== 'string') continue
    const asOf = { moment: { position }, site: site(name) }
    deepEqual(
      await rowsThen(ports, projection, asOf),
      rows.filter((row) => row['site'] === name).map((row) => canonicalJson(row)),
    )
  }
}

const anyEvery = fc.integer({ min: 1, max: 5 })
const anyDeath = fc.record({ turn: fc.integer({ min: 1, max: 12 }), isDone: fc.boolean() })
const anyStop = fc.record({
  step: fc.integer({ min: 0, max: 40 }),
  limits: anyLimits,
  verb: fc.constantFrom('catch up', 'rebuild'),
  death: fc.option(anyDeath),
})

for (const given of PROJECTIONS) {
  test(`CL6 ${given.name}: from snapshots, as from history alone, whatever died on the way`, async () => {
    const stops = fc.array(anyStop, { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(anyHistory, anyEvery, stops, fc.nat(), async (history, every, stops, at) => {
        const projection = { ...given, snapshotEvery: every }
        let head = 0
        const store = memoryStore()
        for (const { step, limits, verb, death } of stops) {
          head = Math.min(history.recorded.length, head + step)
          const mortal = death === null ? store : dyingStore(store, death.turn, death.isDone)
          const run = portsOf(history, mortal, () => head)
          // Whether it died or came to its end: the next one has to go on from there.
          await (verb === 'rebuild'
            ? rebuild(run)(projection, { limits })()
            : catchUp(run)(projection, { limits })())
        }
        head = history.recorded.length
        const ports = portsOf(history, store, () => head)
        await isAsOf(ports, projection, head === 0 ? 0 : at % (head + 1))

        // And as of the last event it is the table, which is a rebuild, with all its states.
        const fresh = portsOf(history)
        right(await rebuild(fresh)(projection)())
        const expected = await contentsOf(fresh.store, projection)
        deepEqual(await contentsOf(store, projection), expected)
        const moment = { position: head }
        deepEqual(await rowsThen(ports, projection, { moment }), expected.rows)
      }),
    )
  })

  test(`CL6 ${given.name}: at any position it is the rebuild of what there was by then`, async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, anyEvery, fc.nat(), async (history, every, at) => {
        const projection = { ...given, snapshotEvery: every }
        const position = history.recorded.length === 0 ? 0 : at % (history.recorded.length + 1)
        const then = portsOf(history, memoryStore(), () => position)
        right(await rebuild(then)(projection)())
        const ports = portsOf(history)
        const expected = (await contentsOf(then.store, projection)).rows
        deepEqual(await rowsThen(ports, projection, { moment: { position } }), expected)
        const ts = history.recorded[position - 1]?.ts
        if (ts !== undefined)
          deepEqual(await rowsThen(ports, projection, { moment: { ts } }), expected)
      }),
    )
  })
}
