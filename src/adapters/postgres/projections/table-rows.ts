/** The rows of one table as they stand, with the columns it was made with. */
import { DatabaseError, type Pool } from 'pg'
import type { Place } from '../../../../projections/place.ts'
import type { Overtaken, Standing, TablePage, TableRow } from '../../../../projections/port.ts'
import { E, type Either } from '../../../kernel/fp.ts'
import { cellOf } from './rows.ts'
import { overtaken } from './standing.ts'
import { INDEX_COLUMN, KEY_COLUMN, tableNames } from './tables.ts'

type Columns = { readonly [column: string]: unknown }

/**
 * One statement with the registry's row in it, so that a table that moved or was replaced is told
 * from one that has no more rows.
 */
export const readTable = async (
  pool: Pool,
  { projection, place, generation, checkpoint }: Standing,
  { after, limit }: { readonly after: Place; readonly limit: number },
): Promise<Either<Overtaken, TablePage>> => {
  try {
    const { rows } = await pool.query<Columns>(
      `select t.* from projection.registry r left join lateral (
         select * from ${tableNames(projection, place).rows}
         where (${KEY_COLUMN}, ${INDEX_COLUMN}) > ($5, $6)
         order by ${KEY_COLUMN}, ${INDEX_COLUMN} limit $7
       ) t on true
       where r.name = $1 and r.place = $2 and r.generation = $3 and r.checkpoint = $4
       order by t.${KEY_COLUMN}, t.${INDEX_COLUMN}`,
      [projection, place, generation, checkpoint, after.key, after.index, limit + 1],
    )
    if (rows.length === 0) return overtaken(projection)
    const found = rows.flatMap(placed)
    return E.right({ rows: found.slice(0, limit), last: found.length <= limit })
  } catch (error) {
    // undefined_table: replaced by a swap just now.
    if (error instanceof DatabaseError && error.code === '42P01') return overtaken(projection)
    throw error
  }
}

/** A standing without rows comes as one row of nulls. */
const placed = (columns: Columns): TablePage['rows'] => {
  const { [KEY_COLUMN]: key, [INDEX_COLUMN]: index, ...cells } = columns
  if (typeof key !== 'string' || typeof index !== 'number') return []
  const row: TableRow = Object.fromEntries(
    Object.entries(cells).map(([name, value]) => [name, cellOf(value)]),
  )
  return [{ place: { key, index }, row }]
}
