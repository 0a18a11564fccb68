/** The ledger on PostgreSQL. See `src/ledger/port.ts` for what it promises. */
import { sql } from 'kysely'
import { assert, present } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import { E, type Either, type TaskEither } from '../../kernel/fp.ts'
import { position } from '../../kernel/position.ts'
import type { Recorded } from '../../ledger/entry.ts'
import { type EventType, isEventType } from '../../ledger/event.ts'
import type { Ledger, ReadAll, ReadFailure, StoredEntry, Unavailable } from '../../ledger/port.ts'
import type { StreamName } from '../../ledger/stream.ts'
import { openAppender } from './append/appender.ts'
import type { Patience } from './append/settle.ts'
import { copyRows } from './copied-rows.ts'
import type { Database } from './database.ts'
import { unavailableBecause } from './failure.ts'
import { follow } from './follow.ts'
import { type Head, newest } from './newest.ts'
import { type EventRow, recordedRows, recorder, type Sequence } from './rows.ts'

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
        ...postgresReading(database),
        append: (run, append, guard) => () => appender.append(run, append, guard),
        close: appender.close,
      })
    })

/** The ledger for who never appends. */
export const postgresReading = (database: Database): Omit<Ledger, 'append'> => ({
  readStream: (stream, afterVersion) => () =>
    reaching(database, () => readStream(database, stream, afterVersion)),
  readAll: (query) => () => reaching(database, () => readAll(database, query)),
  follow: (query) => follow(database, query),
  readEntries: (query) => () => reaching(database, () => readEntries(database, query)),
  head: () => postgresHead(database),
  readAt: (positions) => () => reaching(database, () => readAt(database, positions)),
  positionAt: (ts) => () => reaching(database, async () => E.right(await positionAt(database, ts))),
})

export const postgresHead =
  (database: Database): TaskEither<Unavailable, Head> =>
  () =>
    reaching(database, async () => E.right(await newest(database)))

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

type Take = (row: EventRow) => void

const takeRows = async (database: Database, query: ReadAll, take: Take): Promise<void> => {
  const { after, limit, types, stream } = query
  assert(limit >= 1 && limit <= READ_MAX, `a page has 1 to ${READ_MAX} events`)
  assert(Number.isSafeInteger(after), `not a position to read after: ${after}`)
  if (stream !== undefined) return takeStreamRows(database, { ...query, stream }, take)
  if (types !== undefined) return takeTypeRows(database, { ...query, types }, take)
  const rest = `where position > ${after} order by position limit ${limit}`
  return copyRows(database.projector, rest, take)
}

const takeStreamRows = async (
  { writer }: Database,
  { stream, after, limit, types }: ReadAll & { readonly stream: StreamName },
  take: Take,
): Promise<void> => {
  let rows = writer.selectFrom('event').select(columns)
  rows = rows.where('stream', '=', stream).where('position', '>', after)
  if (types !== undefined) rows = rows.where(sql<boolean>`type = any(${[...types]})`)
  for (const row of await rows.orderBy('version').limit(limit).execute()) take(row)
}

/** A search for types goes along the positions in steps of at most so many. */
const STEP_MAX = 65_536

/**
 * In steps, because a server without statistics that is asked for the next events of some types may
 * sort all the rest of the ledger to find them, for every page again.
 */
const takeTypeRows = async (
  database: Database,
  { after, limit, types }: ReadAll & { readonly types: readonly EventType[] },
  take: Take,
): Promise<void> => {
  const wanted = types.filter(isEventType).map((type) => `'${type}'`)
  if (wanted.length === 0) return
  let found = 0
  let from = after
  for (let step = limit * 2; ; step = Math.min(step * 2, STEP_MAX)) {
    const to = from + step
    const span = `position > ${from} and position <= ${to} and type in (${wanted.join(', ')})`
    const rest = `where ${span} order by position limit ${limit - found}`
    await copyRows(database.projector, rest, (row) => {
      found += 1
      take(row)
    })
    if (found === limit || (await newest(database)).position <= to) return
    from = to
  }
}

/** Everything after a position has no gaps; what is picked out of it may. */
const sequenceOf = ({ after, types, stream }: ReadAll): Sequence | undefined =>
  types === undefined && stream === undefined ? { of: 'position', after } : undefined

const readAll = async (database: Database, query: ReadAll): Promise<Events> => {
  const { take, recorded } = recorder(sequenceOf(query))
  await takeRows(database, query, take)
  return recorded()
}

const readAt = async (database: Database, positions: readonly number[]): Promise<Events> => {
  assert(positions.length <= READ_MAX, `at most ${READ_MAX} events at a time`)
  assert(positions.every(Number.isSafeInteger), 'positions are integers')
  if (positions.length === 0) return E.right([])
  const { take, recorded } = recorder(undefined)
  const rest = `where position = any('{${positions.join(',')}}') order by position`
  await copyRows(database.projector, rest, take)
  return recorded()
}

/**
 * Times never decrease along positions, which have no gaps: halving finds it in as many looks at the
 * primary key as the head has bits. An index on the time would cost every append.
 */
const positionAt = async ({ projector }: Database, ts: number): Promise<number> => {
  const { rows } = await projector.query<{ readonly position: number }>(
    `with recursive halving (low, high) as (
       select 0::bigint, coalesce(max(position), 0) from event
       union all
       select case when e.ts <= $1 then e.position else low end,
         case when e.ts <= $1 then high else e.position - 1 end
       from halving join event e on e.position = (low + high + 1) / 2
       where low < high
     )
     select low as position from halving where low = high`,
    [ts],
  )
  return present(rows[0], 'halving comes to an end').position
}

/** The bytes as stored; decoded too, so that what cannot be an entry is not handed out. */
const readEntries = async (
  database: Database,
  query: ReadAll,
): Promise<Either<ReadFailure, readonly StoredEntry[]>> => {
  const { take, recorded } = recorder(sequenceOf(query))
  const entries: StoredEntry[] = []
  await takeRows(database, query, (row) => {
    take(row)
    entries.push({ position: position(row.position), entry: Buffer.from(row.entry) })
  })
  return E.map(() => entries)(recorded())
}
