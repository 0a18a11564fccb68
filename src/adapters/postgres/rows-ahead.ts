/**
 * Rows read ahead of whoever folds them: the database copies meanwhile, and waits when enough is here.
 * What waits are bytes and not events, which the collector would carry about until they are folded.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Connection, Pool } from 'pg'
import { copyMessages, rowIn } from './copied-rows.ts'
import type { EventRow } from './rows.ts'

/** About so many bytes wait, and what one more look at the socket brings. */
const AHEAD_BYTES = 1_048_576

/**
 * The rows that `rests` (each everything behind FROM event) find, one statement after the other; at
 * most `limit` at a time. Whoever stops early ends the connection.
 */
export async function* rowsAhead(
  pool: Pool,
  rests: Iterable<string>,
  limit: number,
): AsyncGenerator<readonly EventRow[], void, undefined> {
  const ahead = waitingRows(limit)
  const copying = copyAll(pool, rests, ahead)
  try {
    for (;;) {
      const some = await ahead.take()
      if (some.length === 0) return
      yield some.map(rowIn)
    }
  } finally {
    ahead.stop()
    await copying
  }
}

const copyAll = async (
  pool: Pool,
  rests: Iterable<string>,
  { isWanted, put, end }: WaitingRows,
): Promise<void> => {
  try {
    for (const rest of rests) if (isWanted()) await copyMessages(pool, rest, put)
    end()
  } catch (error) {
    end({ error })
  }
}

type WaitingRows = {
  readonly isWanted: () => boolean
  readonly put: (row: Buffer, over: Connection) => void
  /** No more rows come; `failed` is for whoever takes what was there before. */
  readonly end: (failed?: { readonly error: unknown }) => void
  /** The next rows; none: that was all. */
  readonly take: () => Promise<readonly Buffer[]>
  /** Nobody will take any more. */
  readonly stop: () => void
}

const waitingRows = (limit: number): WaitingRows => {
  const rows: Buffer[] = []
  let bytes = 0
  let connection: Connection | undefined
  let ended: { readonly error?: unknown } | undefined
  let isWanted = true
  let wake = (): void => undefined
  const isEnough = (): boolean =>
    rows.length >= limit || bytes >= AHEAD_BYTES || ended !== undefined
  return {
    isWanted: () => isWanted,
    put: (row, over) => {
      connection = over
      if (!isWanted) over.stream.destroy()
      // The bytes are the connection's, which uses them again.
      rows.push(Buffer.from(row))
      bytes += row.length
      if (bytes >= AHEAD_BYTES) over.stream.pause()
      if (isEnough()) wake()
    },
    end: (failed) => {
      ended = failed ?? {}
      wake()
    },
    take: async () => {
      // Between two batches the socket is looked at.
      await nextTurn()
      if (!isEnough()) await new Promise<void>((resolve) => (wake = resolve))
      const some = rows.splice(0, limit)
      if (some.length === 0 && ended !== undefined && 'error' in ended) throw ended.error
      bytes -= some.reduce((sum, { length }) => sum + length, 0)
      if (bytes < AHEAD_BYTES) connection?.stream.resume()
      return some
    },
    stop: () => {
      isWanted = false
      if (ended === undefined) connection?.stream.destroy()
    },
  }
}
