import type { Every } from '../../ledger/tlog/port.ts'

/** On the machine's own time, also in a rehearsal. A task that takes longer than the pause is waited for. */
export const every: Every = (milliseconds, task) => {
  let under: Promise<void> | undefined
  const timer = setInterval(() => {
    under ??= task().finally(() => (under = undefined))
  }, milliseconds)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await under
  }
}
