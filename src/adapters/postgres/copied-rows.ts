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
export const copyRows = async (
  pool: Pool,
  rest: string,
  take: (row: EventRow) => void,
): Promise<void> => {
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
  readonly handleCopyData: (message: { readonly chunk: Buffer }) => void
  readonly handleCommandComplete: () => void
  readonly handleReadyForQuery: () => void
  readonly handleError: (error: Error) => void
}

const copyOut = (
  text: string,
  take: (row: EventRow) => void,
  done: (error?: unknown) => void,
): CopyOut => {
  let begun = false
  let defect: unknown
  return {
    submit: (connection: Connection) => connection.query(text),
    handleCopyData: ({ chunk }) => {
      if (defect !== undefined) return
      try {
        readRow(chunk, begun ? 0 : headerLength(chunk), take)
        begun = true
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

const END = -1

/** A message holds one row, or the mark behind the last. */
const readRow = (chunk: Buffer, at: number, take: (row: EventRow) => void): void => {
  const count = chunk.readInt16BE(at)
  if (count === END) return
  assert(count === COLUMN_COUNT, `a row of the ledger has ${COLUMN_COUNT} columns, not ${count}`)
  // Each column: its length in four bytes, then its bytes.
  const position = at + 2 + 4
  const stream = position + 8 + 4
  const version = stream + chunk.readInt32BE(stream - 4) + 4
  const type = version + 4 + 4
  const ts = type + chunk.readInt32BE(type - 4) + 4
  const entry = ts + 8 + 4
  take({
    position: readSafe(chunk, position),
    // Neither has a letter beyond ASCII in any entry; what has one differs from the entry either way.
    stream: chunk.toString('latin1', stream, version - 4),
    version: chunk.readInt32BE(version),
    type: chunk.toString('latin1', type, ts - 4),
    ts: readSafe(chunk, ts),
    entry: chunk.subarray(entry, entry + chunk.readInt32BE(entry - 4)),
  })
}

const HIGH = 4_294_967_296

const readSafe = (chunk: Buffer, at: number): number => {
  const value = chunk.readInt32BE(at) * HIGH + chunk.readUInt32BE(at + 4)
  assert(Number.isSafeInteger(value), 'a bigint of the database is not a safe integer')
  return value
}
