import robotsParser from 'robots-parser'
import { type HttpUrl, originOf, pathOf, robotsUrlOf } from '../kernel/url.ts'
import { LINE_OCTETS_MAX } from './record.ts'
import { FILE_OCTETS_MAX } from './octet-file.ts'
import type { RobotsReader } from './reader.ts'

type RobotsParser = {
  readonly isAllowed: (url: string, token: string) => boolean | undefined
  readonly getMatchingLineNumber: (url: string, token: string) => number
  readonly getCrawlDelay: (token: string) => number | undefined
}

// robots-parser 3.0.1 declares `export default`, but is CommonJS whose module is the function
// itself: under nodenext its own types do not describe it.
const parserOf = robotsParser as unknown as (url: string, contents: string) => RobotsParser

/** It keeps a copy of each rule for each agent of a group: so many copies are a few megabytes. */
const COPIES_MAX = 100_000
/** Its matching of one path takes octets of wildcard rules × octets of path steps. */
const MATCH_STEPS_MAX = 30_000_000

/**
 * robots-parser 3.0.1 as it is, for comparison: audits and differential tests ask what it would
 * have said. It never decides: it has known faults, and a file of 400 KB can exhaust it, so it is
 * only given files that it can take.
 */
export const secondReader: RobotsReader = {
  name: 'robots-parser',
  version: '3.0.1',
  answer: (bytes, token, url) => {
    const because = whyDeclined(bytes, url)
    if (because !== undefined) return { tag: 'Declined', because }
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
    const parser = parserOf(robotsUrlOf(originOf(url)), text)
    return {
      tag: 'Decided',
      allowed: parser.isAllowed(url, token) !== false,
      line: Math.max(0, parser.getMatchingLineNumber(url, token)),
      crawlDelayMs: millisecondsOf(parser.getCrawlDelay(token)),
    }
  },
}

const whyDeclined = (bytes: Uint8Array, url: HttpUrl): string | undefined => {
  if (bytes.length > FILE_OCTETS_MAX) return `longer than ${FILE_OCTETS_MAX} bytes`
  const octets = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  const { copies, wildcardOctets, longestLine } = costOf(octets)
  if (longestLine > LINE_OCTETS_MAX) return `a line longer than ${LINE_OCTETS_MAX} bytes`
  if (copies > COPIES_MAX) return 'agents times rules would fill its memory'
  if (wildcardOctets * pathOf(url).length > MATCH_STEPS_MAX) return 'matching would take too long'
  return undefined
}

/** What reading the file costs it, counted line by line in the order in which it reads them. */
const costOf = (
  octets: string,
): { copies: number; wildcardOctets: number; longestLine: number } => {
  const cost = { copies: 0, wildcardOctets: 0, longestLine: 0 }
  let agents = 0
  let afterAgent = false
  for (const line of octets.split(/\r\n|\r|\n/)) {
    cost.longestLine = Math.max(cost.longestLine, line.length)
    if (line.includes('*')) cost.wildcardOctets += line.length
    const [, key = ''] = /^\s*([^\s:#]+)\s*:/.exec(line) ?? []
    if (key === '') continue
    const isAgent = key.toLowerCase() === 'user-agent'
    if (isAgent) agents = afterAgent ? agents + 1 : 1
    else if (/^(?:allow|disallow|crawl-delay)$/i.test(key)) cost.copies += agents
    afterAgent = isAgent
  }
  return cost
}

/** Its numbers are whatever `Number` makes of the text, below zero and infinity included. */
const millisecondsOf = (seconds: number | undefined): number | null =>
  seconds === undefined || !Number.isFinite(seconds) || seconds < 0
    ? null
    : Math.ceil(seconds * 1_000)
