/** How differences between two readers of robots.txt look, one by one as they are found. */
import type { Difference, RobotsAuditTotals } from '../../audit/robots-audit.ts'
import { formatInstant } from '../../kernel/instant.ts'
import type { Reach } from '../../shell/auditing/audit.ts'
import type { Io } from '../command.ts'
import { csvLine } from '../csv.ts'
import { line, safe } from '../print.ts'

export type Form = 'text' | 'json' | 'jsonl' | 'csv'

type Ended = Reach & { readonly totals: RobotsAuditTotals }

export type DifferenceWriter = {
  readonly begin: () => Promise<void>
  readonly write: (difference: Difference) => Promise<void>
  readonly end: (ended: Ended) => Promise<void>
}

export const differenceWriter = (io: Io, reader: string, form: Form): DifferenceWriter => {
  switch (form) {
    case 'json':
      return jsonWriter(io, reader)
    case 'jsonl':
      return {
        begin: async () => undefined,
        write: (found) => io.out(line(valueOf(found))),
        end: async () => undefined,
      }
    case 'csv':
      return {
        begin: () => io.out(csvLine(COLUMNS.map(([name]) => name))),
        write: (found) => io.out(csvLine(COLUMNS.map(([, of]) => of(found)))),
        end: async () => undefined,
      }
    case 'text':
      return {
        begin: async () => undefined,
        write: (found) => io.out(sentence(found, reader)),
        end: ({ totals }) => io.out(summary(totals, reader)),
      }
  }
}

const valueOf = (found: Difference) => ({ ...found, at: formatInstant(found.at) })

/** One document, written as it grows: a long history may differ in many places. */
const jsonWriter = ({ out }: Io, reader: string): DifferenceWriter => {
  let before = ''
  return {
    begin: () => out(`{"reader":${JSON.stringify(reader)},"differences":[`),
    write: (found) => {
      const text = `${before}\n${JSON.stringify(valueOf(found))}`
      before = ','
      return out(text)
    },
    end: ({ position, interrupted, totals }) =>
      out(`\n],${JSON.stringify({ position, interrupted, totals }).slice(1)}\n`),
  }
}

const COLUMNS: readonly (readonly [string, (found: Difference) => string | number | null])[] = [
  ['position', ({ position }) => position],
  ['at', ({ at }) => formatInstant(at)],
  ['programme', ({ programme }) => programme],
  ['night', ({ night }) => night],
  ['purpose', ({ purpose }) => purpose],
  ['url', ({ url }) => url],
  ['sent', ({ sent }) => String(sent)],
  ['verdict', ({ decided }) => decided.verdict],
  ['basis', ({ decided }) => decided.basis],
  ['line', ({ decided }) => decided.line],
  ['rule', ({ decided }) => decided.rule],
  ['reader', ({ decided }) => decided.reader],
  ['robots', ({ decided }) => decided.robots],
  ['other_verdict', ({ other }) => other.verdict],
  ['other_line', ({ other }) => other.line],
  ['cause', ({ cause }) => cause],
  ['kinds', ({ kinds }) => kinds.join(' ')],
]

const sentence = (found: Difference, reader: string): string => {
  const { position, at, url, sent, decided, other, cause, kinds } = found
  const by = decided.line === null ? decided.basis : `line ${decided.line}: ${decided.rule}`
  const said =
    other.verdict === 'unread'
      ? 'no robots.txt of its origin had been read'
      : `${reader} says ${other.verdict}${other.line === null ? '' : ` (line ${other.line})`}`
  const kind = kinds.length === 0 ? '' : ` [${kinds.join(', ')}]`
  return `${safe(`${position}  ${formatInstant(at)}  ${url}`)}
  ${safe(`${sent ? 'sent' : 'withheld'}, decided ${decided.verdict} by ${decided.reader} (${by}); ${said}; ${cause}${kind}`)}
`
}

const summary = (totals: RobotsAuditTotals, reader: string): string => {
  const causes = Object.entries(totals.causes)
    .filter(([, count]) => count > 0)
    .map(([cause, count]) => `  ${cause} ${count}\n`)
  return [
    `${totals.judged} decided again by ${reader}: ${totals.wouldRefuse} sent that it would have refused, ${totals.wouldAllow} withheld that it would have allowed\n`,
    ...causes,
    ...(totals.declined > 0 ? [`  ${totals.declined} files it cannot take\n`] : []),
    ...(totals.gone > 0 ? [`  ${totals.gone} kept files are gone\n`] : []),
  ].join('')
}
