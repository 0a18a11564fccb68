import type { Within } from '../../ledger/tlog/port.ts'

/** Keeps no process alive by itself. */
export const within: Within = (milliseconds) => AbortSignal.timeout(milliseconds)
