import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { adsTxtState, marketDay, PROJECTIONS, requestLog } from '../../../projections/index.ts'
import type { Projection } from '../../../projections/projection.ts'
import { E } from '../../../src/kernel/fp.ts'
import type { ProjectionPorts } from '../../../src/shell/projecting/folding.ts'
import { REBUILD_LIMITS, rebuildTogether } from '../../../src/shell/projecting/rebuild.ts'
import { left, right } from '../../support/either.ts'
import { nights } from '../../support/nights.ts'
import { contentsOf, portsOf } from '../../support/projecting.ts'

const targetsOf = (projections: readonly Projection[]) =>
  projections.map((projection) => ({ projection }))

test('all projections are rebuilt in one reading: no event is read twice', async () => {
  const history = nights(3_000, 20)
  const ports = portsOf(history)
  const read: number[] = []
  const follow: ProjectionPorts['ledger']['follow'] = async function* (query) {
    for await (const page of ports.ledger.follow(query)) {
      read.push(...right(page).map(({ position }) => position))
      yield page
    }
  }
  const counted = { ...ports, ledger: { ...ports.ledger, follow } }
  for (const outcome of await rebuildTogether(counted)(targetsOf(PROJECTIONS))()) right(outcome)
  ok(read.length > 2_000)
  equal(new Set(read).size, read.length)
})

test('a projection that is overtaken takes no other with it, and leaves its live table', async () => {
  const history = nights(2_000, 20)
  const ports = portsOf(history)
  for (const outcome of await rebuildTogether(ports)(targetsOf([requestLog, marketDay]))())
    right(outcome)
  const before = await contentsOf(ports.store, requestLog)
  const commit: typeof ports.store.commit = (projection, standing, batch) =>
    projection.name === requestLog.name
      ? async () => E.left({ tag: 'Overtaken', projection: projection.name })
      : ports.store.commit(projection, standing, batch)
  const hindered = { ...ports, store: { ...ports.store, commit } }
  const [log, day] = await rebuildTogether(hindered)(targetsOf([requestLog, marketDay]))()
  ok(log !== undefined && day !== undefined)
  deepEqual(left(log), { tag: 'Overtaken', projection: 'request-log' })
  equal(right(day).live.checkpoint, history.recorded.length)
  ok(right(day).live.generation > (right(day).before?.generation ?? 0))
  deepEqual(await contentsOf(ports.store, requestLog), before)
})

test('a body that was altered stops who reads it, and nobody else', async () => {
  const history = nights(1_000, 20)
  const ports = portsOf(history)
  const get: typeof ports.bodies.get = (commit) => async () =>
    E.left({ tag: 'BodyAltered', commit })
  const altered = { ...ports, bodies: { get } }
  const [state, log] = await rebuildTogether(altered)(targetsOf([adsTxtState, requestLog]))()
  ok(state !== undefined && log !== undefined)
  equal(left(state).tag, 'IntegrityBreach')
  equal(right(log).live.checkpoint, history.recorded.length)
})

test('all together hold no more in memory than one alone may', async () => {
  const history = nights(3_000, 20)
  const ports = portsOf(history)
  let commits = 0
  const commit: typeof ports.store.commit = (projection, standing, batch) => {
    commits += 1
    return ports.store.commit(projection, standing, batch)
  }
  const counted = { ...ports, store: { ...ports.store, commit } }
  const limits = {
    ...REBUILD_LIMITS,
    pageEvents: 10,
    heldBytes: 50_000,
    newKeys: Number.POSITIVE_INFINITY,
  }
  for (const outcome of await rebuildTogether(counted)(targetsOf(PROJECTIONS), { limits })())
    right(outcome)
  const steps = PROJECTIONS.reduce(
    (sum, { keysOf }) => sum + history.recorded.flatMap((event) => keysOf(event)).length,
    0,
  )
  // Each step counts as 500 bytes or more; a page of 10 comes on top for each projection.
  ok(commits >= (steps * 500) / (50_000 + 10 * 500 * PROJECTIONS.length), `${commits} commits`)
})
