import type { AdsTxtFaultCode } from './fault.ts'
import { readRecord, type RecordReading } from './record.ts'
import { readVariable, type AdsTxtContext, type VariableReading } from './variable.ts'

/** What one line holds. Nothing at all for blank lines and comments. */
export type LineReading = {
  readonly record: RecordReading['fields']
  readonly variable: VariableReading['variable']
  readonly faults: readonly AdsTxtFaultCode[]
}

const NOTHING: LineReading = { record: undefined, variable: undefined, faults: [] }
const faulty = (code: AdsTxtFaultCode): LineReading => ({ ...NOTHING, faults: [code] })

/** Beyond this many characters a line is cut: it must not cost more than a file of good lines. */
const LINE_LENGTH_MAX = 16_384

/** Zero-width, bidirectional and control characters that nobody sees in an editor. */
const INVISIBLE =
  /[\u0000-\u0008\u000e-\u001f\u007f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g
/** White space that is neither a blank nor a tab. */
const ODD_SPACE = /[\u000b\u000c\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/g
const FULL_WIDTH = /[\uff01-\uff5e\u3001\u3002]/
const DOUBLE_QUOTE = /["\u201c\u201d\u201e\u201f\u00ab\u00bb]/
const SINGLE_QUOTED = /(?:^|,)\s*['\u2018\u2019\u201a\u2039`]|['\u2018\u2019\u203a`]\s*(?:,|$)/
const OTHER_COMMENT = /^(?:\/\/|--|\/\*|\*\/|;|<!--|-->)/

/** Reads one line as it stands in the file, comment and all (ads.txt 1.1 §3.4, §3.5). */
export const readLine = (line: string, context: AdsTxtContext): LineReading => {
  const hash = line.indexOf('#')
  const whole = hash < 0 ? line : line.slice(0, hash)
  const cut = whole.length > LINE_LENGTH_MAX
  const plain = plainText(cut ? whole.slice(0, LINE_LENGTH_MAX).toWellFormed() : whole)
  if (plain.content === '') return NOTHING
  const reading = readContent(plain.content, context)
  const faults = [...(cut ? (['L_LINE_TOO_LONG'] as const) : []), ...plain.faults]
  if (faults.length === 0) return reading
  return {
    record: reading.record === undefined ? undefined : { ...reading.record, basis: 'lenient' },
    variable: reading.variable,
    faults: [...faults, ...reading.faults],
  }
}

/** The line as a person sees it, and what was taken out to get there. */
const plainText = (
  line: string,
): { readonly content: string; readonly faults: readonly AdsTxtFaultCode[] } => {
  const seen = line.replace(INVISIBLE, '')
  const spaced = seen.replace(ODD_SPACE, ' ')
  return {
    content: spaced.trim(),
    faults: [
      ...(seen.length < line.length ? (['L_INVISIBLE'] as const) : []),
      ...(spaced === seen ? [] : (['L_ODD_SPACE'] as const)),
    ],
  }
}

const readContent = (content: string, context: AdsTxtContext): LineReading => {
  if (OTHER_COMMENT.test(content)) return faulty('L_COMMENT_MARKER')
  const variable = readVariable(content, context)
  if (variable !== undefined) return { ...NOTHING, ...variable }
  if (DOUBLE_QUOTE.test(content)) return faulty('L_QUOTES')
  if (content.includes(',') && SINGLE_QUOTED.test(content)) return faulty('L_QUOTES')
  if (FULL_WIDTH.test(content)) return faulty('L_FULLWIDTH')
  const { fields, faults } = readRecord(content)
  return { record: fields, variable: undefined, faults }
}
