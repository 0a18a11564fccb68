import type { LogRecord } from '../../ledger/tlog/rotation.ts'

/** The log that one follows, with the last head of it that the first entry quotes. */
export type Predecessor = {
  readonly origin: string
  readonly size: number
  /** Base64, as in the head. */
  readonly root: string
}

export const predecessorOf = (log: LogRecord | undefined): Predecessor | null => {
  if (log === undefined || log.predecessor === null) return null
  const { origin, size, root } = log.predecessor
  return { origin, size, root: root.toString('base64') }
}
