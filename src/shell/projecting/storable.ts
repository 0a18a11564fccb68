/** States and rows as every store can hold them. */
import type { Projection, Row } from '../../../projections/projection.ts'
import { canonicalJson, type Json } from '../../kernel/canonical-json.ts'

/** PostgreSQL's text and jsonb cannot hold U+0000; a host can send it inside a JSON string. */
const NUL = '\u0000'
export const storableText = (text: string): string =>
  text.includes(NUL) ? text.replaceAll(NUL, '\uFFFD') : text

const storable = (cell: Json): Json => {
  if (typeof cell === 'string') return storableText(cell)
  if (typeof cell !== 'object' || cell === null) return cell
  if (Array.isArray(cell)) return cell.map(storable)
  return Object.fromEntries(
    Object.entries(cell).map(([key, value]) => [storableText(key), storable(value)]),
  )
}

/** How a state that takes no more events stands in the table: nobody will ask for it. */
export const FINAL = 'null'

/** A state as text, and its rows as every store can hold them. */
export const stateAndRows = (
  { rowsOf, isFinal, table }: Projection,
  state: Json,
): { readonly state: string; readonly rows: readonly Row[] } => {
  const rows = rowsOf(state)
  const isLast = isFinal?.(state) === true
  const text = isLast ? FINAL : canonicalJson(state)
  // Rows say nothing that their state does not; a row's columns are its own keys, and stay.
  const clean = isLast ? !rows.some((row) => hasNul(row, table.columns)) : !text.includes('\\u0000')
  return { state: text, rows: clean ? rows : rows.map((row) => storable(row) as Row) }
}

const hasNul = (row: Row, columns: readonly string[]): boolean => {
  for (const column of columns) {
    const cell = row[column]
    if (typeof cell === 'string' && cell.includes(NUL)) return true
    if (typeof cell === 'object' && cell !== null && canonicalJson(cell).includes('\\u0000'))
      return true
  }
  return false
}

/** The rows of a state alone. */
export const rowsOfState = ({ rowsOf, table }: Projection, state: Json): readonly Row[] =>
  rowsOf(state).map((row) => (hasNul(row, table.columns) ? (storable(row) as Row) : row))
