/** What one programme knows of one site: the part of `SiteState` that is its own. */
import type { Digest } from '../kernel/digest.ts'
import type { Instant } from '../kernel/instant.ts'
import type { Position } from '../kernel/position.ts'
import type { HttpUrl, Origin } from '../kernel/url.ts'
import { clip } from '../kernel/text.ts'
import type { Header } from '../kernel/words.ts'
import type { Recorded } from '../ledger/entry.ts'
import type { ClosingEvent, EventOf } from '../ledger/event.ts'
import type { FetchOutcome } from '../ledger/events/fetch-concluded.ts'

/** The last time an address was asked, and how that ended (null while it is open). */
export type Asked = {
  readonly night: string
  readonly at: Instant
  readonly request: Position
  readonly run: string
  readonly answer: Answer | null
}

export type Answer = {
  readonly status: number
  readonly headers: readonly Header[]
  readonly commit: Digest | null
  readonly truncated: boolean
}

/** How reaching the site failed. `server-error` is an answer of 5xx. */
export type Failure = {
  readonly kind: 'network' | 'server-error'
  readonly request: Position
}

/** A fetch that ended, by its first address. */
export type Concluded = {
  readonly night: string
  readonly outcome: FetchOutcome
  readonly request: Position | null
  readonly status: number | null
  readonly commit: Digest | null
  readonly headers: readonly Header[]
  readonly truncated: boolean
}

export type ProgrammeState = {
  readonly stopped: boolean
  /** Failures since the site was last reached, oldest first, at most FAILURES_MAX. */
  readonly failures: readonly Failure[]
  /** By address asked; only the newest night's are kept. */
  readonly asked: ReadonlyMap<HttpUrl, Asked>
  readonly robots: ReadonlyMap<Origin, EventOf<'RobotsRead'>>
  readonly listed: EventOf<'SiteListed'> | null
  /** By first address, newest last: what a source's file came to, at most GOOD_MAX answers each. */
  readonly answers: ReadonlyMap<HttpUrl, readonly Concluded[]>
  /** The fetches and withholdings of the newest night, so that nothing is recorded twice. */
  readonly settled: ReadonlySet<string>
  readonly night: string
}

const FAILURES_MAX = 20
const GOOD_MAX = 5

export const newProgramme: ProgrammeState = {
  stopped: false,
  failures: [],
  asked: new Map(),
  robots: new Map(),
  listed: null,
  answers: new Map(),
  settled: new Set(),
  night: '',
}

/** The key under which a fetch counts as settled for its night. */
export const settledKey = (purpose: string, target: HttpUrl): string => `${purpose} ${target}`

/** What belongs to one night only is dropped when a newer night begins. */
const inNight = (programme: ProgrammeState, night: string): ProgrammeState => {
  if (night <= programme.night) return programme
  // Yesterday's stays one night longer, for the rule of the least hours between two visits.
  const recent = ([, known]: readonly [unknown, { readonly night: string }]): boolean =>
    known.night === programme.night
  return {
    ...programme,
    night,
    asked: new Map([...programme.asked].filter(recent)),
    robots: new Map([...programme.robots].filter(recent)),
    settled: new Set(),
  }
}

export const foldSentOf = (
  before: ProgrammeState,
  recorded: Recorded,
  sent: EventOf<'RequestSent'>,
): ProgrammeState => {
  const programme = inNight(before, sent.night)
  const asked: Asked = {
    night: sent.night,
    at: recorded.ts,
    request: recorded.position,
    run: recorded.run,
    answer: null,
  }
  return { ...programme, asked: new Map(programme.asked).set(sent.url, asked) }
}

export const foldClosingOf = (
  programme: ProgrammeState,
  closing: ClosingEvent,
): ProgrammeState => ({
  ...programme,
  failures: failuresAfter(programme.failures, closing),
  asked: answered(programme.asked, closing),
})

const failuresAfter = (failures: readonly Failure[], closing: ClosingEvent): readonly Failure[] => {
  // Whether an abandoned request reached the site is unknown: it neither counts nor clears.
  if (closing.type === 'RequestAbandoned') return failures
  if (closing.type === 'RequestFailed') {
    if (closing.reason === 'interrupted' || closing.reason === 'address-refused') return failures
    return [...failures, { kind: 'network' as const, request: closing.request }].slice(
      -FAILURES_MAX,
    )
  }
  if (closing.status < 500) return []
  return [...failures, { kind: 'server-error' as const, request: closing.request }].slice(
    -FAILURES_MAX,
  )
}

const answered = (
  asked: ReadonlyMap<HttpUrl, Asked>,
  closing: ClosingEvent,
): ReadonlyMap<HttpUrl, Asked> => {
  const before = asked.get(closing.url)
  if (closing.type !== 'ResponseReceived' || before?.request !== closing.request) return asked
  const { body, status, headers } = closing
  const answer: Answer = {
    status,
    headers: contentHeaders(headers),
    commit: body.kept ? body.commit : null,
    truncated: body.kept && body.truncated,
  }
  return new Map(asked).set(closing.url, { ...before, answer })
}

const CONTENT_HEADERS_MAX = 8
const CONTENT_HEADER_LENGTH_MAX = 256

/** The headers a reader needs: how the body is coded and what it says it is. */
export const contentHeaders = (headers: readonly Header[]): readonly Header[] =>
  headers
    .filter(([name]) => /^content-(type|encoding)$/i.test(name))
    .slice(0, CONTENT_HEADERS_MAX)
    .map(([name, value]) => [name, clip(value, CONTENT_HEADER_LENGTH_MAX)])

export type ProgrammeEvent = EventOf<
  'RobotsRead' | 'SiteListed' | 'FetchConcluded' | 'RequestWithheld' | 'SiteStopped'
>

export const foldProgramme = (before: ProgrammeState, event: ProgrammeEvent): ProgrammeState => {
  switch (event.type) {
    case 'SiteListed':
      return { ...before, listed: event }
    case 'SiteStopped':
      return { ...before, stopped: true }
    case 'RobotsRead': {
      const programme = inNight(before, event.night)
      return { ...programme, robots: new Map(programme.robots).set(event.origin, event) }
    }
    case 'RequestWithheld': {
      const programme = inNight(before, event.night)
      return settle(programme, settledKey(event.purpose, event.url))
    }
    case 'FetchConcluded':
      return foldConcluded(inNight(before, event.night), event)
  }
}

const settle = (programme: ProgrammeState, key: string): ProgrammeState => ({
  ...programme,
  settled: new Set(programme.settled).add(key),
})

const foldConcluded = (
  programme: ProgrammeState,
  event: EventOf<'FetchConcluded'>,
): ProgrammeState => {
  const settled = settle(programme, settledKey(event.purpose, event.target))
  if (event.purpose !== 'sellers-json' || event.outcome !== 'answered') return settled
  const earlier = programme.answers.get(event.target) ?? []
  const answers = new Map(programme.answers).set(event.target, [...earlier, event].slice(-GOOD_MAX))
  return { ...settled, answers }
}
