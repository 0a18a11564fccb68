import { equal } from 'node:assert/strict'
import { afterEach, beforeEach, mock, test } from 'node:test'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { instant, type Instant } from '../../src/kernel/instant.ts'

const START = Date.UTC(2026, 10, 30, 1)
const DAY_MS = 86_400_000

/** What the machine's clock reads. Timers run by a time of their own, as they do in a kernel. */
let wall = START
/** How often somebody has looked at it. */
let looks = 0

beforeEach(() => {
  wall = START
  mock.timers.enable({ apis: ['setTimeout'] })
  mock.method(Date, 'now', () => {
    looks += 1
    return wall
  })
})
afterEach(() => {
  mock.timers.reset()
  mock.restoreAll()
})

/** Tells whether the sleep is over, once everything that follows at once has followed. */
const sleepOf = (moment: Instant, signal?: AbortSignal) => {
  let awake = false
  void systemClock()
    .sleepUntil(moment, signal)
    .then(() => (awake = true))
  return async (): Promise<boolean> => {
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve()
    return awake
  }
}

/** Lets time pass for timers and for the clock, in steps that let every timer look at the clock. */
const pass = (milliseconds: number): void => {
  for (let left = milliseconds; left > 0; left -= 60_000) {
    const step = Math.min(left, 60_000)
    wall += step
    mock.timers.tick(step)
  }
}

test('the system clock tells the time of the machine and runs a tracked task as it is', async () => {
  const clock = systemClock()
  equal(clock.kind, 'system')
  equal(clock.now(), START)
  equal(await clock.track(() => Promise.resolve('done')), 'done')
})

test('a sleep ends at its moment, not a millisecond before', async () => {
  const awake = sleepOf(instant(START + 5_000))
  pass(4_999)
  equal(await awake(), false)
  pass(1)
  equal(await awake(), true)
})

test('a moment that is now or over needs no sleep', async () => {
  equal(await sleepOf(instant(START))(), true)
  equal(await sleepOf(instant(START - 1))(), true)
})

test('a timer that fires a millisecond early sleeps on', async () => {
  const awake = sleepOf(instant(START + 5_000))
  wall += 4_999
  mock.timers.tick(5_000)
  equal(await awake(), false)
  pass(1)
  equal(await awake(), true)
})

test('a sleep of 30 days, more than a timer can count, ends when it should', async () => {
  const awake = sleepOf(instant(START + 30 * DAY_MS))
  pass(30 * DAY_MS - 1)
  equal(await awake(), false)
  pass(1)
  equal(await awake(), true)
})

test('PR6 a clock set forward does not shorten a pause', async () => {
  const awake = sleepOf(instant(START + 5_000))
  wall += DAY_MS
  pass(4_999)
  equal(await awake(), false)
  pass(1)
  equal(await awake(), true)
})

test('a clock set back makes a sleep longer: it never ends before its moment', async () => {
  const awake = sleepOf(instant(START + 5_000))
  wall -= 3_600_000
  pass(3_600_000 + 4_999)
  equal(await awake(), false)
  pass(1)
  equal(await awake(), true)
})

test('a long sleep notices within a minute that the clock was set forward', async () => {
  const awake = sleepOf(instant(START + DAY_MS))
  pass(1)
  wall += DAY_MS
  pass(60_000)
  equal(await awake(), true)
})

test('an abort ends a sleep at once, before or during it, and leaves no timer behind', async () => {
  equal(await sleepOf(instant(START + 5_000), AbortSignal.abort())(), true)
  const stop = new AbortController()
  const awake = sleepOf(instant(START + 5_000), stop.signal)
  equal(await awake(), false)
  stop.abort()
  equal(await awake(), true)
  // A timer left behind would look at the clock again.
  const before = looks
  pass(120_000)
  equal(looks, before)
})

test('a sleep on real timers never ends before its moment', async () => {
  mock.timers.reset()
  mock.restoreAll()
  const clock = systemClock()
  for (let round = 0; round < 20; round += 1) {
    const moment = instant(clock.now() + 1 + (round % 7))
    await clock.sleepUntil(moment)
    equal(clock.now() >= moment, true)
  }
})
