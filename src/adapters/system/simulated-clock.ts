import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../../kernel/clock.ts'
import { instant, type Instant } from '../../kernel/instant.ts'
import { onAbort } from './abort.ts'
import { sleepers, type Sleepers } from './sleepers.ts'

/**
 * A tracked task. It is busy while it runs and has nothing to wait for: no sleep of its own pending
 * and no task nested in it alive.
 */
type Task = { alive: boolean; waits: number }

/** How many tracked tasks are busy: while there is one, time stands still. */
type Busy = {
  readonly none: () => boolean
  readonly begin: () => Task
  readonly end: (task: Task) => void
  readonly wait: (task: Task | undefined) => void
  readonly resume: (task: Task | undefined) => void
}

const countBusy = (whenNone: () => void): Busy => {
  let busy = 0
  const step = (by: 1 | -1): void => {
    busy += by
    if (busy === 0) whenNone()
  }
  return {
    none: () => busy === 0,
    begin: () => {
      step(1)
      return { alive: true, waits: 0 }
    },
    end: (task) => {
      task.alive = false
      if (task.waits === 0) step(-1)
    },
    // A context can outlive its task (a timer it started, a pool it filled): then it counts no more.
    wait: (task) => {
      if (task === undefined) return
      task.waits += 1
      if (task.waits === 1 && task.alive) step(-1)
    },
    resume: (task) => {
      if (task === undefined) return
      task.waits -= 1
      if (task.waits === 0 && task.alive) step(1)
    },
  }
}

/**
 * Calls `jump` when the event loop has come round: whatever follows at once from the last step
 * (promise continuations, a task begun by the one that ended) has then had its turn.
 */
const afterThisTurn = (jump: () => void): (() => void) => {
  let expected = false
  return () => {
    if (expected) return
    expected = true
    setImmediate(() => {
      expected = false
      jump()
    })
  }
}

type Sleep = { readonly asleep: Sleepers; readonly busy: Busy; readonly look: () => void }

const fallAsleep = (
  { asleep, busy, look }: Sleep,
  moment: Instant,
  task: Task | undefined,
  signal: AbortSignal | undefined,
): Promise<void> =>
  new Promise((resolve) => {
    const wake = (): void => {
      forget()
      busy.resume(task)
      resolve()
    }
    const remove = asleep.add(moment, wake)
    const forget = onAbort(signal, () => {
      remove()
      wake()
    })
    busy.wait(task)
    look()
  })

/**
 * Simulated time. It stands still at `start` until no tracked task is busy, then jumps to the
 * earliest moment anybody sleeps until, and wakes exactly those due, in the order they lay down.
 *
 * A task counts as waiting while a sleep of its own is pending or a task nested in it is alive, so
 * work that must hold time beside a sleep, or beside nested tasks, is a nested task itself. Whatever
 * runs outside every task does not hold time, and a sleep out there holds nobody up.
 */
export const simulatedClock = (start: Instant): Clock => {
  let time = start
  const asleep = sleepers()
  const current = new AsyncLocalStorage<Task>()

  const look = afterThisTurn(() => {
    if (!busy.none()) return
    const due = asleep.takeEarliest()
    if (due === undefined) return
    time = due.moment
    for (const wake of due.wakes) wake()
    // Those woken may all sleep outside of tasks: then nobody's end would lead to the next jump.
    look()
  })
  const busy = countBusy(look)

  return {
    kind: 'simulated',
    now: () => instant(time),
    sleepUntil: async (moment, signal) => {
      if (moment <= time || signal?.aborted === true) return
      await fallAsleep({ asleep, busy, look }, moment, current.getStore(), signal)
    },
    track: async (body) => {
      const parent = current.getStore()
      const task = busy.begin()
      busy.wait(parent)
      try {
        return await current.run(task, body)
      } finally {
        busy.resume(parent)
        busy.end(task)
      }
    },
  }
}
