import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { PROJECTIONS } from '../../projections/index.ts'
import { canonicalJson, type Json } from '../../src/kernel/canonical-json.ts'
import { EVENTS } from '../../src/ledger/event.ts'
import { catchUp } from '../../src/shell/projecting/catch-up.ts'
import { rowsAt } from '../../src/shell/projecting/rows-at.ts'
import { rebuild } from '../../src/shell/projecting/rebuild.ts'
import { anyHistory, anyRecorded } from '../support/arbitraries/events.ts'
import { anyLimits } from '../support/arbitraries/limits.ts'
import { right } from '../support/either.ts'
import { contentsOf, foldAll, memoryStore, portsOf } from '../support/projecting.ts'
import { fc } from '../support/property.ts'

for (const projection of PROJECTIONS) {
  test(`CL5 ${projection.name}: any way of catching up gives what a rebuild and the state as of the last event give, bit for bit`, async () => {
    const stops = fc.array(fc.tuple(fc.nat(), anyLimits, fc.boolean()), { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(anyHistory, stops, anyLimits, async (history, restarts, limits) => {
        let head = 0
        const live = portsOf(history, memoryStore(), () => head)
        for (const [step, limits, again] of restarts) {
          head = Math.min(history.recorded.length, head + (step % 40))
          right(await catchUp(live)(projection, { limits })())
          if (again) right(await rebuild(live)(projection, { limits })())
        }
        head = history.recorded.length
        const standing = right(await catchUp(live)(projection, { limits })())
        equal(standing.checkpoint, head)

        const fresh = portsOf(history)
        right(await rebuild(fresh)(projection)())
        const expected = await contentsOf(fresh.store, projection)
        deepEqual(await contentsOf(live.store, projection), expected)

        // As of the last position, folded in memory and never committed.
        const asOf = right(await rowsAt(fresh)(projection, { position: head })())
        deepEqual(
          asOf.rows.map((row) => canonicalJson(row)),
          expected.rows,
        )
      }),
    )
  })

  test(`CL2 ${projection.name}: fold and rows bear every event of every type`, () => {
    fc.assert(
      fc.property(anyRecorded, (recorded) => {
        for (const key of new Set(recorded.flatMap((event) => projection.keysOf(event)))) {
          const state = foldAll(projection, key, recorded)
          canonicalJson(state)
          for (const row of projection.rowsOf(state)) {
            canonicalJson(row)
            deepEqual(Object.keys(row).sort(), [...projection.table.columns].sort())
            ok(recorded.some(({ position }) => position === row.position))
          }
        }
      }),
    )
  })

  test(`CL2 ${projection.name}: events it has no interest in change nothing`, () => {
    const others = EVENTS.map(({ type }) => type).filter(
      (type) => !projection.interestedIn.includes(type),
    )
    fc.assert(
      fc.property(anyRecorded, (recorded) => {
        for (const event of recorded) {
          if (!others.includes(event.event.type)) continue
          deepEqual(projection.keysOf(event), [])
          const state = projection.initial('https://one.example/')
          equal(projection.fold(state, { recorded: event, reading: undefined }), state)
        }
      }),
    )
  })

  test(`CL2 ${projection.name}: two halves folded one after the other are the whole`, () => {
    fc.assert(
      fc.property(anyHistory, fc.nat(), ({ recorded }, cut) => {
        const at = recorded.length === 0 ? 0 : cut % recorded.length
        for (const key of new Set(recorded.flatMap((event) => projection.keysOf(event)))) {
          const first = foldAll(projection, key, recorded.slice(0, at))
          const second = recorded
            .slice(at)
            .filter((event) => projection.keysOf(event).includes(key))
            .reduce((state, event) => {
              // As the store would give it back.
              const stored = JSON.parse(canonicalJson(state)) as Json
              return projection.fold(stored, { recorded: event, reading: undefined })
            }, first)
          equal(canonicalJson(second), canonicalJson(foldAll(projection, key, recorded)))
        }
      }),
    )
  })
}
