import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { simulatedClock } from '../../src/adapters/system/simulated-clock.ts'
import { sleepers } from '../../src/adapters/system/sleepers.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import { instant } from '../../src/kernel/instant.ts'
import { fc } from '../support/property.ts'

/** What a task does, step by step. */
type Step =
  | { readonly tag: 'sleep'; readonly for: number }
  | { readonly tag: 'work'; readonly turns: number }
  /** Sleeps while a nested task aborts the sleep after a while; goes on when both are over. */
  | { readonly tag: 'disturbed'; readonly for: number; readonly abortAfter: number }
  /** Nested tasks, all at once; goes on when all are over. */
  | { readonly tag: 'nest'; readonly tasks: readonly Task[] }
type Task = readonly Step[]

const few = fc.integer({ min: 0, max: 40 })
const { task } = fc.letrec<{ task: Task; step: Step }>((tie) => ({
  task: fc.array(tie('step'), { maxLength: 5 }),
  step: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ tag: fc.constant('sleep' as const), for: few }),
    fc.record({ tag: fc.constant('work' as const), turns: fc.integer({ min: 0, max: 6 }) }),
    fc.record({ tag: fc.constant('disturbed' as const), for: few, abortAfter: few }),
    fc.record({
      tag: fc.constant('nest' as const),
      tasks: fc.array(tie('task'), { maxLength: 4 }),
    }),
  ),
}))

/**
 * The model: work takes no time, so a task's moments are sums of its own sleeps, whatever the
 * others do. Writes the moment at which each step ends to `ends`, in the order of the text.
 */
const modelled = (steps: Task, from: number, ends: number[]): number =>
  steps.reduce((moment, step) => {
    const end = endOf(step, moment, ends)
    ends.push(end)
    return end
  }, from)

const endOf = (step: Step, moment: number, ends: number[]): number => {
  if (step.tag === 'work') return moment
  if (step.tag === 'sleep') return moment + step.for
  if (step.tag === 'nest')
    return Math.max(moment, ...step.tasks.map((nested) => modelled(nested, moment, ends)))
  ends.push(moment + Math.min(step.for, step.abortAfter))
  return moment + step.abortAfter
}

type Trace = (moment: number) => void

/** The same on the clock. Every task keeps its own list, so that the text's order comes out. */
const performed = async (clock: Clock, steps: Task): Promise<number[]> => {
  const ends: number[] = []
  for (const step of steps) {
    await perform(clock, step, (moment) => void ends.push(moment))
    ends.push(clock.now())
  }
  return ends
}

const perform = async (clock: Clock, step: Step, trace: Trace): Promise<void> => {
  if (step.tag === 'sleep') return clock.sleepUntil(instant(clock.now() + step.for))
  if (step.tag === 'work') return work(clock, step.turns)
  if (step.tag === 'disturbed') return disturbed(clock, step, trace)
  const nested = step.tasks.map((steps) => clock.track(() => performed(clock, steps)))
  for (const ends of await Promise.all(nested)) ends.forEach(trace)
}

const work = async (clock: Clock, turns: number): Promise<void> => {
  const before = clock.now()
  for (let count = 0; count < turns; count += 1) await turn()
  equal(clock.now(), before, 'time passed while a tracked task was busy')
}

const disturbed = async (
  clock: Clock,
  step: Extract<Step, { tag: 'disturbed' }>,
  trace: Trace,
): Promise<void> => {
  const stop = new AbortController()
  const { abortAfter } = step
  const until = instant(clock.now() + step.for)
  const disturber = clock.track(async () => {
    await clock.sleepUntil(instant(clock.now() + abortAfter))
    stop.abort()
  })
  await clock.sleepUntil(until, stop.signal)
  trace(clock.now())
  await disturber
}

test('simulated time: every step of every task ends at the moment the model says', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(task, { minLength: 1, maxLength: 6 }), async (tasks) => {
      const clock = simulatedClock(instant(0))
      const ends = await Promise.all(
        tasks.map((steps) => clock.track(() => performed(clock, steps))),
      )
      const expected = tasks.map((steps) => {
        const moments: number[] = []
        modelled(steps, 0, moments)
        return moments
      })
      deepEqual(ends, expected)
      equal(clock.now(), Math.max(0, ...expected.flat()))
    }),
  )
})

test('simulated time: sleeps inside and outside of tasks end at their moments, in order of moment and of lying down', async () => {
  const sleepersOf = fc.array(fc.record({ pause: few, tracked: fc.boolean() }), { maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(sleepersOf, async (all) => {
      const clock = simulatedClock(instant(0))
      const woken: (readonly [number, number])[] = []
      const sleep = async (pause: number, index: number): Promise<void> => {
        await clock.sleepUntil(instant(pause))
        equal(clock.now(), pause)
        woken.push([pause, index])
      }
      await Promise.all(
        all.map(({ pause, tracked }, index) =>
          tracked ? clock.track(() => sleep(pause, index)) : sleep(pause, index),
        ),
      )
      deepEqual(
        woken,
        all.map(({ pause }, index) => [pause, index] as const).sort((a, b) => a[0] - b[0]),
      )
    }),
  )
})

test('sleepers come out like a list sorted by moment, without those taken back', () => {
  const anySleeper = fc.record({ moment: few, takenBack: fc.boolean() })
  fc.assert(
    fc.property(fc.array(fc.array(anySleeper, { maxLength: 30 }), { maxLength: 4 }), (rounds) => {
      const asleep = sleepers()
      let list: { moment: number; name: string }[] = []
      const out: string[] = []
      rounds.forEach((round, r) => {
        round.forEach(({ moment, takenBack }, index) => {
          const name = `${r}/${index}`
          const takeBack = asleep.add(instant(moment), () => void out.push(name))
          if (takenBack) takeBack()
          else list.push({ moment, name })
        })
        const earliest = Math.min(...list.map((sleeper) => sleeper.moment))
        const due = list.filter(({ moment }) => moment === earliest)
        list = list.filter(({ moment }) => moment !== earliest)
        const taken = asleep.takeEarliest()
        taken?.wakes.forEach((wake) => wake())
        equal(taken?.moment, due[0]?.moment)
        deepEqual(
          out.splice(0),
          due.map(({ name }) => name),
        )
      })
    }),
  )
})
