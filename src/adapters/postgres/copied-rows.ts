/**
 * Rows of the ledger as COPY gives them, in binary form: no entry is spelled out in hexadecimal, and
 * no row is made of texts first. That takes a quarter of the time of a query.
 * PostgreSQL, COPY: Binary Format.
 */
import type { Connection, Pool, Submittable } from 'pg'
import { assert } from '../../kernel/assert.ts'
import type { EventRow } from './rows.ts'

const COLUMNS = 'position, stream, version, type, ts, entry'
const COLUMN_COUNT = 6

/**
 * Gives the rows that `rest` (everything behind FROM event) finds to `take`, one by one as they come.
 * The bytes of an entry are those of the connection: `take` must not keep them.
 */
export const copyRows = (pool: Pool, rest: string, take: (row: EventRow) => void): Promise<void> =>
  copyMessages(pool, rest, (row) => take(rowIn(row)))

/** As they came, for `rowIn`; again `take` must not keep them. `over`: the connection they came over. */
export type TakeMessage = (row: Buffer, over: Connection) => void

export const copyMessages = async (pool: Pool, rest: string, take: TakeMessage): Promise<void> => {
  const client = await pool.connect()
  let failed: Error | undefined
  try {
    await new Promise<void>((resolve, reject) => {
      const text = `copy (select ${COLUMNS} from event ${rest}) to stdout (format binary)`
      client.query(
        copyOut(text, take, (error) => (error === undefined ? resolve() : reject(error))),
      )
    })
  } catch (error) {
    failed = error instanceof Error ? error : new Error(String(error))
    throw error
  } finally {
    client.release(failed)
  }
}

/** What node-pg calls while this is the statement of a connection. */
type CopyOut = Submittable & {
  readonly handleCopyData: (message: { readonly chunk: Buffer }, over: Connection) => void
  readonly handleCommandComplete: () => void
  readonly handleReadyForQuery: () => void
  readonly handleError: (error: Error) => void
}

const copyOut = (text: string, take: TakeMessage, done: (error?: unknown) => void): CopyOut => {
  let begun = false
  let defect: unknown
  return {
    submit: (connection: Connection) => connection.query(text),
    handleCopyData: ({ chunk }, over) => {
      if (defect !== undefined) return
      try {
        const row = begun ? chunk : chunk.subarray(headerLength(chunk))
        begun = true
        if (row.readInt16BE(0) !== END) take(row, over)
      } catch (error) {
        // Thrown here it would not reach the caller but end the process.
        defect = error
      }
    },
    handleCommandComplete: () => undefined,
    handleReadyForQuery: () => done(defect),
    handleError: done,
  }
}

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1')
const FLAGS_LENGTH = 4

/** Length of what comes before the first row, in the same message. */
const headerLength = (chunk: Buffer): number => {
  const isSigned = SIGNATURE.equals(chunk.subarray(0, SIGNATURE.length))
  assert(isSigned, 'the database copies in another form than it was asked for')
  const at = SIGNATURE.length + FLAGS_LENGTH
  return at + 4 + chunk.readInt32BE(at)
}

/** In the place of a count of columns: the mark behind the last row. */
const END = -1

/** The row that a message holds. */
export const rowIn = (message: Buffer): EventRow => {
  const count = message.readInt16BE(0)
  assert(count === COLUMN_COUNT, `a row of the ledger has ${COLUMN_COUNT} columns, not ${count}`)
  // Each column: its length in four bytes, then its bytes.
  const position = 2 + 4
  const stream = position + 8 + 4
  const version = stream + message.readInt32BE(stream - 4) + 4
  const type = version + 4 + 4
  const ts = type + message.readInt32BE(type - 4) + 4
  const entry = ts + 8 + 4
  return {
    position: readSafe(message, position),
    // Neither has a letter beyond ASCII in any entry; what has one differs from the entry either way.
    stream: message.toString('latin1', stream, version - 4),
    version: message.readInt32BE(version),
    type: message.toString('latin1', type, ts - 4),
    ts: readSafe(message, ts),
    entry: message.subarray(entry, entry + message.readInt32BE(entry - 4)),
  }
}

const HIGH = 4_294_967_296

const readSafe = (chunk: Buffer, at: number): number => {
  const value = chunk.readInt32BE(at) * HIGH + chunk.readUInt32BE(at + 4)
  assert(Number.isSafeInteger(value), 'a bigint of the database is not a safe integer')
  return value
}
