/** What became of a flush whose answer was lost. */
import { E, type Either } from '../../../kernel/fp.ts'
import { assert } from '../../../kernel/assert.ts'
import type { Appended, Unavailable, Unknown } from '../../../ledger/port.ts'
import type { Database } from '../database.ts'
import type { Batch, EncodedAppend } from './batch.ts'
import { int4Array, textArray } from './binary-array.ts'
import { appendedAt } from './flush.ts'
import { cut, ended, openSession, type Session } from './session.ts'
import { setTimeout as sleep } from 'node:timers/promises'

export type Patience = {
  /** How long to wait for the answer to a statement before the connection is taken for lost. */
  readonly answerMs: number
  /** How long to try to find out what became of a flush whose answer was lost. */
  readonly settleMs: number
}

/** What appends are written with. */
export type Means = { readonly database: Database; readonly patience: Patience }

export type Settled = {
  readonly answers: readonly Either<Unavailable | Unknown, Appended>[]
  /** A fresh session, if one could be had. */
  readonly session: Session | undefined
}

const AGAIN_MS = 100

/**
 * Ends the session that sent the flush, then reads back. An append whose very bytes
 * stand was written; one whose do not was not, and never will be. If this cannot be told within
 * `settleMs` the answer is Unknown.
 */
export const settle = async (
  { database, patience: { answerMs, settleMs } }: Means,
  lost: Session,
  batch: Batch,
): Promise<Settled> => {
  const until = performance.now() + settleMs
  while (performance.now() < until) {
    const session = await openSession(database, answerMs).catch(() => undefined)
    const found = session === undefined ? undefined : await readBack(session, lost, batch, until)
    if (found !== undefined) return { answers: answersOf(database, batch, found), session }
    if (session !== undefined) cut(session.client)
    await sleep(AGAIN_MS)
  }
  const unknown: Unknown = {
    tag: 'Unknown',
    because: `the database ${database.place}: the answer to an append was lost, and within ${settleMs / 1_000} s it could not be read back`,
  }
  return { answers: batch.appends.map(() => E.left(unknown)), session: undefined }
}

type Row = {
  readonly stream: string
  readonly version: number
  readonly position: number
  readonly entry: Buffer
}

const READ_BACK = `
  select e.stream, e.version, e.position, e.entry
  from unnest($1::text[], $2::integer[]) as w(stream, version)
  join event e on e.stream = w.stream and e.version = w.version`

type Found = ReadonlyMap<string, Row>

const readBack = async (
  { client }: Session,
  lost: Session,
  batch: Batch,
  until: number,
): Promise<Found | undefined> => {
  try {
    if (!(await ended(client, lost.key, until))) return undefined
    const wanted = batch.appends.flatMap(({ waiting, events }) =>
      events.map(({ version }) => ({ stream: waiting.append.stream, version })),
    )
    const { rows } = await client.query<Row>(READ_BACK, [
      textArray(wanted.map(({ stream }) => stream)),
      int4Array(wanted.map(({ version }) => version)),
    ])
    return new Map(rows.map((row) => [keyOf(row.stream, row.version), row]))
  } catch {
    // This session was lost too; the caller tries with another.
    return undefined
  }
}

const keyOf = (stream: string, version: number): string => `${stream} ${version}`

const answersOf = (database: Database, batch: Batch, found: Found): Settled['answers'] =>
  batch.appends.map((encoded) => {
    const before = standsAfter(encoded, found)
    if (before !== undefined) return E.right(appendedAt(encoded, before, batch.ts))
    const because = `the database ${database.place}: the connection was lost before the append was done`
    return E.left({ tag: 'Unavailable', because })
  })

/** The position before the first event, if the append stands. */
const standsAfter = ({ waiting, events }: EncodedAppend, found: Found): number | undefined => {
  const rows = events.map(({ version, entry }) => {
    const row = found.get(keyOf(waiting.append.stream, version))
    return row !== undefined && row.entry.equals(entry) ? row : undefined
  })
  const [first] = rows
  const standing = rows.filter((row) => row !== undefined).length
  assert(standing === 0 || standing === events.length, 'half of an append stands')
  return first === undefined ? undefined : first.position - 1
}
