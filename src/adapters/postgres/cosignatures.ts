/** Cosignatures on PostgreSQL. See `src/ledger/tlog/port.ts` for the promises. */
import { sql } from 'kysely'
import { E } from '../../kernel/fp.ts'
import type { Cosignature } from '../../ledger/tlog/cosignature.ts'
import type { CosignatureStore, Quorum, StoredCosignature } from '../../ledger/tlog/port.ts'
import { textArray } from './append/binary-array.ts'
import type { Database } from './database.ts'
import { reaching } from './failure.ts'

type Size = { readonly size: number }
type Row = Cosignature & { readonly note: string | null }

export const postgresCosignatures = (database: Database): CosignatureStore => {
  const reach = reaching(database)
  const { writer } = database
  return {
    add: (cosignature) =>
      reach(async () => {
        const insert = writer.insertInto('cosignature').values(cosignature)
        await insert.onConflict((conflict) => conflict.doNothing()).execute()
        return E.right(undefined)
      }),
    of: (size) =>
      reach(async () => {
        const ofSize = writer.selectFrom('cosignature').selectAll().where('size', '=', size)
        return E.right(await ofSize.orderBy('key').orderBy('time').execute())
      }),
    newestBy: (key) =>
      reach(async () => {
        const byKey = writer.selectFrom('cosignature').selectAll().where('key', '=', key)
        const newest = byKey.orderBy('size', 'desc').orderBy('time', 'desc').limit(1)
        return E.right(await newest.executeTakeFirst())
      }),
    smallest: (quorum, from) =>
      reach(async () => E.right(await smallestOf(database, quorum, from))),
    largest: (quorum, upTo) => reach(async () => E.right(await largestOf(database, quorum, upTo))),
    page: (after, limit) => reach(async () => E.right(await pageOf(database, after, limit))),
  }
}

const smallestOf = async (
  { writer }: Database,
  { keys, least }: Quorum,
  from: number,
): Promise<number | undefined> => {
  const { rows } = await sql<Size>`
    select size from cosignature where size >= ${from} and key = any(${textArray(keys)}::text[])
    group by size having count(distinct key) >= ${least} order by size limit 1`.execute(writer)
  return rows[0]?.size
}

const largestOf = async (
  { writer }: Database,
  { keys, least }: Quorum,
  { size, time }: { readonly size: number; readonly time: number },
): Promise<number | undefined> => {
  const { rows } = await sql<Size>`
    select size from cosignature
    where size <= ${size} and time <= ${time} and key = any(${textArray(keys)}::text[])
    group by size having count(distinct key) >= ${least} order by size desc limit 1`.execute(writer)
  return rows[0]?.size
}

const pageOf = async (
  { writer }: Database,
  after: Pick<Cosignature, 'size' | 'key' | 'time'>,
  limit: number,
): Promise<readonly StoredCosignature[]> => {
  const { rows } = await sql<Row>`
    select c.size, c.key, c.time, c.signature, h.note
    from cosignature c left join head h on h.size = c.size
    where (c.size, c.key, c.time) > (${after.size}, ${after.key}, ${after.time}::bigint)
    order by c.size, c.key, c.time limit ${limit}`.execute(writer)
  return rows.map((row) => ({ ...row, note: row.note ?? undefined }))
}
