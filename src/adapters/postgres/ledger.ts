/** The ledger on PostgreSQL. See `src/ledger/port.ts` for what it promises. */
import { sql } from 'kysely'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import { E, type Either, type TaskEither } from '../../kernel/fp.ts'
import { position } from '../../kernel/position.ts'
import type { Recorded } from '../../ledger/entry.ts'
import type { Ledger, ReadAll, ReadFailure, StoredEntry, Unavailable } from '../../ledger/port.ts'
import type { StreamName } from '../../ledger/stream.ts'
import { openAppender } from './append/appender.ts'
import type { Patience } from './append/settle.ts'
import type { Database } from './database.ts'
import { unavailableBecause } from './failure.ts'
import { type EventRow, recordedRows, type Sequence } from './rows.ts'

export type PostgresLedger = Ledger & {
  /** Answers the appends that wait and ends their connection. Reading goes on working. */
  readonly close: () => Promise<void>
}

/** A page of this many events is read at once; callers go on after its last. */
const READ_MAX = 10_000

/** Opens the ledger for reading and appending. `clock` gives the times of the entries. */
export const postgresLedger =
  (
    database: Database,
    clock: Clock,
    patience?: Patience,
  ): TaskEither<Unavailable, PostgresLedger> =>
  () =>
    reaching(database, async () => {
      const appender = await openAppender(database, clock, patience)
      return E.right({
        append: (run, append, guard) => () => appender.append(run, append, guard),
        readStream: (stream, afterVersion) => () =>
          reaching(database, () => readStream(database, stream, afterVersion)),
        readAll: (query) => () => reaching(database, () => readAll(database, query)),
        readEntries: (query) => () => reaching(database, () => readEntries(database, query)),
        head: () => postgresHead(database),
        close: appender.close,
      })
    })

type Head = { readonly position: number; readonly ts: number }

/** The newest position and the time of its event; zeros in an empty ledger. */
export const postgresHead =
  (database: Database): TaskEither<Unavailable, Head> =>
  () =>
    reaching(database, async () => {
      const newest = await database.writer
        .selectFrom('event')
        .select(['position', 'ts'])
        .orderBy('position', 'desc')
        .limit(1)
        .executeTakeFirst()
      return E.right(newest ?? { position: 0, ts: 0 })
    })

const reaching = async <L, A>(
  { place }: Database,
  task: () => Promise<Either<L, A>>,
): Promise<Either<L | Unavailable, A>> => {
  try {
    return await task()
  } catch (error) {
    return E.left(unavailableBecause(place, error))
  }
}

type Events = Either<ReadFailure, readonly Recorded[]>

const columns = ['position', 'stream', 'version', 'type', 'ts', 'entry'] as const

const readStream = async (
  { writer }: Database,
  stream: StreamName,
  afterVersion: number,
): Promise<Events> => {
  const rows = await writer
    .selectFrom('event')
    .select(columns)
    .where('stream', '=', stream)
    .where('version', '>', afterVersion)
    // The order of versions is that of positions, and the one the index has.
    .orderBy('version')
    .limit(READ_MAX)
    .execute()
  return recordedRows(rows, { of: 'version', after: afterVersion })
}

const rowsOf = ({ writer }: Database, query: ReadAll): Promise<EventRow[]> => {
  assert(query.limit >= 1 && query.limit <= READ_MAX, `a page has 1 to ${READ_MAX} events`)
  const { stream, types } = query
  let rows = writer.selectFrom('event').select(columns).where('position', '>', query.after)
  if (types !== undefined) rows = rows.where(sql<boolean>`type = any(${[...types]})`)
  if (stream === undefined) return rows.orderBy('position').limit(query.limit).execute()
  return rows.where('stream', '=', stream).orderBy('version').limit(query.limit).execute()
}

/** Everything after a position has no gaps; what is picked out of it may. */
const sequenceOf = ({ after, types, stream }: ReadAll): Sequence | undefined =>
  types === undefined && stream === undefined ? { of: 'position', after } : undefined

const readAll = async (database: Database, query: ReadAll): Promise<Events> =>
  recordedRows(await rowsOf(database, query), sequenceOf(query))

/** The bytes as stored; decoded too, so that what cannot be an entry is not handed out. */
const readEntries = async (
  database: Database,
  query: ReadAll,
): Promise<Either<ReadFailure, readonly StoredEntry[]>> => {
  const rows = await rowsOf(database, query)
  const recorded = recordedRows(rows, sequenceOf(query))
  if (E.isLeft(recorded)) return recorded
  return E.right(rows.map((row) => ({ position: position(row.position), entry: row.entry })))
}
