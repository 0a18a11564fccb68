/** Comma-separated values (RFC 4180) that no spreadsheet takes for formulas. */
import { cellText, safe } from '../print.ts'

/** What a spreadsheet would compute instead of show. */
const STARTS_FORMULA = /^[=+\-@\t\r]/

const field = (cell: unknown): string => {
  const text = safe(cellText(cell))
  const harmless = typeof cell === 'string' && STARTS_FORMULA.test(text) ? `'${text}` : text
  return `"${harmless.replaceAll('"', '""')}"`
}

export const csvLine = (cells: readonly unknown[]): string => `${cells.map(field).join(',')}\r\n`
