/** Rows of a live table, with the standing they were read at. */
import { type ClientBase, DatabaseError, type Pool } from 'pg'
import { formatPlace } from '../../../../projections/place.ts'
import type { RowsPage, RowsQuery, Standing } from '../../../../projections/port.ts'
import type { Cell, Projection, Row } from '../../../../projections/projection.ts'
import { assert } from '../../../kernel/assert.ts'
import type { Json } from '../../../kernel/canonical-json.ts'
import { rowsStatement } from './rows-statement.ts'
import { column, INDEX_COLUMN, KEY_COLUMN, tableNames } from './tables.ts'

export const ROWS_MAX = 10_000

const NEVER_BUILT: RowsPage = { standing: undefined, rows: [], next: undefined }

/** What comes before the projection's own columns in each row of the answer. */
type Head = readonly [
  version: number,
  reader: string | null,
  generation: number,
  checkpoint: number,
  key: string | null,
  index: number | null,
]

/**
 * One statement, so that rows and standing are of one snapshot. The snapshot is taken after the
 * locks, so that a swap that is waited for is seen whole.
 */
export const readRows = async (
  pool: Pool,
  projection: Projection,
  query: RowsQuery,
): Promise<RowsPage> => {
  assert(query.limit >= 1 && query.limit <= ROWS_MAX, `1 to ${ROWS_MAX} rows, not ${query.limit}`)
  const { text, values } = rowsStatement(projection, query)
  try {
    const { rows } = await pool.query<unknown[]>({ text, values, rowMode: 'array' })
    const page = pageOf(projection, query.limit, rows)
    return query.nearest === undefined ? page : { ...page, next: undefined }
  } catch (error) {
    // undefined_table, undefined_column: nothing was built yet, or an older version was.
    if (error instanceof DatabaseError && (error.code === '42P01' || error.code === '42703'))
      return NEVER_BUILT
    throw error
  }
}

/** All rows of these keys. */
export const keyedRows = async (
  client: Pick<ClientBase, 'query'>,
  projection: Projection,
  keys: readonly string[],
): Promise<ReadonlyMap<string, readonly Row[]>> => {
  const found = new Map<string, Row[]>()
  if (keys.length === 0) return found
  const { rows } = await client.query<unknown[]>({
    text: `select ${KEY_COLUMN}, ${projection.table.columns.map(column).join(', ')}
      from ${tableNames(projection.name, 'live').rows} where ${KEY_COLUMN} = any($1)
      order by ${KEY_COLUMN}, ${INDEX_COLUMN}`,
    values: [keys],
    rowMode: 'array',
  })
  for (const [key, ...cells] of rows) {
    assert(typeof key === 'string', 'a key is a text')
    const row = rowOf(projection, cells)
    const before = found.get(key)
    if (before === undefined) found.set(key, [row])
    else before.push(row)
  }
  return found
}

const pageOf = (
  projection: Projection,
  limit: number,
  answer: readonly (readonly unknown[])[],
): RowsPage => {
  const [first] = answer
  if (first === undefined) return NEVER_BUILT
  const [version, reader, generation, checkpoint] = headOf(first)
  const standing: Standing = {
    projection: projection.name,
    place: 'live',
    version,
    reader,
    generation,
    checkpoint,
  }
  // A standing without rows comes as one row of nulls.
  const found = answer.filter((row) => headOf(row)[4] !== null)
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const [, , , , key, index] = last === undefined ? [] : headOf(last)
  const more = found.length > limit && typeof key === 'string' && typeof index === 'number'
  const next = more ? formatPlace({ key, index }) : undefined
  return { standing, rows: page.map((row) => rowOf(projection, row.slice(HEAD_LENGTH))), next }
}

const HEAD_LENGTH = 6

// The statement above puts these columns first, with these types in the tables.
const headOf = (row: readonly unknown[]): Head => row.slice(0, HEAD_LENGTH) as unknown as Head

const rowOf = ({ table }: Projection, cells: readonly unknown[]): Row =>
  // `position` is among the columns of every table.
  Object.fromEntries(table.columns.map((name, i) => [name, cellOf(cells[i])])) as Row

/** node-pg gives a timestamptz as a Date; a cell has it as RFC 3339 text. */
export const cellOf = (value: unknown): Cell =>
  // What else the tables hold comes as text, number, boolean, null or parsed jsonb.
  value instanceof Date ? value.toISOString() : (value as Json)
