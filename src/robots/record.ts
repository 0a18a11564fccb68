import type { IssueCode } from './issue.ts'

/** `other`: a record that is neither agent, rule, Crawl-delay nor Sitemap. */
export type RecordKind = 'agent' | 'allow' | 'disallow' | 'crawl-delay' | 'sitemap' | 'other'

/**
 * One record: its value without white space around, and its text as it stands, which ends with the
 * value. Octets.
 */
export type RobotsRecord = {
  readonly kind: RecordKind
  readonly value: string
  readonly text: string
  /** Where `text` begins in its line. */
  readonly begin: number
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
  ['users-agent', 'agent'],
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
  ['disllow', 'disallow'],
  ['disallows', 'disallow'],
  ['dis-allow', 'disallow'],
  ['crawl delay', 'crawl-delay'],
  ['crawldelay', 'crawl-delay'],
  ['craw-delay', 'crawl-delay'],
  ['clawl-delay', 'crawl-delay'],
  ['crawl-deley', 'crawl-delay'],
  ['site-map', 'sitemap'],
  ['sitemaps', 'sitemap'],
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
  'robot-version',
  'comment',
])

const NONE: readonly IssueCode[] = []
const BLANK: RobotsLine = { records: [], issues: NONE }

/** Reads one line, its line end left off. */
export const readLine = (line: string): RobotsLine => {
  const comment = line.indexOf('#')
  const length = comment < 0 ? line.length : comment
  const begin = firstOctet(line, length)
  const whole = line.slice(begin, lastOctet(line, begin, length))
  if (whole === '') return BLANK
  const cut = cutOf(whole)
  if (cut === undefined) return recordsOf(whole, begin)
  const { records, issues } = recordsOf(trimmedEnd(whole.slice(0, cut.length)), begin)
  // A rule whose end is lost still forbids what it says so far, but must not permit more.
  return {
    records: records.filter(({ kind }) => kind !== 'allow'),
    issues: [cut.code, ...issues],
  }
}

const recordsOf = (text: string, begin: number): RobotsLine => {
  const colon = text.indexOf(':')
  if (colon < 0) return withoutColon(text, begin)
  const { kind, issues } = kindOf(trimmedEnd(text.slice(0, colon)).toLowerCase())
  // The first colon may belong to the value: `Sitemap https://…`.
  const uncoloned = kind === 'other' ? withoutColon(text, begin) : BLANK
  if (uncoloned.records.length > 0) return uncoloned
  const record = { kind, value: valueAfter(text, colon), text, begin }
  const records = kind === 'agent' ? splitRecords(record) : [record]
  return { records, issues: records.length > 1 ? [...issues, 'one-line'] : issues }
}

/** White space is space and tab, nothing else (RFC 9309 §2.2). */
const isSpace = (octet: number): boolean => octet === 0x20 || octet === 0x09

const firstOctet = (text: string, end: number): number => {
  let begin = 0
  while (begin < end && isSpace(text.charCodeAt(begin))) begin += 1
  return begin
}

const lastOctet = (text: string, begin: number, length: number): number => {
  let end = length
  while (end > begin && isSpace(text.charCodeAt(end - 1))) end -= 1
  return end
}

const trimmedEnd = (text: string): string => text.slice(0, lastOctet(text, 0, text.length))

const valueAfter = (text: string, colon: number): string => {
  let begin = colon + 1
  while (begin < text.length && isSpace(text.charCodeAt(begin))) begin += 1
  return text.slice(begin)
}

/** Where a line stops to count, if before its end. */
const cutOf = (text: string): { length: number; code: IssueCode } | undefined => {
  const nul = text.indexOf('\0')
  if (nul >= 0) return { length: Math.min(nul, LINE_OCTETS_MAX), code: 'nul' }
  return text.length > LINE_OCTETS_MAX ? { length: LINE_OCTETS_MAX, code: 'too-long' } : undefined
}

/**
 * `Disallow /x`: only with exactly one word after the key, or prose would become rules. `Allow /x`
 * is told but not read: it would permit what the standard does not.
 */
const withoutColon = (text: string, begin: number): RobotsLine => {
  const [, key = '', value = ''] = /^([^ \t]+)[ \t]+([^ \t]+)$/.exec(text) ?? []
  const { kind } = kindOf(key.toLowerCase())
  if (kind === 'other') return { records: [], issues: text === '' ? NONE : ['no-record'] }
  const records = kind === 'allow' ? [] : [{ kind, value, text, begin }]
  return { records, issues: ['missing-colon'] }
}

const KNOWN: ReadonlyMap<string, { kind: RecordKind; issues: readonly IssueCode[] }> = new Map([
  ...[...KEYS].map(([key, kind]) => [key, { kind, issues: NONE }] as const),
  ...[...TYPOS].map(([key, kind]) => [key, { kind, issues: ['typo'] as const }] as const),
  ...[...OTHERS].map((key) => [key, { kind: 'other', issues: NONE }] as const),
])

const UNKNOWN = { kind: 'other', issues: ['unknown-key'] } as const

const kindOf = (key: string): { kind: RecordKind; issues: readonly IssueCode[] } =>
  KNOWN.get(key) ?? UNKNOWN

const KEY_INSIDE = /(?:user-agent|disallow|allow|crawl-delay|sitemap)[ \t]*:/gi

/**
 * `User-agent: * Disallow: /` on one line is the two lines it means (RC15). Only a line that begins
 * with a User-agent record is split: in any other value the words could be part of a path.
 */
const splitRecords = (agent: RobotsRecord): readonly RobotsRecord[] => {
  const { text } = agent
  if (!agent.value.includes(':')) return [agent]
  const begins: number[] = []
  KEY_INSIDE.lastIndex = text.length - agent.value.length
  for (let found = KEY_INSIDE.exec(text); found !== null; found = KEY_INSIDE.exec(text)) {
    if (startsWord(text, found.index)) begins.push(found.index)
  }
  if (begins.length === 0) return [agent]
  return [0, ...begins].map((begin, i) => {
    const piece = trimmedEnd(text.slice(begin, begins[i]))
    const colon = piece.indexOf(':')
    const { kind } = kindOf(trimmedEnd(piece.slice(0, colon)).toLowerCase())
    return { kind, value: valueAfter(piece, colon), text: piece, begin: agent.begin + begin }
  })
}

/** A key starts after anything but a letter, digit, `_` or `-`, or with a capital: `/xDisallow:`. */
const startsWord = (text: string, index: number): boolean =>
  !/[A-Za-z0-9_-]/.test(text.charAt(index - 1)) ||
  (/[a-z0-9]/.test(text.charAt(index - 1)) && /[A-Z]/.test(text.charAt(index)))
