/**
 * A robots.txt written again as we read it, one kind of thing at a time. Where another reader agrees
 * about the repaired file, that kind of thing is what it reads otherwise.
 */
import { octetFile } from './octet-file.ts'
import { readLine, type RobotsLine, type RobotsRecord } from './record.ts'
import { canonicalPattern } from './octets.ts'
import { namedAgent } from './token.ts'

/** What each repair removes, in the order in which they are tried. */
export const REPAIRS = {
  bytes: 'encoding, byte-order mark or markup of the file',
  'white-space': 'white space other than space and tab, which is no white space here (§2.2)',
  'cut-lines': 'a NUL or an over-long line',
  keys: 'a misspelt key or a missing colon',
  'one-line': 'several records on one line (RC15)',
  tokens: 'text after a product token (§2.2.1)',
  'other-records': 'another record between User-agent lines or rules (§2.2.4)',
  'empty-group': 'a last group without rules (§2.1)',
  octets: 'octets that are the same in another encoding (§2.2.2, §2.2.3)',
} as const

export type Repair = keyof typeof REPAIRS

export const repaired = (bytes: Uint8Array, repairs: ReadonlySet<Repair>): Buffer => {
  const octets = repairs.has('bytes') ? octetFile(bytes).octets : asLatin1(bytes)
  const lines = octets.split(/\r\n|\r|\n/).map((line) => repairedLine(line, repairs))
  // A rule that matches nothing, so that the last group has one.
  if (repairs.has('empty-group') && endsWithAgent(lines)) lines.push('Disallow:')
  return Buffer.from(lines.join('\n'), 'latin1')
}

const asLatin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')

const repairedLine = (given: string, repairs: ReadonlySet<Repair>): string => {
  const line = repairs.has('white-space') ? withoutOddSpaces(given) : given
  const read = readLine(line)
  if (!needsRepair(read, repairs)) return line
  const [first, ...more] = read.records.map((record) => written(record, repairs))
  if (first === undefined) return ''
  return [first, ...(repairs.has('one-line') ? more : [])].join('\n')
}

/** The octets of all that is white space to JavaScript, but for space, tab and line ends. */
const ODD_SPACE =
  /[\v\f]|\xc2\xa0|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80|\xef\xbb\xbf/g

/** Encoded, it is the same octets to us, and no white space to anybody. */
const withoutOddSpaces = (line: string): string =>
  line.replace(ODD_SPACE, (space) =>
    Array.from(space, (octet) => `%${octet.charCodeAt(0).toString(16).padStart(2, '0')}`).join(''),
  )

const needsRepair = ({ records, issues }: RobotsLine, repairs: ReadonlySet<Repair>): boolean => {
  const [first] = records
  const has = (code: RobotsLine['issues'][number]): boolean => issues.includes(code)
  if (has('nul') || has('too-long')) return repairs.has('cut-lines')
  if (has('one-line')) return repairs.has('one-line')
  if (has('typo') || has('missing-colon')) return repairs.has('keys')
  switch (first?.kind) {
    case undefined:
      return false
    case 'agent':
      return repairs.has('tokens')
    case 'allow':
    case 'disallow':
      return repairs.has('octets')
    case 'crawl-delay':
    case 'sitemap':
    case 'other':
      return repairs.has('other-records')
  }
}

const KEYS = { agent: 'User-agent', allow: 'Allow', disallow: 'Disallow' } as const

/** A name no crawler has, for a line that names none. */
const NOBODY = '-'

const written = ({ kind, value }: RobotsRecord, repairs: ReadonlySet<Repair>): string => {
  switch (kind) {
    case 'agent':
      return `${KEYS[kind]}: ${repairs.has('tokens') ? namedAgent(value).name || NOBODY : value}`
    case 'allow':
    case 'disallow':
      return `${KEYS[kind]}: ${repairs.has('octets') ? canonicalValue(value) : value}`
    case 'crawl-delay':
    case 'sitemap':
    case 'other':
      return repairs.has('other-records') ? '' : `${kind}: ${value}`
  }
}

/** The pattern in canonical octets, as long as it counts: repeated stars stay. */
const canonicalValue = (value: string): string => {
  const { text, anchored, octets } = canonicalPattern(value)
  const end = anchored ? '$' : ''
  return text.replace('*', '*'.repeat(1 + octets - text.length - end.length)) + end
}

const endsWithAgent = (lines: readonly string[]): boolean => {
  const kinds = lines
    .flatMap((line) => line.split('\n'))
    .flatMap((line) => readLine(line).records.map(({ kind }) => kind))
  return kinds.findLast((kind) => ['agent', 'allow', 'disallow'].includes(kind)) === 'agent'
}
