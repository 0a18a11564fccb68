/** When an address was asked last, and how that ended: a part of what a programme knows of a site. */
import type { Digest } from '../kernel/digest.ts'
import type { Instant } from '../kernel/instant.ts'
import type { Position } from '../kernel/position.ts'
import { clip } from '../kernel/text.ts'
import type { HttpUrl } from '../kernel/url.ts'
import type { Header } from '../kernel/words.ts'
import type { Recorded } from '../ledger/entry.ts'
import type { ClosingEvent, EventOf } from '../ledger/event.ts'
import { type AttemptEnd, saidNo } from './retry.ts'

export type Asked = {
  readonly night: string
  readonly at: Instant
  readonly request: Position
  readonly run: string
  readonly attempt: number
  /** null while it is open, and for ever where the process died. */
  readonly end: AttemptEnd | null
  readonly answer: Answer | null
  /** Every attempt so far, this one included, ended with a connection closed unanswered. */
  readonly alwaysClosed: boolean
}

export type Answer = {
  readonly status: number
  readonly headers: readonly Header[]
  readonly commit: Digest | null
  readonly truncated: boolean
}

/** By address, newest last: one of each run, since a page may be in the lists of several jobs. */
export type AskedMap = ReadonlyMap<HttpUrl, readonly Asked[]>

/** More runs than this never ask for one address at the same time. */
const RUNS_MAX = 300

export const newestAsked = (all: AskedMap, url: HttpUrl): Asked | undefined => all.get(url)?.at(-1)

export const askedInRun = (all: AskedMap, url: HttpUrl, run: string): Asked | undefined =>
  all.get(url)?.find((asked) => asked.run === run)

export const askedInNight = (all: AskedMap, night: string): AskedMap =>
  new Map(
    [...all].flatMap(([url, list]) => {
      const kept = list.filter((asked) => asked.night === night)
      return kept.length === 0 ? [] : [[url, kept]]
    }),
  )

export const foldSentIn = (
  before: AskedMap,
  { ts, position, run }: Recorded,
  { url, night, attempt }: EventOf<'RequestSent'>,
): AskedMap => {
  const earlier = askedInRun(before, url, run) ?? newestAsked(before, url)
  const alwaysClosed = attempt === 1 || earlier?.alwaysClosed === true
  const asked = { night, at: ts, request: position, run, attempt, alwaysClosed }
  const others = (before.get(url) ?? []).filter((other) => other.run !== run)
  const list = [...others, { ...asked, end: null, answer: null }].slice(-RUNS_MAX)
  return new Map(before).set(url, list)
}

export const foldClosingIn = (before: AskedMap, closing: ClosingEvent): AskedMap => {
  const list = before.get(closing.url)
  if (list === undefined || closing.type === 'RequestAbandoned') return before
  const ended = list.map((asked) =>
    asked.request === closing.request ? withEnd(asked, closing) : asked,
  )
  return new Map(before).set(closing.url, ended)
}

const withEnd = (asked: Asked, closing: EventOf<'ResponseReceived' | 'RequestFailed'>): Asked => {
  const { attempt } = asked
  const { retryAfterMs } = closing.next
  if (closing.type === 'RequestFailed') {
    const { reason: failure } = closing
    const end = { attempt, status: null, failure, refused: false, retryAfterMs }
    return { ...asked, end, alwaysClosed: asked.alwaysClosed && failure === 'reset' }
  }
  const { status, refusal } = closing
  const end = { attempt, status, failure: null, refused: saidNo(status, refusal), retryAfterMs }
  return { ...asked, end, answer: answerOf(closing), alwaysClosed: false }
}

const answerOf = ({ body, status, headers }: EventOf<'ResponseReceived'>): Answer => ({
  status,
  headers: contentHeaders(headers),
  commit: body.kept ? body.commit : null,
  truncated: body.kept && body.truncated,
})

const CONTENT_HEADERS_MAX = 8
const CONTENT_HEADER_LENGTH_MAX = 256

/** The headers a reader needs: how the body is coded and what it says it is. */
export const contentHeaders = (headers: readonly Header[]): readonly Header[] =>
  headers
    .filter(([name]) => /^content-(type|encoding)$/i.test(name))
    .slice(0, CONTENT_HEADERS_MAX)
    .map(([name, value]) => [name, clip(value, CONTENT_HEADER_LENGTH_MAX)])
