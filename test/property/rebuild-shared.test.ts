import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { PROJECTIONS } from '../../projections/index.ts'
import type { Projection } from '../../projections/projection.ts'
import { E } from '../../src/kernel/fp.ts'
import { foldTogether, type ProjectionPorts } from '../../src/shell/projecting/folding.ts'
import { rebuild, rebuildTogether } from '../../src/shell/projecting/rebuild.ts'
import type { Workers } from '../../src/shell/projecting/shares.ts'
import { anyHistory } from '../support/arbitraries/events.ts'
import { anyLimits } from '../support/arbitraries/limits.ts'
import { right } from '../support/either.ts'
import { nights } from '../support/nights.ts'
import { contentsOf, portsOf } from '../support/projecting.ts'
import { fc } from '../support/property.ts'
import { scatteredKeys } from '../support/scattered-keys.ts'
import { workersOver } from '../support/workers-over.ts'

const targetsOf = (projections: readonly Projection[]) =>
  projections.map((projection) => ({ projection }))

const anyCount = fc.integer({ min: 1, max: 4 })

const expectAsAlone = async (ports: ProjectionPorts, alone: ProjectionPorts): Promise<void> => {
  for (const one of PROJECTIONS) {
    right(await rebuild(alone)(one)())
    deepEqual(await contentsOf(ports.store, one), await contentsOf(alone.store, one), one.name)
  }
}

test('CL5 a rebuild by any number of workers is that of one, bit for bit', async () => {
  await fc.assert(
    fc.asyncProperty(anyHistory, anyCount, anyLimits, async (history, count, limits) => {
      const ports = portsOf(history)
      const workers = workersOver(ports, count, limits)
      const outcomes = await rebuildTogether(ports)(targetsOf(PROJECTIONS), { limits, workers })()
      for (const outcome of outcomes) equal(right(outcome).live.checkpoint, history.recorded.length)
      await expectAsAlone(ports, portsOf(history))
    }),
  )
})

test('CL5 a worker that dies leaves the live tables, and the next rebuild is whole', async () => {
  const anyDeath = fc.tuple(anyCount, fc.nat(20)).filter(([count]) => count > 1)
  await fc.assert(
    fc.asyncProperty(anyHistory, anyDeath, anyLimits, async (history, [count, death], limits) => {
      const ports = portsOf(history)
      for (const outcome of await rebuildTogether(ports)(targetsOf(PROJECTIONS))()) right(outcome)
      const before = right(await ports.store.status()())
      let commits = 0
      const commit: typeof ports.store.commit = (projection, standing, batch) => async () => {
        if (standing.place === 'shadow' && (commits += 1) > death) throw new Error('killed')
        return ports.store.commit(projection, standing, batch)()
      }
      const mortal = { ...ports, store: { ...ports.store, commit } }
      const workers = workersOver(mortal, count, limits)
      const dying = rebuildTogether(mortal)(targetsOf(PROJECTIONS), { limits, workers })
      if (await died(dying)) {
        const live = right(await ports.store.status()()).filter(({ place }) => place === 'live')
        deepEqual(live, before)
      }
      const again = workersOver(ports, count, limits)
      const outcomes = await rebuildTogether(ports)(targetsOf(PROJECTIONS), {
        limits,
        workers: again,
      })()
      for (const outcome of outcomes) right(outcome)
      await expectAsAlone(ports, portsOf(history))
    }),
  )
})

const died = (task: () => Promise<unknown>): Promise<boolean> =>
  task().then(
    () => false,
    () => true,
  )

test('a part that fails stops its projections, and no other', async () => {
  const history = nights(2_000, 20)
  const ports = portsOf(history)
  const workers: Workers = {
    count: 2,
    from: 0,
    fold: async ({ courses, limits, part }, onProgress) => {
      const folded = await foldTogether(ports, courses, { limits, part, onProgress })
      return part?.index === 1
        ? courses.map(() => E.left({ tag: 'Unavailable' as const, because: 'gone' }))
        : folded
    },
  }
  const outcomes = await rebuildTogether(ports)(targetsOf(PROJECTIONS), { workers })()
  deepEqual(
    outcomes.map(E.isLeft),
    PROJECTIONS.map(({ perStream }) => perStream === true),
  )
})

test('a bug in a worker is a bug of the rebuild', async () => {
  const ports = portsOf(nights(500, 5))
  const fold = () => Promise.reject(new Error('a bug'))
  const workers = { count: 2, from: 0, fold }
  await rejects(rebuildTogether(ports)(targetsOf(PROJECTIONS), { workers })(), /a bug/)
})

for (const projection of PROJECTIONS.filter(({ perStream }) => perStream === true))
  test(`${projection.name}: all events that touch one state are in one stream`, () => {
    fc.assert(
      fc.property(anyHistory, ({ recorded }) => {
        deepEqual(scatteredKeys(projection, recorded), [])
      }),
    )
  })
