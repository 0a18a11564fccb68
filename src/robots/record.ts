import type { IssueCode } from './issue.ts'

/** `other`: a record that is neither agent, rule, Crawl-delay nor Sitemap. */
export type RecordKind = 'agent' | 'allow' | 'disallow' | 'crawl-delay' | 'sitemap' | 'other'

/** One record: its value without white space around, and its text as it stands. Octets. */
export type RobotsRecord = {
  readonly kind: RecordKind
  readonly value: string
  readonly text: string
}

/** What a line says: [] for a blank line, a comment, or text that is no record. */
export type RobotsLine = {
  readonly records: readonly RobotsRecord[]
  readonly issues: readonly IssueCode[]
}

/** A line's first octets that count: as much as Google's reader takes, 8 times an old URL limit. */
export const LINE_OCTETS_MAX = 16_663

/** Keys are compared without regard to case (RFC 9309 §2.2). */
const KEYS: ReadonlyMap<string, RecordKind> = new Map<string, RecordKind>([
  ['user-agent', 'agent'],
  ['allow', 'allow'],
  ['disallow', 'disallow'],
  ['crawl-delay', 'crawl-delay'],
  ['sitemap', 'sitemap'],
])

/**
 * Misspellings that readers in wide use take for the key they mean, and some seen in real files.
 * There is none for Allow: reading a misspelt rule may forbid more, never permit more
 * (docs/decisions/0010).
 */
const TYPOS: ReadonlyMap<string, RecordKind> = new Map<string, RecordKind>([
  ['useragent', 'agent'],
  ['user agent', 'agent'],
  ['user-agents', 'agent'],
  ['user-agnet', 'agent'],
  ['useg-agent', 'agent'],
  ['ser-agent', 'agent'],
  ['dissallow', 'disallow'],
  ['dissalow', 'disallow'],
  ['disalow', 'disallow'],
  ['diasllow', 'disallow'],
  ['disallaw', 'disallow'],
  ['desallow', 'disallow'],
  ['dssalow', 'disallow'],
  ['dsallow', 'disallow'],
  ['diallow', 'disallow'],
  ['disallows', 'disallow'],
  ['dis-allow', 'disallow'],
  ['crawl delay', 'crawl-delay'],
  ['crawldelay', 'crawl-delay'],
  ['site-map', 'sitemap'],
])

/** Records others have defined. They bind nobody here, and are no mistake. */
const OTHERS: ReadonlySet<string> = new Set([
  'host',
  'clean-param',
  'content-signal',
  'content-usage',
  'noindex',
  'request-rate',
  'visit-time',
])

const NONE: readonly IssueCode[] = []
const BLANK: RobotsLine = { records: [], issues: NONE }

/** Reads one line, its line end left off. */
export const readLine = (line: string): RobotsLine => {
  const comment = line.indexOf('#')
  const whole = trimmed(comment < 0 ? line : line.slice(0, comment))
  if (whole === '') return BLANK
  const cut = cutOf(whole)
  if (cut === undefined) return recordsOf(whole)
  const { records, issues } = recordsOf(trimmed(whole.slice(0, cut.length)))
  // A rule whose end is lost still forbids what it says so far, but must not permit more.
  return {
    records: records.filter(({ kind }) => kind !== 'allow'),
    issues: [cut.code, ...issues],
  }
}

const recordsOf = (text: string): RobotsLine => {
  const line = text.includes(':') ? withColon(text) : withoutColon(text)
  const [first] = line.records
  if (first?.kind !== 'agent') return line
  const records = splitRecords(first)
  return records.length > 1 ? { records, issues: [...line.issues, 'one-line'] } : line
}

/** White space is space and tab, nothing else (RFC 9309 §2.2). */
const trimmed = (text: string): string => {
  let begin = 0
  let end = text.length
  while (begin < end && isSpace(text.charCodeAt(begin))) begin += 1
  while (end > begin && isSpace(text.charCodeAt(end - 1))) end -= 1
  return text.slice(begin, end)
}

const isSpace = (octet: number): boolean => octet === 0x20 || octet === 0x09

/** Where a line stops to count, if before its end. */
const cutOf = (text: string): { length: number; code: IssueCode } | undefined => {
  const nul = text.indexOf('\0')
  if (nul >= 0) return { length: Math.min(nul, LINE_OCTETS_MAX), code: 'nul' }
  return text.length > LINE_OCTETS_MAX ? { length: LINE_OCTETS_MAX, code: 'too-long' } : undefined
}

const withColon = (text: string): RobotsLine => {
  const colon = text.indexOf(':')
  const key = trimmed(text.slice(0, colon)).toLowerCase()
  const value = trimmed(text.slice(colon + 1))
  const { kind, issues } = kindOf(key)
  return { records: [{ kind, value, text }], issues }
}

/**
 * `Disallow /x`: only with exactly one word after the key, or prose would become rules. `Allow /x`
 * is told but not read: it would permit what the standard does not.
 */
const withoutColon = (text: string): RobotsLine => {
  const [, key = '', value = ''] = /^([^ \t]+)[ \t]+([^ \t]+)$/.exec(text) ?? []
  const { kind } = kindOf(key.toLowerCase())
  if (kind === 'other') return { records: [], issues: text === '' ? NONE : ['no-record'] }
  return { records: kind === 'allow' ? [] : [{ kind, value, text }], issues: ['missing-colon'] }
}

const kindOf = (key: string): { kind: RecordKind; issues: readonly IssueCode[] } => {
  const known = KEYS.get(key)
  if (known !== undefined) return { kind: known, issues: NONE }
  const meant = TYPOS.get(key)
  if (meant !== undefined) return { kind: meant, issues: ['typo'] }
  return { kind: 'other', issues: OTHERS.has(key) ? NONE : ['unknown-key'] }
}

const KEY_INSIDE = /(?:user-agent|disallow|allow|crawl-delay|sitemap)[ \t]*:/gi

/**
 * `User-agent: * Disallow: /` on one line is the two lines it means (RC15). Only a line that begins
 * with a User-agent record is split: in any other value the words could be part of a path.
 */
const splitRecords = (agent: RobotsRecord): readonly RobotsRecord[] => {
  const { text } = agent
  const begins = [...text.matchAll(KEY_INSIDE)]
    .map(({ index }) => index)
    .filter((index) => index > 0 && startsWord(text, index))
  if (begins.length === 0) return [agent]
  return [0, ...begins].flatMap(
    (begin, i) => withColon(trimmed(text.slice(begin, begins[i]))).records,
  )
}

/** A key starts after anything but a letter, digit, `_` or `-`, or with a capital: `/xDisallow:`. */
const startsWord = (text: string, index: number): boolean =>
  !/[A-Za-z0-9_-]/.test(text.charAt(index - 1)) ||
  (/[a-z0-9]/.test(text.charAt(index - 1)) && /[A-Z]/.test(text.charAt(index)))
