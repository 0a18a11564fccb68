import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { PROJECTIONS } from '../../projections/index.ts'
import { E } from '../../src/kernel/fp.ts'
import { catchUp } from '../../src/shell/projecting/catch-up.ts'
import { rebuild, rebuildTogether, type Target } from '../../src/shell/projecting/rebuild.ts'
import { anyHistory } from '../support/arbitraries/events.ts'
import { anyLimits } from '../support/arbitraries/limits.ts'
import { right } from '../support/either.ts'
import { contentsOf, memoryStore, portsOf } from '../support/projecting.ts'
import { fc } from '../support/property.ts'

const anyTargets = fc.uniqueArray(fc.constantFrom(...PROJECTIONS), { minLength: 1 })

test('CL5 projections rebuilt in one reading of the ledger are those rebuilt one by one, bit for bit', async () => {
  await fc.assert(
    fc.asyncProperty(anyHistory, anyTargets, anyLimits, async (history, projections, limits) => {
      const together = portsOf(history)
      const targets = projections.map((projection) => ({ projection }))
      const outcomes = await rebuildTogether(together)(targets, { limits })()
      deepEqual(
        outcomes.map((outcome) => right(outcome).live.checkpoint),
        projections.map(() => history.recorded.length),
      )
      const alone = portsOf(history)
      for (const one of projections) {
        right(await rebuild(alone)(one)())
        deepEqual(await contentsOf(together.store, one), await contentsOf(alone.store, one))
      }
    }),
  )
})

test('CL5 each is compared where its own live table stands, and all end at the head', async () => {
  const stops = fc.array(fc.nat(), { minLength: PROJECTIONS.length, maxLength: PROJECTIONS.length })
  await fc.assert(
    fc.asyncProperty(anyHistory, stops, anyLimits, async (history, heads, limits) => {
      let head = 0
      const ports = portsOf(history, memoryStore(), () => head)
      const expected: number[] = []
      for (const [i, projection] of PROJECTIONS.entries()) {
        head = (heads[i] ?? 0) % (history.recorded.length + 1)
        expected.push(head)
        right(await catchUp(ports)(projection)())
      }
      head = history.recorded.length
      const compared: number[] = []
      const targets = PROJECTIONS.map((projection): Target => ({
        projection,
        compare: (live, shadow) => async () => {
          equal(shadow.checkpoint, live.checkpoint)
          compared.push(live.checkpoint)
          return E.right(undefined)
        },
      }))
      const outcomes = await rebuildTogether(ports)(targets, { limits })()
      deepEqual(compared, expected)
      const alone = portsOf(history)
      for (const [i, outcome] of outcomes.entries()) {
        equal(right(outcome).live.checkpoint, head)
        const projection = PROJECTIONS[i] ?? PROJECTIONS[0]
        if (projection === undefined) continue
        right(await rebuild(alone)(projection)())
        deepEqual(
          await contentsOf(ports.store, projection),
          await contentsOf(alone.store, projection),
        )
      }
    }),
  )
})
