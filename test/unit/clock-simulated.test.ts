import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn, setTimeout as realPause } from 'node:timers/promises'
import { simulatedClock } from '../../src/adapters/system/simulated-clock.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import { instant } from '../../src/kernel/instant.ts'

const START = Date.UTC(2026, 10, 30, 1)
const DAY_MS = 86_400_000

const newClock = (): Clock => simulatedClock(instant(START))
const sleep = (clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> =>
  clock.sleepUntil(instant(clock.now() + milliseconds), signal)
const since = (clock: Clock): number => clock.now() - START

test('simulated time stands still while a tracked task is busy, however long it takes', async () => {
  const clock = newClock()
  equal(clock.kind, 'simulated')
  const asleep = clock.track(() => sleep(clock, 1_000))
  await clock.track(async () => {
    await realPause(20)
    equal(since(clock), 0)
  })
  await asleep
  equal(since(clock), 1_000)
})

test('a month of sleeping takes no time', async () => {
  const clock = newClock()
  await clock.track(async () => {
    for (let night = 0; night < 30; night += 1) await sleep(clock, DAY_MS)
  })
  equal(since(clock), 30 * DAY_MS)
})

test('each jump goes to the earliest moment and wakes exactly those due, in the order they lay down', async () => {
  const clock = newClock()
  const woken: string[] = []
  const sleeper = (name: string, milliseconds: number): Promise<void> =>
    clock.track(async () => {
      await sleep(clock, milliseconds)
      woken.push(`${name} at ${since(clock)}`)
    })
  await Promise.all([sleeper('a', 20), sleeper('b', 10), sleeper('c', 20), sleeper('d', 15)])
  deepEqual(woken, ['b at 10', 'd at 15', 'a at 20', 'c at 20'])
})

test('a task that was woken holds time until it sleeps again or ends', async () => {
  const clock = newClock()
  const seen: string[] = []
  const worker = clock.track(async () => {
    await sleep(clock, 10)
    for (let step = 0; step < 50; step += 1) await turn()
    seen.push(`worker at ${since(clock)}`)
  })
  const other = clock.track(async () => {
    await sleep(clock, 11)
    seen.push(`other at ${since(clock)}`)
  })
  await Promise.all([worker, other])
  deepEqual(seen, ['worker at 10', 'other at 11'])
})

test('a task that ends while others sleep lets time go on', async () => {
  const clock = newClock()
  const asleep = clock.track(() => sleep(clock, 500))
  await clock.track(() => turn())
  await asleep
  equal(since(clock), 500)
})

test('a task that fails lets time go on, and its failure reaches the caller', async () => {
  const clock = newClock()
  const asleep = clock.track(() => sleep(clock, 500))
  await rejects(
    clock.track(() => {
      throw new Error('at once')
    }),
    /at once/,
  )
  await rejects(
    clock.track(async () => {
      await turn()
      throw new Error('later')
    }),
    /later/,
  )
  await asleep
  equal(since(clock), 500)
})

test('what a finished task leads to at once comes before the next jump', async () => {
  const clock = newClock()
  const asleep = clock.track(() => sleep(clock, 500))
  for (let task = 0; task < 20; task += 1)
    await clock.track(async () => {
      equal(since(clock), 0)
      await turn()
    })
  await asleep
  equal(since(clock), 500)
})

test('a task waits while tasks nested in it live, and is busy again when the last has ended', async () => {
  const clock = newClock()
  const bystander = clock.track(() => sleep(clock, 31))
  await clock.track(async () => {
    await Promise.all([10, 20, 30].map((pause) => clock.track(() => sleep(clock, pause))))
    for (let step = 0; step < 50; step += 1) await turn()
    equal(since(clock), 30)
  })
  await bystander
  equal(since(clock), 31)
})

test('a nested task that works holds time although its parent and its sisters sleep', async () => {
  const clock = newClock()
  await clock.track(async () => {
    const sister = clock.track(() => sleep(clock, 10))
    const working = clock.track(async () => {
      await realPause(20)
      equal(since(clock), 0)
    })
    await Promise.all([sister, working, sleep(clock, 15)])
  })
  equal(since(clock), 15)
})

test('a task with two sleeps at once waits until both are over', async () => {
  const clock = newClock()
  await clock.track(async () => {
    await Promise.all([sleep(clock, 5), sleep(clock, 7)])
    equal(since(clock), 7)
  })
})

test('outside of every task a sleep works, and does not move time while a task is busy', async () => {
  const clock = newClock()
  const outside = sleep(clock, 100)
  await clock.track(async () => {
    await realPause(20)
    equal(since(clock), 0)
  })
  await outside
  equal(since(clock), 100)
  await sleep(clock, 100)
  equal(since(clock), 200)
})

test('a sleep outside of every task does not keep a task asleep for longer', async () => {
  const clock = newClock()
  const woken: number[] = []
  const outside = (async () => {
    for (let beat = 0; beat < 4; beat += 1) {
      await sleep(clock, 10)
      woken.push(since(clock))
    }
  })()
  await clock.track(async () => {
    await sleep(clock, 25)
    woken.push(since(clock))
  })
  await outside
  deepEqual(woken, [10, 20, 25, 30, 40])
})

test('what a task has left behind counts no more when the task has ended', async () => {
  const clock = newClock()
  const left: Promise<void>[] = []
  await clock.track(() => {
    left.push(sleep(clock, 50))
    left.push(realPause(5).then(() => sleep(clock, 1_000)))
    return Promise.resolve()
  })
  await clock.track(async () => {
    await realPause(20)
    equal(since(clock), 0)
  })
  await left[0]
  equal(since(clock), 50)
  await left[1]
  equal(since(clock), 1_000)
})

test('a sleep begun by what a task left behind, after its end, holds nobody up and moves nothing', async () => {
  const clock = newClock()
  const left: Promise<void>[] = []
  await clock.track(() => {
    left.push(realPause(5).then(() => sleep(clock, 1_000)))
    return Promise.resolve()
  })
  await clock.track(async () => {
    await realPause(20)
    equal(since(clock), 0)
  })
  await left[0]
  await clock.track(async () => {
    equal(since(clock), 1_000)
    await sleep(clock, 10)
    equal(since(clock), 1_010)
  })
})

test('a moment that is now or over needs no sleep, and moves nothing', async () => {
  const clock = newClock()
  await clock.sleepUntil(instant(START))
  await clock.track(() => clock.sleepUntil(instant(START - 5_000)))
  equal(since(clock), 0)
})

test('an abort wakes a sleeper at once, and time never jumps to where it would have slept until', async () => {
  const clock = newClock()
  const stop = new AbortController()
  const sleeper = clock.track(async () => {
    await sleep(clock, 1_000, stop.signal)
    equal(since(clock), 10)
    await sleep(clock, 5)
  })
  const stopper = clock.track(async () => {
    await sleep(clock, 10)
    stop.abort()
  })
  await Promise.all([sleeper, stopper])
  equal(since(clock), 15)
  await clock.track(() => sleep(clock, 5_000))
  equal(since(clock), 5_015)
})

test('a signal that has aborted already allows no sleep', async () => {
  const clock = newClock()
  await clock.track(() => sleep(clock, 1_000, AbortSignal.abort()))
  equal(since(clock), 0)
})

test('an abort after the sleep is over changes nothing', async () => {
  const clock = newClock()
  const stop = new AbortController()
  await clock.track(() => sleep(clock, 10, stop.signal))
  stop.abort()
  await clock.track(() => sleep(clock, 10))
  equal(since(clock), 20)
})

test('20,000 sleepers under one signal wake in order', async () => {
  const clock = newClock()
  const stop = new AbortController()
  const woken: number[] = []
  const pauses = Array.from({ length: 20_000 }, (_, index) => 1 + ((index * 7_919) % 5_003))
  await Promise.all(
    pauses.map((pause) =>
      clock.track(async () => {
        await sleep(clock, pause, stop.signal)
        woken.push(pause)
      }),
    ),
  )
  deepEqual(
    woken,
    [...pauses].sort((a, b) => a - b),
  )
  equal(since(clock), 5_003)
})
