/** A rebuild that is cut off anywhere, any number of times, and gone on with by whoever comes next. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { PROJECTIONS } from '../../projections/index.ts'
import type { Projection } from '../../projections/projection.ts'
import { E } from '../../src/kernel/fp.ts'
import type { ProjectionPorts } from '../../src/shell/projecting/folding.ts'
import { compareTables } from '../../src/shell/projecting/changes.ts'
import { type Compare, rebuild, rebuildTogether } from '../../src/shell/projecting/rebuild.ts'
import type { FoldLimits } from '../../src/shell/projecting/walk.ts'
import { anyHistory } from '../support/arbitraries/events.ts'
import { anyLimits } from '../support/arbitraries/limits.ts'
import { dyingStore } from '../support/dying-store.ts'
import { right } from '../support/either.ts'
import { contentsOf, memoryStore, pastOf, portsOf } from '../support/projecting.ts'
import { fc } from '../support/property.ts'
import { workersOver } from '../support/workers-over.ts'

const anyDeath = fc.record({ turn: fc.integer({ min: 1, max: 120 }), isDone: fc.boolean() })

type Run = {
  readonly limits: FoldLimits
  /** 0: this program alone. */
  readonly count: number
  readonly compares: boolean
  readonly anew: boolean
  readonly some: readonly Projection[]
}
const anyRun = fc.record({
  step: fc.integer({ min: 0, max: 40 }),
  limits: anyLimits,
  count: fc.integer({ min: 0, max: 4 }),
  compares: fc.boolean(),
  anew: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
  some: fc.subarray([...PROJECTIONS], { minLength: 1 }),
})
const anyCutOff = fc.tuple(anyRun, anyDeath)

/** The same build at the same position: nothing differs. */
const expectEqual =
  (ports: ProjectionPorts, projection: Projection): Compare =>
  (before, after) =>
  async () => {
    equal(after.checkpoint, before.checkpoint)
    const compared = await compareTables(
      ports.store,
      { projection, before, after },
      () => undefined,
    )
    if (E.isRight(compared)) equal(compared.right.facts, 0, projection.name)
    return E.map(() => undefined)(compared)
  }

let resumed = 0

const run = async (
  ports: ProjectionPorts,
  every: number,
  { limits, count, compares, anew, some }: Run,
) => {
  const targets = some.map((one) => {
    const projection = { ...one, snapshotEvery: every }
    const compare = compares ? expectEqual(ports, projection) : undefined
    return { projection, compare, resumed: () => void (resumed += 1) }
  })
  const workers = count === 0 ? undefined : workersOver(ports, count, limits)
  return rebuildTogether(ports)(targets, { limits, workers, anew })()
}

test('CL5 a rebuild that was cut off, and is gone on with by any number of workers, is a whole one', async () => {
  const cutOffs = fc.array(anyCutOff, { minLength: 1, maxLength: 4 })
  const anyEvery = fc.integer({ min: 1, max: 5 })
  await fc.assert(
    fc.asyncProperty(anyHistory, anyEvery, cutOffs, anyRun, async (history, every, cuts, last) => {
      const store = memoryStore()
      let head = 0
      for (const [one, { turn, isDone }] of cuts) {
        head = Math.min(history.recorded.length, head + one.step)
        const mortal = portsOf(history, dyingStore(store, turn, isDone), () => head)
        await run(mortal, every, one)
      }
      head = history.recorded.length
      const ports = portsOf(history, store)
      for (const outcome of await run(ports, every, { ...last, some: PROJECTIONS }))
        equal(right(outcome).live.checkpoint, head)

      const fresh = portsOf(history)
      for (const one of PROJECTIONS) {
        const projection = { ...one, snapshotEvery: every }
        right(await rebuild(fresh)(projection)())
        const expected = await contentsOf(fresh.store, projection)
        deepEqual(await contentsOf(store, projection), expected, one.name)
        for (const position of [0, 0.3, 0.7].map((part) => Math.floor(head * part)))
          deepEqual(
            await pastOf(store, projection, position),
            await pastOf(fresh.store, projection, position),
            `${one.name} as of ${position}`,
          )
      }
    }),
  )
  ok(resumed > 0, 'some were gone on with')
})
