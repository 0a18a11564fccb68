/** The tree and its signed heads on PostgreSQL. See `src/ledger/tlog/port.ts` for the promises. */
import { sql, type Transaction } from 'kysely'
import { assert, present } from '../../kernel/assert.ts'
import { E, type Either } from '../../kernel/fp.ts'
import type { IntegrityBreach, ReadFailure } from '../../ledger/port.ts'
import type { AddHead, StoredLeaf, TreeStore } from '../../ledger/tlog/port.ts'
import { TILE_WIDTH } from '../../ledger/tlog/tile.ts'
import { byteaArray, int4Array, int8Array } from './append/binary-array.ts'
import type { Database, Tables } from './database.ts'
import { reaching } from './failure.ts'
import { recordedRows } from './rows.ts'

const LEAVES_MAX = 65_536
const READ_MAX = 10_000
/** Any fixed number: who seals takes turns, over all processes. Appends do not wait for it. */
const SEAL_LOCK = 7_234_019_283_402

export const postgresTree = (database: Database): TreeStore => {
  const reach = reaching(database)
  return {
    leaves: (from, to) => reach(() => leavesOf(database, from, to)),
    hashes: (level, from, to) => reach(() => hashesOf(database, { level, from, to })),
    stored: (after, limit) => reach(() => storedOf(database, after, limit)),
    newest: () => reach(async () => E.right(await heads(database).executeTakeFirst())),
    newestUpTo: (size) =>
      reach(async () =>
        E.right(await heads(database).where('size', '<=', size).executeTakeFirst()),
      ),
    after: (size, limit) =>
      reach(async () => {
        const { writer } = database
        const larger = writer.selectFrom('head').selectAll().where('size', '>', size)
        return E.right(await larger.orderBy('size').limit(limit).execute())
      }),
    exclusively: (task) =>
      reach(() =>
        database.writer.transaction().execute(async (transaction) => {
          await sql`select pg_advisory_xact_lock(${SEAL_LOCK})`.execute(transaction)
          return E.right(await task(adding(database, transaction)))
        }),
      ),
  }
}

const heads = ({ writer }: Database) =>
  writer.selectFrom('head').selectAll().orderBy('size', 'desc').limit(1)

const breach = (position: number, because: string): Either<IntegrityBreach, never> =>
  E.left({ tag: 'IntegrityBreach', position, because })

type Leaves = {
  readonly count: number
  readonly altered: number | null
  readonly leaves: Buffer | null
}

/** The server hashes the entries where they lie: they need not travel, and are not taken on trust. */
const leavesOf = async (
  { writer }: Database,
  from: number,
  to: number,
): Promise<Either<ReadFailure, Buffer>> => {
  assert(from <= to && to - from <= LEAVES_MAX, `at most ${LEAVES_MAX} leaves at once`)
  const { rows } = await sql<Leaves>`
    select count(*)::int as count,
      min(position) filter (where leaf <> made) as altered,
      string_agg(made, ''::bytea order by position) as leaves
    from (
      select position, leaf, sha256('\\x00'::bytea || entry) as made from event
      where position > ${from} and position <= ${to}
    ) e`.execute(writer)
  const { count, altered, leaves } = present(rows[0], 'one row')
  if (altered !== null) return breach(altered, 'the entry does not fit its leaf hash')
  if (count === to - from) return E.right(leaves ?? Buffer.alloc(0))
  const missing = await sql<{ readonly position: number }>`
    select position from generate_series(${from}::bigint + 1, ${to}::bigint) as s(position)
    where not exists (select from event e where e.position = s.position) order by 1 limit 1`.execute(
    writer,
  )
  return breach(missing.rows[0]?.position ?? from + 1, 'the event is missing')
}

type Run = { readonly level: number; readonly from: number; readonly to: number }

const hashesOf = async (
  { writer }: Database,
  { level, from, to }: Run,
): Promise<Either<ReadFailure, Buffer>> => {
  const rows = await writer
    .selectFrom('tree_hash')
    .select(['index', 'hash'])
    .where('level', '=', level)
    .where('index', '>=', from)
    .where('index', '<', to)
    .orderBy('index')
    .execute()
  const missing = rows.findIndex(({ index }, i) => index !== from + i)
  if (missing < 0 && rows.length === to - from)
    return E.right(Buffer.concat(rows.map(({ hash }) => hash)))
  const index = from + (missing < 0 ? rows.length : missing)
  return breach(index * TILE_WIDTH ** level + 1, `hash ${index} of level ${level} is missing`)
}

const storedOf = async (
  { writer }: Database,
  after: number,
  limit: number,
): Promise<Either<ReadFailure, readonly StoredLeaf[]>> => {
  assert(limit >= 1 && limit <= READ_MAX, `a page has 1 to ${READ_MAX} events`)
  const rows = await writer
    .selectFrom('event')
    .selectAll()
    .where('position', '>', after)
    .orderBy('position')
    .limit(limit)
    .execute()
  const recorded = recordedRows(rows, { of: 'position', after })
  if (E.isLeft(recorded)) return recorded
  return E.right(
    recorded.right.map((event, i) => {
      const { entry, leaf } = present(rows[i], 'an event of each row')
      return { position: event.position, entry, leaf, recorded: event }
    }),
  )
}

const adding =
  (database: Database, transaction: Transaction<Tables>): AddHead =>
  (head, hashes) =>
    reaching(database)(async () => {
      if (hashes.length > 0)
        await sql`
          insert into tree_hash (level, index, hash)
          select * from unnest(
            ${int4Array(hashes.map(({ level }) => level))}::integer[],
            ${int8Array(hashes.map(({ index }) => index))}::bigint[],
            ${byteaArray(hashes.map(({ hash }) => hash))}::bytea[]
          )`.execute(transaction)
      await transaction.insertInto('head').values(head).execute()
      return E.right(undefined)
    })
