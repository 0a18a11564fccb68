import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { marketDay, PROJECTIONS, requestLog, siteCooldown } from '../../../projections/index.ts'
import { E } from '../../../src/kernel/fp.ts'
import { catchUp, catchUpTogether } from '../../../src/shell/projecting/catch-up.ts'
import type { ProjectionPorts } from '../../../src/shell/projecting/folding.ts'
import { left, right } from '../../support/either.ts'
import { nights } from '../../support/nights.ts'
import { memoryStore, portsOf } from '../../support/projecting.ts'

const history = nights(2_000, 20)
const HEAD = history.recorded.length

/** The ports, every position that was read of the ledger as a whole, and every lock that was taken. */
const watched = (store = memoryStore(), upTo?: () => number) => {
  const ports = portsOf(history, store, upTo)
  const read: number[] = []
  const locks: (readonly string[])[] = []
  const follow: ProjectionPorts['ledger']['follow'] = async function* (query) {
    for await (const page of ports.ledger.follow(query)) {
      read.push(...right(page).map(({ position }) => position))
      yield page
    }
  }
  const exclusively: typeof store.exclusively = (names, task) => {
    locks.push(names)
    return store.exclusively(names, task)
  }
  return {
    ports: { ...ports, ledger: { ...ports.ledger, follow }, store: { ...store, exclusively } },
    read,
    locks,
  }
}

test('all that are behind read the ledger once, from where the last of them stands', async () => {
  const store = memoryStore()
  for (const [i, one] of PROJECTIONS.entries())
    right(await catchUp(portsOf(history, store, () => 500 + i * 10))(one)())
  const { ports, read } = watched(store)
  for (const outcome of await catchUpTogether(ports)(PROJECTIONS)())
    equal(right(outcome).checkpoint, HEAD)
  ok(read.length > 500)
  equal(new Set(read).size, read.length)
  ok(Math.min(...read) > 500)
})

test('all that are not there yet are built in one reading too', async () => {
  const { ports, read } = watched()
  for (const outcome of await catchUpTogether(ports)(PROJECTIONS)())
    equal(right(outcome).checkpoint, HEAD)
  equal(new Set(read).size, read.length)
})

test('where all are level nothing is read, and no lock is taken', async () => {
  const store = memoryStore()
  await catchUpTogether(portsOf(history, store))(PROJECTIONS)()
  const { ports, read, locks } = watched(store)
  for (const outcome of await catchUpTogether(ports)(PROJECTIONS)()) right(outcome)
  deepEqual(read, [])
  deepEqual(locks, [])
})

test('one that is level, one of a newer program and one that is overtaken take no other with them', async () => {
  const store = memoryStore()
  const newer = { ...marketDay, version: marketDay.version + 1 }
  right(await catchUp(portsOf(history, store))(newer)())
  right(await catchUp(portsOf(history, store, () => 900))(requestLog)())
  right(await catchUp(portsOf(history, store, () => 900))(siteCooldown)())
  let overtaken = 0
  const commit: typeof store.commit = (projection, standing, batch) => {
    if (projection.name !== requestLog.name) return store.commit(projection, standing, batch)
    overtaken += 1
    return async () => E.left({ tag: 'Overtaken', projection: projection.name })
  }
  const { ports } = watched({ ...store, commit })
  const [day, log, sites] = await catchUpTogether(ports)([marketDay, requestLog, siteCooldown])()
  ok(day !== undefined && log !== undefined && sites !== undefined)
  equal(left(day).tag, 'NewerBuild')
  deepEqual(left(log), { tag: 'Overtaken', projection: 'request-log' })
  equal(right(sites).checkpoint, HEAD)
  ok(overtaken > 1, 'it was tried again')
  equal(right(await store.live(siteCooldown)())?.checkpoint, HEAD)
  equal(right(await store.live(requestLog)())?.checkpoint, 900)
})
