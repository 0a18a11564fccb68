/** The two statements that append: the flush of many, and the bet of one event. */
import type { Client } from 'pg'
import { present } from '../../../kernel/assert.ts'
import { E, type Either } from '../../../kernel/fp.ts'
import type { Instant } from '../../../kernel/instant.ts'
import { position } from '../../../kernel/position.ts'
import type { Appended, Conflict, FenceLost, StreamAppend } from '../../../ledger/port.ts'
import { isUniqueViolation } from '../failure.ts'
import type { Batch, EncodedAppend } from './batch.ts'
import { byteaArray, int4Array, int8Array, textArray } from './binary-array.ts'

/** How one append of a flush came out. */
export type Verdict = Either<Conflict | FenceLost, Appended>

export type Flushed =
  | {
      readonly tag: 'Judged'
      readonly before: number
      readonly after: number
      readonly verdicts: readonly Verdict[]
    }
  /** The ledger's newest event is later than the batch; nothing was written. */
  | { readonly tag: 'Late'; readonly newest: number }

const FLUSH = {
  name: 'append-events',
  text: 'select before, newest_ts, stale, actual, lost from append_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)',
}

type Answer = {
  readonly before: number
  readonly newest_ts: number
  /** Numbers of refused appends, from 1. */
  readonly stale: readonly number[] | null
  readonly actual: readonly number[] | null
  readonly lost: readonly number[] | null
}

const argumentsOf = ({ ts, appends }: Batch, judged: readonly number[]): readonly unknown[] => {
  const all = appends.flatMap(({ events }) => events)
  return [
    ts,
    textArray(appends.map(({ waiting }) => waiting.append.stream)),
    int4Array(appends.map(({ waiting }) => waiting.append.expectedVersion)),
    textArray(appends.map(({ waiting }) => waiting.guard?.site ?? null)),
    int8Array(appends.map(({ waiting }) => waiting.guard?.fence ?? null)),
    int4Array(judged),
    int4Array(appends.flatMap(({ events }, i) => events.map(() => i + 1))),
    int4Array(all.map(({ version }) => version)),
    textArray(all.map(({ type }) => type)),
    byteaArray(all.map(({ entry }) => entry)),
    byteaArray(all.map(({ leaf }) => leaf)),
  ]
}

/** Whether the version that an append builds on is known to stand. */
export type Stands = (append: StreamAppend) => boolean

/**
 * Appends a batch in one statement: see `schema/ledger/0007-append-events.sql`. Appends for which
 * `stands` vouches are not judged; undefined if the flush was refused because of one of them.
 */
export const flush = async (
  client: Client,
  batch: Batch,
  stands: Stands,
): Promise<Flushed | undefined> => {
  const judged = batch.appends.flatMap(({ waiting: { append, guard } }, i) =>
    guard === undefined && stands(append) ? [] : [i + 1],
  )
  try {
    const values = [...argumentsOf(batch, judged)]
    const { rows } = await client.query<Answer>({ ...FLUSH, values })
    return flushedOf(batch, present(rows[0], 'append_events answers one row'))
  } catch (error) {
    if (isUniqueViolation(error) && judged.length < batch.appends.length) return undefined
    throw error
  }
}

const flushedOf = (batch: Batch, answer: Answer): Flushed => {
  if (answer.newest_ts > batch.ts) return { tag: 'Late', newest: answer.newest_ts }
  let next = answer.before
  const verdicts = batch.appends.map((encoded, i): Verdict => {
    const refusal = refusalOf(encoded, answer, i + 1)
    if (refusal !== undefined) return E.left(refusal)
    const verdict = E.right(appendedAt(encoded, next, batch.ts))
    next += encoded.events.length
    return verdict
  })
  return { tag: 'Judged', before: answer.before, after: next, verdicts }
}

const refusalOf = (
  { waiting: { append, guard } }: EncodedAppend,
  { stale, actual, lost }: Answer,
  number: number,
): Conflict | FenceLost | undefined => {
  if (guard !== undefined && lost?.includes(number) === true) return { tag: 'FenceLost', ...guard }
  const at = stale?.indexOf(number) ?? -1
  if (at < 0) return undefined
  const { stream, expectedVersion: expected } = append
  const version = present(actual?.[at], 'one version for each stale append')
  return { tag: 'Conflict', stream, expected, actual: version }
}

/** What the caller is told of an append whose first event stands after position `before`. */
export const appendedAt = (
  { waiting: { append }, events }: EncodedAppend,
  before: number,
  ts: Instant,
): Appended => ({
  positions: events.map((_, i) => position(before + i + 1)),
  version: append.expectedVersion + events.length,
  ts,
})

/** Whether a batch is one a bet can be made on. */
export const isSingle = ({ appends }: Batch): boolean =>
  appends.length === 1 && appends[0]?.events.length === 1

/** What a bet has to look at beyond what the keys of the table refuse by themselves. */
type Looking = {
  /** For the version before, unless it is certain that it is there. */
  readonly back: boolean
  /** For the claim. It stays locked until the commit, and is seen in its newest state. */
  readonly claim: boolean
}

/**
 * One event at the position after the newest that this process knows, and only there: the primary
 * key refuses it if somebody else wrote meanwhile, and the stream's key if the version is taken. So
 * it need not look where the ledger and the stream are. It takes the lock only to wait for a flush
 * that is under way instead of failing against it.
 */
const betStatement = ({ back, claim }: Looking): { name: string; text: string } => {
  const conditions = [
    ...(back ? ['exists (select from event e where e.stream = $2 and e.version = $3 - 1)'] : []),
    ...(claim
      ? [
          `exists (
            select from site_claim c
            where c.site = $8 and c.fence = $9 and c.holder is not null
            for share
          )`,
        ]
      : []),
  ]
  return {
    name: `append-bet${back ? '-back' : ''}${claim ? '-claim' : ''}`,
    text: `
      insert into event (position, stream, version, type, ts, entry, leaf)
      select $1, $2, $3::integer, $4, $5, $6, $7
      from pg_advisory_xact_lock(ledger_lock())
      ${conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`}`,
  }
}

const BETS = [false, true].map((back) =>
  [false, true].map((claim) => betStatement({ back, claim })),
)

/**
 * Bets a single event on the position after `head`; undefined if nothing was written.
 */
export const bet = async (
  client: Client,
  { ts, appends }: Batch,
  { head, stands }: { readonly head: number; readonly stands: Stands },
): Promise<Appended | undefined> => {
  const encoded = present(appends[0], 'one append')
  const { version, type, entry, leaf } = present(encoded.events[0], 'one event')
  const { append, guard } = encoded.waiting
  const place = [head + 1, append.stream, version, type, ts, entry, leaf]
  const statement = present(
    BETS[stands(append) ? 0 : 1]?.[guard === undefined ? 0 : 1],
    'a statement',
  )
  try {
    const values = guard === undefined ? place : [...place, guard.site, guard.fence]
    const { rowCount } = await client.query({ ...statement, values })
    return rowCount === 1 ? appendedAt(encoded, head, ts) : undefined
  } catch (error) {
    if (isUniqueViolation(error)) return undefined
    throw error
  }
}
