/** Which of the known crawlers a robots.txt keeps from the homepage, by RFC 9309. */
import { decodeBody } from '../../capture/decode-body.ts'
import { E } from '../../kernel/fp.ts'
import type { HttpUrl } from '../../kernel/url.ts'
import { parseHttpUrl } from '../../kernel/url.ts'
import { decideRobots, type RobotsVerdict } from '../../robots/decide.ts'
import { readRobots, type RobotsFile } from '../../robots/read.ts'
import { ROBOTS_READER_LABEL } from '../../robots/reader.ts'
import type { Capture, Reader } from '../reader.ts'
import { type Crawler, CRAWLERS, CRAWLERS_VERSION } from './crawlers.ts'

/** `state` unread: the bytes cannot be had, or were cut off, and nothing is said of anybody. */
export type CrawlerAccessReading = {
  readonly state: 'read' | 'unread'
  /** The version of the list of crawlers, and the reader of robots.txt that decided. */
  readonly crawlers: number
  readonly robots: string
  readonly blocked: readonly {
    readonly token: string
    readonly trade: string
    readonly line: number
    readonly rule: string
  }[]
}

/** RFC 9309 §2.5 asks for 500 KiB at least; the reader cuts by itself. */
const DECODED_BYTES_MAX = 8_388_608
const RULE_SHOWN_MAX = 200

const by = { crawlers: CRAWLERS_VERSION, robots: ROBOTS_READER_LABEL }
const UNREAD: CrawlerAccessReading = { state: 'unread', ...by, blocked: [] }

export const readCrawlerAccess = (capture: Omit<Capture, 'token'>): CrawlerAccessReading => {
  const body = decodeBody(capture.body, capture.headers, DECODED_BYTES_MAX)
  const page = parseHttpUrl(new URL('/', capture.target).href)
  if (capture.truncated || E.isLeft(body) || E.isLeft(page)) return UNREAD
  const file = readRobots(body.right)
  // What stands beyond the cut may say the contrary.
  if (file.truncated) return UNREAD
  const blocked = CRAWLERS.flatMap((crawler) => blockedBy(file, crawler, page.right))
  return { state: 'read', ...by, blocked }
}

const blockedBy = (
  file: RobotsFile,
  crawler: Crawler,
  page: HttpUrl,
): CrawlerAccessReading['blocked'] => {
  const { token, trade } = crawler
  const ruling = rulingFor(file, crawler, page)
  if (ruling === undefined || ruling.allowed) return []
  const { line = 0, text = '' } = ruling.rule ?? {}
  return [{ token, trade, line, rule: text.slice(0, RULE_SHOWN_MAX) }]
}

/** By the group of its own name, else of a name it also goes by, else of everybody. */
const rulingFor = (
  file: RobotsFile,
  { token, alsoNamed = [], ignoresEverybody }: Crawler,
  page: HttpUrl,
): RobotsVerdict | undefined => {
  const rulings = [token, ...alsoNamed].map((name) => decideRobots(file, name, page))
  const named = rulings.find(({ group }) => group.some((name) => name !== '*'))
  return named ?? (ignoresEverybody === true ? undefined : rulings[0])
}

/** The version rises with the list, with the reader of robots.txt, and with this file. */
export const CRAWLER_ACCESS_READER: Reader = {
  name: 'crawler-access',
  version: 1,
  read: readCrawlerAccess,
}
