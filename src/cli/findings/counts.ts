/** Counts over the whole market, a line a night (PR17). */
import { marketDay } from '../../../projections/index.ts'
import type { Row } from '../../../projections/projection.ts'
import type { Opened } from '../../compose.ts'
import { formatInstant } from '../../kernel/instant.ts'
import { catchUp } from '../../shell/projecting/catch-up.ts'
import { type FindingFilter, findingsOf } from '../../shell/projecting/findings.ts'
import { orHalt } from '../../shell/halt.ts'
import type { Io } from '../command.ts'
import { cellText, document, line, safe } from '../print.ts'
import { pagesOf } from '../state.ts'
import { csvLine } from './csv.ts'

type Form = { readonly json?: boolean; readonly jsonl?: boolean; readonly csv?: boolean }

/** Rows of market-day with one more column: how many findings of each kind the night gave. */
export const printCounts = async (
  io: Io,
  opened: Opened,
  filter: FindingFilter,
  { json, jsonl, csv }: Form,
): Promise<void> => {
  await orHalt(catchUp(opened)(marketDay))
  const byNight = Map.groupBy(await findingsOf(opened, filter), nightOf)
  const nights: Row[] = []
  for await (const rows of pagesOf(opened, marketDay, {}))
    for (const row of rows.filter((one) => isWithin(one, filter)))
      nights.push({ ...row, findings: countsOf(byNight.get(nightOf(row)) ?? []) })
  const columns = [...marketDay.table.columns, 'findings']
  if (json === true) return io.out(document(nights))
  if (jsonl === true) return io.out(nights.map(line).join(''))
  if (csv === true)
    return io.out(
      csvLine(columns) + nights.map((row) => csvLine(columns.map((one) => row[one]))).join(''),
    )
  await io.out(nights.length === 0 ? 'no night yet\n' : nights.map(inWords).join(''))
}

/** A night has the date of its start. */
const isWithin = (row: Row, { since, until }: FindingFilter): boolean => {
  const night = cellText(row['night'])
  if (since !== undefined && night < formatInstant(since).slice(0, 10)) return false
  return until === undefined || night <= formatInstant(until).slice(0, 10)
}

const nightOf = (row: Row): string => `${cellText(row['night'])} ${cellText(row['programme'])}`

const countsOf = (findings: readonly Row[]): { readonly [kind: string]: number } => {
  const byKind = Map.groupBy(findings, (row) => cellText(row['kind']))
  return Object.fromEntries([...byKind].map(([kind, rows]) => [kind, rows.length]))
}

const LINES = ['robots', 'ads_txt', 'homepages', 'managers', 'exchanges', 'findings'] as const

const inWords = (night: Row): string => {
  const head = `${safe(nightOf(night))}: ${cellText(night['sites'])} sites asked\n`
  return head + LINES.map((column) => countsLine(column, night[column])).join('')
}

const countsLine = (title: string, cell: unknown): string => {
  const counts = typeof cell === 'object' && cell !== null ? Object.entries(cell) : []
  const words = counts
    .sort(([, a], [, b]) => Number(b) - Number(a))
    .map(([word, count]) => `${safe(word)} ${String(count)}`)
  return words.length === 0 ? '' : `  ${title.padEnd(10)} ${words.join(', ')}\n`
}
