import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import {
  adsTxtState,
  marketDay,
  requestLog,
  robotsState,
  siteCooldown,
} from '../../../projections/index.ts'
import type { ProjectionStore } from '../../../projections/port.ts'
import type { Projection } from '../../../projections/projection.ts'
import { E } from '../../../src/kernel/fp.ts'
import { catchUp } from '../../../src/shell/projecting/catch-up.ts'
import type { ProjectionPorts } from '../../../src/shell/projecting/folding.ts'
import {
  rebuild,
  type RebuildOptions,
  rebuildTogether,
  type Target,
} from '../../../src/shell/projecting/rebuild.ts'
import type { Share } from '../../../src/shell/projecting/shares.ts'
import { dyingStore } from '../../support/dying-store.ts'
import { right } from '../../support/either.ts'
import { nights } from '../../support/nights.ts'
import { contentsOf, memoryStore, pastOf, portsOf } from '../../support/projecting.ts'
import { workersOver } from '../../support/workers-over.ts'

const LIMITS = { pageEvents: 20, batchEvents: 10, batchBytes: 9_000, heldBytes: 4_000, newKeys: 4 }
const history = nights(900, 9)
const HEAD = history.recorded.length

/** The ports, and every position that is read of the ledger as a whole. */
const watched = (store: ProjectionStore) => {
  const ports = portsOf(history, store)
  const read: number[] = []
  const follow: ProjectionPorts['ledger']['follow'] = async function* (query) {
    for await (const page of ports.ledger.follow(query)) {
      read.push(...right(page).map(({ position }) => position))
      yield page
    }
  }
  return { ports: { ...ports, ledger: { ...ports.ledger, follow } }, read }
}

/** A rebuild that dies as it writes for the `turn`th time. */
const cutOff = async (
  store: ProjectionStore,
  projections: readonly Projection[],
  turn: number,
  { count = 0, isDone = false }: { count?: number; isDone?: boolean } = {},
) => {
  const ports = portsOf(history, dyingStore(store, turn, isDone))
  const workers = count === 0 ? undefined : workersOver(ports, count, LIMITS)
  const targets = projections.map((projection) => ({ projection }))
  return rebuildTogether(ports)(targets, { limits: LIMITS, workers })()
}

/** Rebuilds, and answers where each went on from. */
const rebuilt = async (
  ports: ProjectionPorts,
  targets: readonly (Omit<Target, 'resumed'> & { readonly projection: Projection })[],
  options: RebuildOptions = {},
) => {
  const from = new Map<string, number>()
  const told = targets.map((target) => ({
    ...target,
    resumed: (position: number) => void from.set(target.projection.name, position),
  }))
  for (const outcome of await rebuildTogether(ports)(told, { limits: LIMITS, ...options })())
    equal(right(outcome).live.checkpoint, HEAD)
  return from
}

const expectWhole = async (store: ProjectionStore, ...projections: readonly Projection[]) => {
  const fresh = portsOf(history)
  for (const one of projections) {
    right(await rebuild(fresh)(one)())
    deepEqual(await contentsOf(store, one), await contentsOf(fresh.store, one), one.name)
    for (const position of [100, 450, 800])
      deepEqual(await pastOf(store, one, position), await pastOf(fresh.store, one, position))
  }
}

const checkpointOf = async (store: ProjectionStore, { name }: Projection): Promise<number> => {
  const all = right(await store.status()())
  return all.find((one) => one.projection === name && one.place === 'shadow')?.checkpoint ?? 0
}

test('CL5 a rebuild that was cut off is gone on with, and nothing before is read again', async () => {
  const store = memoryStore()
  await cutOff(store, [requestLog], 20)
  const left = await checkpointOf(store, requestLog)
  ok(left > 0 && left < HEAD)
  const { ports, read } = watched(store)
  const from = await rebuilt(ports, [{ projection: requestLog }])
  deepEqual([...from], [['request-log', left]])
  ok(Math.min(...read) > left)
  await expectWhole(store, requestLog)
})

test('anew, or where nothing was folded yet, it begins from nothing', async () => {
  for (const [turn, anew] of [
    [20, true],
    // The first commit.
    [3, false],
  ] as const) {
    const store = memoryStore()
    await cutOff(store, [requestLog], turn)
    const { ports, read } = watched(store)
    deepEqual([...(await rebuilt(ports, [{ projection: requestLog }], { anew }))], [])
    equal(
      Math.min(...read),
      Math.min(...history.recorded.filter(isOfRequests).map(({ position }) => position)),
    )
    await expectWhole(store, requestLog)
  }
})

const isOfRequests = ({ event }: (typeof history.recorded)[number]) =>
  requestLog.interestedIn.includes(event.type)

test('what another version or another reader left is dropped', async () => {
  for (const other of [
    { ...adsTxtState, version: adsTxtState.version + 1 },
    { ...adsTxtState, readWith: 'ads-txt@2' },
  ]) {
    const store = memoryStore()
    const [newest] = portsOf(history).readers.filter(({ name }) => name === 'ads-txt')
    ok(newest)
    const readers = [...portsOf(history).readers, { ...newest, version: '2' }]
    const ports = { ...portsOf(history, dyingStore(store, 25)), readers }
    await rebuild(ports)(other, { limits: LIMITS })()
    ok((await checkpointOf(store, other)) > 0)
    deepEqual([...(await rebuilt(portsOf(history, store), [{ projection: adsTxtState }]))], [])
    await expectWhole(store, adsTxtState)
  }
})

test('one that goes on and one that begins share the reading, and both are whole', async () => {
  const store = memoryStore()
  await cutOff(store, [siteCooldown], 12)
  const left = await checkpointOf(store, siteCooldown)
  ok(left > 0)
  const targets = [requestLog, siteCooldown, marketDay].map((projection) => ({ projection }))
  const { ports, read } = watched(store)
  deepEqual([...(await rebuilt(ports, targets))], [['site-cooldown', left]])
  equal(new Set(read).size, read.length)
  await expectWhole(store, requestLog, siteCooldown, marketDay)
})

test('catching up that builds anew goes on with what was left', async () => {
  const store = memoryStore()
  await cutOff(store, [requestLog], 20)
  const left = await checkpointOf(store, requestLog)
  const { ports, read } = watched(store)
  equal(right(await catchUp(ports)(requestLog)()).checkpoint, HEAD)
  ok(Math.min(...read) > left)
  await expectWhole(store, requestLog)
})

const PARTED = [requestLog, siteCooldown]

for (const count of [0, 1, 2, 5])
  test(`CL5 a shadow of three parts is gone on with part by part, by ${count} workers`, async () => {
    const store = memoryStore()
    await cutOff(store, [requestLog], 40, { count: 3 })
    const { ports } = watched(store)
    const seen: Share[] = []
    const workers =
      count === 0 ? undefined : workersOver(ports, count, LIMITS, (share) => void seen.push(share))
    const from = await rebuilt(ports, [{ projection: requestLog }], { workers })
    ok((from.get('request-log') ?? 0) > 0)
    if (count > 1)
      deepEqual(
        seen.map(({ part }) => part),
        [0, 1, 2].map((index) => ({ index, of: 3 })),
      )
    const begun = seen.flatMap(({ courses }) => courses.map(({ standing }) => standing.checkpoint))
    if (count > 1) ok(begun.some((one) => one > 0))
    await expectWhole(store, requestLog)
  })

test('shadows of two parts, of three, whole and not there yet are rebuilt together', async () => {
  const store = memoryStore()
  await cutOff(store, [requestLog], 40, { count: 3 })
  await cutOff(store, [siteCooldown], 30, { count: 2 })
  await cutOff(store, [robotsState], 6)
  const ports = portsOf(history, store)
  const projections = [requestLog, marketDay, siteCooldown, robotsState]
  const seen: Share[] = []
  const workers = workersOver(ports, 2, LIMITS, (share) => void seen.push(share))
  const targets = projections.map((projection) => ({ projection }))
  const from = await rebuilt(ports, targets, { workers })
  deepEqual([...from.keys()].toSorted(), ['request-log', 'robots-state', 'site-cooldown'])
  deepEqual(
    seen.map(({ part, courses }) => [part?.of, courses.map(({ projection }) => projection.name)]),
    [
      [undefined, ['market-day']],
      ...[0, 1, 2].map(() => [3, ['request-log']]),
      ...[0, 1].map(() => [2, ['site-cooldown']]),
      // Begun whole, it goes on by parts: twice as many as workers, beside a share that is whole.
      ...[0, 1, 2, 3].map(() => [4, ['robots-state']]),
    ],
  )
  await expectWhole(store, ...projections)
})

test('CL5 wherever a rebuild is cut off, the next one ends as if it had not been', async () => {
  for (const [count, isDone] of [
    [0, false],
    [2, false],
    [2, true],
  ] as const) {
    const resumed = new Set<boolean>()
    for (let turn = 1; ; turn += 1) {
      const store = memoryStore()
      const outcomes = await cutOff(store, PARTED, turn, { count, isDone })
      const from = await rebuilt(
        portsOf(history, store),
        PARTED.map((projection) => ({ projection })),
        { workers: workersOver(portsOf(history, store), (turn % 3) + 1, LIMITS) },
      )
      resumed.add(from.size > 0)
      await expectWhole(store, ...PARTED)
      if (outcomes.every(E.isRight)) break
    }
    deepEqual(resumed, new Set([false, true]))
  }
})

test('a comparison goes on with a shadow that is not past the live table, and else begins anew', async () => {
  for (const count of [0, 3])
    for (const [liveAt, goesOn] of [
      [HEAD - 5, true],
      [60, false],
    ] as const) {
      const store = memoryStore()
      const then = portsOf(history, store, () => liveAt)
      right(await catchUp(then)(requestLog)())
      await cutOff(store, [requestLog], 40, { count })
      const comparedAt: number[] = []
      const compare: Target['compare'] = (live, shadow) => async () => {
        comparedAt.push(live.checkpoint, shadow.checkpoint)
        return E.right(undefined)
      }
      const from = await rebuilt(portsOf(history, store), [{ projection: requestLog, compare }])
      equal(from.size > 0, goesOn)
      deepEqual(comparedAt, [liveAt, liveAt])
      await expectWhole(store, requestLog)
    }
})
