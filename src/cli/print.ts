/** How values look to people. Everything from outside passes through `safe` before a terminal sees it. */

/** Control characters, bidirectional overrides and lone surrogates as visible escapes. */
export const safe = (text: string): string =>
  text
    .toWellFormed()
    .replace(
      /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )

/** The same for a text of several lines, which end as they are. */
export const safeLines = (text: string): string =>
  text
    .split(/(\r?\n)/)
    .map((part, i) => (i % 2 === 1 ? part : safe(part)))
    .join('')

const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`

export type Column<R> = {
  readonly title: string
  readonly of: (row: R) => string
  readonly align?: 'right'
}

const CELL_MAX = 60

/** A plain table: columns as wide as their widest cell, the last one as wide as the line allows. */
export const table = <R>(
  rows: readonly R[],
  columns: readonly Column<R>[],
  width = 100,
): string => {
  const cells = rows.map((row) => columns.map((column) => safe(column.of(row))))
  const widths = columns.map((column, i) =>
    Math.min(CELL_MAX, Math.max(column.title.length, ...cells.map((line) => line[i]?.length ?? 0))),
  )
  const line = (texts: readonly string[]): string =>
    cut(
      texts
        .map((text, i) => pad(cut(text, widths[i] ?? 0), widths[i] ?? 0, columns[i]?.align))
        .join('  ')
        .trimEnd(),
      Math.max(width, 40),
    )
  return [line(columns.map(({ title }) => title)), ...cells.map(line)].map((l) => `${l}\n`).join('')
}

const pad = (text: string, width: number, align: 'right' | undefined): string =>
  align === 'right' ? text.padStart(width) : text.padEnd(width)

/** One JSON document for programs. */
export const document = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** One JSON object a line. */
export const line = (value: unknown): string => `${JSON.stringify(value)}\n`

/** A cell of a projection’s row as text; '' for null and for a column that is not there. */
export const cellText = (cell: unknown): string => {
  if (cell === null || cell === undefined) return ''
  return typeof cell === 'string' ? cell : JSON.stringify(cell)
}
