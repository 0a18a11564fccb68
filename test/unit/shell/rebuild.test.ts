import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { requestLog, siteCooldown } from '../../../projections/index.ts'
import type { Json } from '../../../src/kernel/canonical-json.ts'
import { catchUp } from '../../../src/shell/projecting/catch-up.ts'
import type { Progress } from '../../../src/shell/projecting/folding.ts'
import { paceOf, rebuild } from '../../../src/shell/projecting/rebuild.ts'
import { right } from '../../support/either.ts'
import { nights } from '../../support/nights.ts'
import { contentsOf, portsOf } from '../../support/projecting.ts'

test('CL5 a rebuild answers what it replaced, and tells how far it is', async () => {
  const history = nights(3_000, 10)
  const ports = portsOf(history)
  const first = right(await rebuild(ports)(requestLog)())
  equal(first.before, undefined)
  const steps: Progress[] = []
  const second = right(
    await rebuild(ports)(requestLog, { onProgress: (progress) => steps.push(progress) })(),
  )
  deepEqual(second.before, first.live)
  ok(steps.length > 1)
  const positions = steps.map(({ position }) => position)
  deepEqual(
    positions,
    positions.toSorted((a, b) => a - b),
  )
  ok(steps.every(({ position, of }) => of === history.recorded.length && position <= of))
})

test('CL5 the live table can be caught up while it is being rebuilt, and neither is lost', async () => {
  const history = nights(2_000, 10)
  let head = 500
  const ports = portsOf(history, undefined, () => head)
  right(await catchUp(ports)(siteCooldown)())
  let caughtUp: Promise<unknown> = Promise.resolve()
  const rebuilt = right(
    await rebuild(ports)(siteCooldown, {
      limits: { pageEvents: 50, batchEvents: 50, batchBytes: 9_000, heldBytes: 1, newKeys: 1 },
      onProgress: () => {
        head = history.recorded.length
        caughtUp = caughtUp.then(() => catchUp(ports)(siteCooldown)())
      },
    })(),
  )
  await caughtUp
  equal(rebuilt.live.checkpoint, history.recorded.length)
  const fresh = portsOf(history)
  right(await catchUp(fresh)(siteCooldown)())
  deepEqual(
    await contentsOf(ports.store, siteCooldown),
    await contentsOf(fresh.store, siteCooldown),
  )
})

test('a bug in the rows of a projection ends the rebuild, and leaves the live table', async () => {
  const history = nights(2_000, 10)
  const ports = portsOf(history)
  const before = right(await rebuild(ports)(requestLog)()).live
  const limits = { pageEvents: 50, batchEvents: 50, batchBytes: 9_000, heldBytes: 1e9, newKeys: 20 }
  // As from a database: the bug shows while the next page is waited for.
  const follow: typeof ports.ledger.follow = async function* (query) {
    for await (const page of ports.ledger.follow(query)) {
      await nextTurn()
      yield page
    }
  }
  let rows = 0
  const broken = {
    ...requestLog,
    rowsOf: (state: Json) => {
      rows += 1
      if (rows === 100) throw new Error('a bug')
      return requestLog.rowsOf(state)
    },
  }
  const slow = { ...ports, ledger: { ...ports.ledger, follow } }
  await rejects(rebuild(slow)(broken, { limits })(), /a bug/)
  deepEqual(right(await ports.store.live(requestLog)()), before)
})

test('the pace is a rate and what remains of the time', () => {
  deepEqual(paceOf({ position: 0, of: 10 }, 5), { perSecond: null, remainingMs: null })
  deepEqual(paceOf({ position: 500, of: 1_500 }, 250), { perSecond: 2_000, remainingMs: 500 })
  deepEqual(paceOf({ position: 10, of: 10 }, 1_000), { perSecond: 10, remainingMs: 0 })
})
