/** Rows of a live table, with the standing they were read at. */
import { DatabaseError, type Pool } from 'pg'
import { formatPlace, parsePlace } from '../../../../projections/place.ts'
import type { RowsPage, RowsQuery, Standing } from '../../../../projections/port.ts'
import type { Cell, Projection, Row } from '../../../../projections/projection.ts'
import { assert } from '../../../kernel/assert.ts'
import type { Json } from '../../../kernel/canonical-json.ts'
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
  const { text, values } = statementOf(projection, query)
  try {
    const { rows } = await pool.query<unknown[]>({ text, values, rowMode: 'array' })
    return pageOf(projection, query.limit, rows)
  } catch (error) {
    // undefined_table, undefined_column: nothing was built yet, or an older version was.
    if (error instanceof DatabaseError && (error.code === '42P01' || error.code === '42703'))
      return NEVER_BUILT
    throw error
  }
}

const statementOf = (projection: Projection, { where = {}, between, limit, after }: RowsQuery) => {
  const values: unknown[] = [projection.name, projection.version]
  const place = (value: unknown): string => `$${values.push(value)}`
  const known = (name: string): string => {
    assert(projection.table.columns.includes(name), `${projection.name} has no column ${name}`)
    return column(name)
  }
  const conditions = Object.entries(where).map(
    ([name, value]) => `${known(name)} = ${place(value)}`,
  )
  if (between !== undefined)
    conditions.push(
      `${known(between.column)} between ${place(between.from)} and ${place(between.to)}`,
    )
  if (after !== undefined) {
    const { key, index } = parsePlace(after)
    conditions.push(`(${KEY_COLUMN}, ${INDEX_COLUMN}) > (${place(key)}, ${place(index)})`)
  }
  const order = `${KEY_COLUMN}, ${INDEX_COLUMN}`
  const columns = [KEY_COLUMN, INDEX_COLUMN, ...projection.table.columns].map(column).join(', ')
  const filter = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`
  const text = `
    select r.version, r.reader, r.generation, r.checkpoint, t.*
    from projection.registry r left join lateral (
      select ${columns} from ${tableNames(projection.name, 'live').rows}
      ${filter} order by ${order} limit ${place(limit + 1)}
    ) t on true
    where r.name = $1 and r.place = 'live' and r.version = $2
    order by t.${KEY_COLUMN}, t.${INDEX_COLUMN}`
  return { text, values }
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
  return { standing, rows: page.map((row) => rowOf(projection, row)), next }
}

const HEAD_LENGTH = 6

// The statement above puts these columns first, with these types in the tables.
const headOf = (row: readonly unknown[]): Head => row.slice(0, HEAD_LENGTH) as unknown as Head

const rowOf = (projection: Projection, row: readonly unknown[]): Row => {
  const cells = projection.table.columns.map((name, i) => [name, cellOf(row[HEAD_LENGTH + i])])
  // `position` is among the columns of every table.
  return Object.fromEntries(cells) as Row
}

/** node-pg gives a timestamptz as a Date; a cell has it as RFC 3339 text. */
export const cellOf = (value: unknown): Cell =>
  // What else the tables hold comes as text, number, boolean, null or parsed jsonb.
  value instanceof Date ? value.toISOString() : (value as Json)
