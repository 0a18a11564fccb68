import { safe } from './print.ts'

/** RFC 4180; a text that a spreadsheet would take for a formula is marked as text. */
export const csvCell = (value: string | number | null): string => {
  const text = safe(String(value ?? ''))
  const marked = /^[=+\-@]/.test(text) && typeof value === 'string' ? `'${text}` : text
  return /[",\s]/.test(marked) ? `"${marked.replaceAll('"', '""')}"` : marked
}

export const csvLine = (values: readonly (string | number | null)[]): string =>
  `${values.map(csvCell).join(',')}\n`
