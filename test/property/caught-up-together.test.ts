/** Many tables brought up to date in one reading, wherever each of them stands. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { PROJECTIONS } from '../../projections/index.ts'
import type { ProjectionStore } from '../../projections/port.ts'
import type { Projection } from '../../projections/projection.ts'
import { E } from '../../src/kernel/fp.ts'
import { catchUp, catchUpTogether } from '../../src/shell/projecting/catch-up.ts'
import { rebuild } from '../../src/shell/projecting/rebuild.ts'
import { anyHistory } from '../support/arbitraries/events.ts'
import { anyLimits } from '../support/arbitraries/limits.ts'
import { dyingStore } from '../support/dying-store.ts'
import { left, right } from '../support/either.ts'
import type { History } from '../support/history.ts'
import { contentsOf, memoryStore, pastOf, portsOf } from '../support/projecting.ts'
import { fc } from '../support/property.ts'

/** How a table stands before: built up to somewhere, not there, of another version, or read otherwise. */
const anyStand = fc.record({
  kind: fc.constantFrom('live', 'live', 'live', 'none', 'older', 'otherwise', 'newer'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
})
type Stand = { readonly kind: string; readonly at: number }
const anyStands = fc.array(anyStand, {
  minLength: PROJECTIONS.length,
  maxLength: PROJECTIONS.length,
})

const readOtherwise = (one: Projection): Projection =>
  one.name === 'robots-decisions' ? { ...one, readWith: 'robots-parser@3.0.1' } : one

const stood = async (history: History, store: ProjectionStore, stands: readonly Stand[]) => {
  for (const [i, one] of PROJECTIONS.entries()) {
    const { kind, at } = stands[i] ?? { kind: 'none', at: 0 }
    const ports = portsOf(history, store, () => Math.floor(at * history.recorded.length))
    if (kind === 'none') continue
    const version = kind === 'older' ? 0 : kind === 'newer' ? one.version + 1 : one.version
    const built = { ...(kind === 'otherwise' ? readOtherwise(one) : one), version }
    right(await rebuild(ports)(built)())
  }
}

const expectSame = async (ours: ProjectionStore, theirs: ProjectionStore, head: number) => {
  for (const one of PROJECTIONS) {
    const [a, b] = [right(await ours.live(one)()), right(await theirs.live(one)())]
    deepEqual([a?.checkpoint, a?.version, a?.reader], [b?.checkpoint, b?.version, b?.reader])
    deepEqual(await contentsOf(ours, one), await contentsOf(theirs, one), one.name)
    if (a?.version === one.version)
      for (const part of [0.3, 0.8])
        deepEqual(
          await pastOf(ours, one, Math.floor(head * part)),
          await pastOf(theirs, one, Math.floor(head * part)),
          `${one.name} as of ${part}`,
        )
  }
}

test('CL5 tables caught up in one reading are those caught up one by one, bit for bit', async () => {
  let failed = 0
  await fc.assert(
    fc.asyncProperty(anyHistory, anyStands, anyLimits, async (history, stands, limits) => {
      const [together, alone] = [memoryStore(), memoryStore()]
      for (const store of [together, alone]) await stood(history, store, stands)
      const outcomes = await catchUpTogether(portsOf(history, together))(PROJECTIONS, { limits })()
      equal(outcomes.length, PROJECTIONS.length)
      for (const [i, one] of PROJECTIONS.entries()) {
        const expected = await catchUp(portsOf(history, alone))(one, { limits })()
        const outcome = outcomes[i]
        ok(outcome)
        equal(outcome._tag, expected._tag, one.name)
        if (E.isLeft(expected)) {
          failed += 1
          deepEqual(left(outcome), left(expected))
        } else equal(right(outcome).checkpoint, history.recorded.length)
      }
      await expectSame(together, alone, history.recorded.length)
    }),
  )
  ok(failed > 0, 'a newer table was among them')
})

test('CL5 wherever it is cut off, and however many do it at once, all end at the head, whole', async () => {
  const anyDeath = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.boolean())
  const deaths = fc.array(anyDeath, { minLength: 1, maxLength: 3 })
  const oldStands = anyStands.map((stands) => stands.filter(({ kind }) => kind !== 'newer'))
  await fc.assert(
    fc.asyncProperty(
      anyHistory,
      oldStands,
      deaths,
      anyLimits,
      async (history, stands, all, limits) => {
        const store = memoryStore()
        await stood(history, store, stands)
        // Two at a time, of whom one or both die; they meet the projections in different orders.
        for (const [turn, isDone] of all)
          await Promise.all(
            [PROJECTIONS, PROJECTIONS.toReversed()].map((some, i) => {
              const mortal = dyingStore(store, turn * (i + 1), isDone)
              return catchUpTogether(portsOf(history, mortal))(some, { limits })()
            }),
          )
        for (const outcome of await catchUpTogether(portsOf(history, store))(PROJECTIONS)())
          equal(right(outcome).checkpoint, history.recorded.length)
        const fresh = memoryStore()
        for (const one of PROJECTIONS) {
          const live = right(await store.live(one)())
          const bound =
            live?.reader === undefined || live.reader === null
              ? one
              : { ...one, readWith: live.reader }
          right(await rebuild(portsOf(history, fresh))(bound)())
        }
        await expectSame(store, fresh, history.recorded.length)
      },
    ),
  )
})
