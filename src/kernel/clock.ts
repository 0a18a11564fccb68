import type { Instant } from './instant.ts'

/**
 * Time as a port. The system clock is real; the simulated clock jumps to the next due moment when
 * every tracked task waits, so that a month of nights passes in seconds.
 */
export type Clock = {
  readonly kind: 'system' | 'simulated'
  readonly now: () => Instant
  /** Resolves at `moment`, or at once when `signal` aborts. Never rejects. */
  readonly sleepUntil: (moment: Instant, signal?: AbortSignal) => Promise<void>
  /** Runs a task whose progress counts: simulated time stands still while any of them is busy. */
  readonly track: <A>(task: () => Promise<A>) => Promise<A>
}
