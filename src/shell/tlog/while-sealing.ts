import type { Every } from '../../ledger/tlog/port.ts'
import { exitCodeOf, Halt } from '../halt.ts'
import type { Sealed, Sealer } from './seal.ts'

/** So long at most, and a little, an event waits for a head that covers it while a run goes on. */
export const SEAL_EVERY_MS = 3_000

const BREACH = 3

/**
 * Runs `task` and seals before it, every few seconds meanwhile, and after it. If the ledger turns out
 * to contradict what was signed, nothing is begun, or `abort` is called and the breach ends the
 * command. A disk or database that is away for a moment is tried again; the last time it counts.
 */
export const whileSealing = async <A>(
  seal: Sealer,
  every: Every,
  task: (signal: AbortSignal) => Promise<A>,
  milliseconds = SEAL_EVERY_MS,
): Promise<{ readonly result: A; readonly sealed: Sealed }> => {
  await seal()
  const breached = new AbortController()
  let breach: unknown
  const end = every(milliseconds, async () => {
    try {
      if (!breached.signal.aborted) await seal()
    } catch (error) {
      if (error instanceof Halt && exitCodeOf(error.failure) !== BREACH) return
      breach = error
      breached.abort()
    }
  })
  try {
    const result = await task(breached.signal)
    await end()
    if (breach !== undefined) throw breach
    return { result, sealed: await seal() }
  } catch (error) {
    await end()
    // What was recorded is sealed if it can be; what ended the run is what is told.
    if (breach === undefined) await seal().catch(() => undefined)
    throw error
  }
}
