/** One request with its end, as an auditor needs it: what was asked, when, and what came of it. */
import { headerValues } from '../capture/headers.ts'
import { retryAfterMs } from '../capture/retry-after.ts'
import type { Digest } from '../kernel/digest.ts'
import { type Instant, instant } from '../kernel/instant.ts'
import type { Position } from '../kernel/position.ts'
import type { Site } from '../kernel/site.ts'
import { type HttpUrl, siteOf } from '../kernel/url.ts'
import type { Purpose } from '../kernel/words.ts'
import type { Recorded } from '../ledger/entry.ts'
import type { ClosingEvent, EventType } from '../ledger/event.ts'
import type { Refusal } from '../ledger/events/response-received.ts'
import type { FailureReason } from '../ledger/exchange.ts'

export type ClosingType = ClosingEvent['type']
export const CLOSING = ['ResponseReceived', 'RequestFailed', 'RequestAbandoned'] as const

/** Whether the event is of one of these types. */
export const isOf = <T extends EventType>(
  recorded: Recorded,
  ...types: readonly T[]
): recorded is Recorded<T> => {
  const wanted: readonly string[] = types
  return wanted.includes(recorded.event.type)
}

export type Closed = {
  readonly position: Position
  /** When the exchange was over. */
  readonly endedAt: Instant
  /** null: no answer came. */
  readonly status: number | null
  /** Why none came, where that is known. */
  readonly failure: FailureReason | null
  readonly refusal: Refusal | null
  readonly abandoned: boolean
  /** What the answer itself asks for, read from its header once more. */
  readonly retryAfterMs: number | null
  readonly commit: Digest | null
}

export type Exchange = {
  readonly position: Position
  readonly run: string
  readonly programme: string
  readonly n: number
  readonly site: Site
  readonly url: HttpUrl
  readonly target: HttpUrl
  readonly purpose: Purpose
  readonly night: string
  readonly hop: number
  readonly attempt: number
  /** How many tries of the address, in a row and right before this one, were closed unanswered. */
  readonly resetsBefore: number
  readonly sentAt: Instant
  /** null: open. */
  readonly closed: Closed | null
  /** Where a decided redirect leads on to; null where none was followed. */
  readonly followed: HttpUrl | null
}

/** `before`: the try of the same address before this one, if it is one more. */
export const exchangeOf = (
  { position, ts, run, event }: Recorded<'RequestSent'>,
  before: Exchange | undefined,
): Exchange => ({
  position,
  run,
  programme: event.programme,
  n: event.n,
  site: siteOf(event.url),
  url: event.url,
  target: event.target,
  purpose: event.purpose,
  night: event.night,
  hop: event.hop,
  attempt: event.attempt,
  resetsBefore:
    event.attempt > 1 && before?.closed?.failure === 'reset' ? before.resetsBefore + 1 : 0,
  sentAt: ts,
  closed: null,
  followed: null,
})

export type Clock = 'system' | 'simulated'

export const closedBy = (sentAt: Instant, closing: Recorded<ClosingType>, clock: Clock): Closed => {
  const { event, position } = closing
  const endedAt = endOf(sentAt, closing, clock)
  const answered = event.type === 'ResponseReceived' ? event : undefined
  const asked =
    answered === undefined
      ? null
      : retryAfterMs(headerValues(answered.headers, 'retry-after'), endedAt)
  return {
    position,
    endedAt,
    status: answered?.status ?? null,
    failure: event.type === 'RequestFailed' ? event.reason : null,
    refusal: answered?.refusal ?? null,
    abandoned: event.type === 'RequestAbandoned',
    // Of very many headers some are not recorded; then the event's own number has to do.
    retryAfterMs: asked ?? event.next.retryAfterMs,
    commit: answered?.body.kept === true ? answered.body.commit : null,
  }
}

/**
 * The end of the exchange, which lies between its request and its closing event. The moment from
 * which the closing event counts the pause is believed if it lies there, and not before the exchange
 * can have been over; else the end is taken to be as late as can be. A simulated clock stands still
 * between an end and its event, so there the event's own time is the end.
 */
const endOf = (sentAt: Instant, { ts, event }: Recorded<ClosingType>, clock: Clock): Instant => {
  if (clock === 'simulated') return ts
  const { at, floorMs, crawlDelayMs, retryAfterMs: asked } = event.next
  const told = at - Math.max(floorMs, crawlDelayMs ?? 0, asked ?? 0)
  if (told < sentAt || told > ts) return ts
  const took = 'timing' in event ? Math.floor(event.timing.totalMs * ONE_CLOCK_OF_ANOTHER) - 1 : 0
  return instant(Math.max(told, Math.min(ts, sentAt + took)))
}

/** What one clock of a machine shows at least where another, being set right meanwhile, shows 1. */
const ONE_CLOCK_OF_ANOTHER = 0.99

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/** RFC 9110 §15.4: an answer that sends us elsewhere. */
export const sendsElsewhere = (status: number | null): boolean =>
  status !== null && REDIRECTS.includes(status)
