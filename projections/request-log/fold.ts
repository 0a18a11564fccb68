/**
 * Which requests left, when, to which address, and how each ended (RC26): a time and an address are
 * enough to find one. One state per request, named by its position.
 */
import { formatInstant } from '../../src/kernel/instant.ts'
import { siteOf } from '../../src/kernel/url.ts'
import type { Recorded } from '../../src/ledger/entry.ts'
import type { ClosingEvent, EventOf, LedgerEvent } from '../../src/ledger/event.ts'
import type { Fold } from '../projection.ts'

/** What the request and its closing event both tell. */
type Asked = {
  readonly n: number
  readonly programme: string
  /** The site that was asked, and the site it was asked for. */
  readonly site: string
  readonly subject: string
  readonly url: string
  readonly target: string
  readonly purpose: string
  readonly night: string
  readonly hop: number
}

export type Sent = {
  readonly run: string
  readonly at: string
  readonly attempt: number
  readonly via: number | null
  readonly decision: number
}

export type Closed = {
  readonly position: number
  readonly at: string
  readonly outcome: 'answered' | 'failed' | 'abandoned'
  readonly status: number | null
  /** Bytes of the kept body as they came off the wire; null where none was kept. */
  readonly bytes: number | null
  readonly commit: string | null
  readonly reason: string | null
  readonly nextAllowedAt: string
}

export type Redirect = {
  readonly verdict: 'follow' | 'refuse'
  readonly reason: string
  readonly to: string | null
}

export type RequestLogState = {
  readonly request: number
  /** The last event that made this state. */
  readonly position: number
  readonly asked: Asked | null
  readonly sent: Sent | null
  readonly closed: Closed | null
  readonly redirect: Redirect | null
}

/** Positions as keys, in the order of the ledger. */
const keyOf = (position: number): string => String(position).padStart(16, '0')

const isClosing = (event: LedgerEvent): event is ClosingEvent =>
  event.type === 'ResponseReceived' ||
  event.type === 'RequestFailed' ||
  event.type === 'RequestAbandoned'

const keysOf = ({ event, position }: Recorded): readonly string[] => {
  if (event.type === 'RequestSent') return [keyOf(position)]
  return isClosing(event) || event.type === 'RedirectDecided' ? [keyOf(event.request)] : []
}

const initial = (key: string): RequestLogState => ({
  request: Number(key),
  position: 0,
  asked: null,
  sent: null,
  closed: null,
  redirect: null,
})

const askedOf = (event: EventOf<'RequestSent'> | ClosingEvent): Asked => ({
  n: event.n,
  programme: event.programme,
  site: siteOf(event.url),
  subject: event.subject,
  url: event.url,
  target: event.target,
  purpose: event.purpose,
  night: event.night,
  hop: event.hop,
})

const sentOf = (event: EventOf<'RequestSent'>, { run, ts }: Recorded): Sent => ({
  run,
  at: formatInstant(ts),
  attempt: event.attempt,
  via: event.via,
  decision: event.decision,
})

const closedOf = (event: ClosingEvent, { position, ts }: Recorded): Closed => {
  const common = { position, at: formatInstant(ts), nextAllowedAt: formatInstant(event.next.at) }
  const nothing = { status: null, bytes: null, commit: null, reason: null }
  switch (event.type) {
    case 'ResponseReceived': {
      const kept = event.body.kept ? event.body : { bytes: null, commit: null }
      const reason = event.refusal === null ? null : event.refusal.kind
      const { bytes, commit } = kept
      return { ...common, outcome: 'answered', status: event.status, bytes, commit, reason }
    }
    case 'RequestFailed':
      return { ...common, ...nothing, outcome: 'failed', reason: event.reason }
    case 'RequestAbandoned':
      return { ...common, ...nothing, outcome: 'abandoned' }
  }
}

const redirectOf = (event: EventOf<'RedirectDecided'>): Redirect => ({
  verdict: event.verdict,
  reason: event.reason,
  to: event.to,
})

/** RFC 9110 §15.4: where a redirect is answered, what was decided about it follows. */
const REDIRECTS: ReadonlySet<number | null> = new Set([301, 302, 303, 307, 308])

export const requestLogFold: Fold<RequestLogState> = {
  name: 'request-log',
  version: 2,
  perStream: true,
  interestedIn: [
    'RequestSent',
    'ResponseReceived',
    'RequestFailed',
    'RequestAbandoned',
    'RedirectDecided',
  ],
  keysOf,
  lastKeyAt: keyOf,
  initial,
  isFinal: ({ closed, redirect }) =>
    closed !== null && (redirect !== null || !REDIRECTS.has(closed.status)),
  fold: (state, { recorded }) => {
    const { event, position } = recorded
    if (event.type === 'RequestSent')
      return { ...state, position, asked: askedOf(event), sent: sentOf(event, recorded) }
    if (event.type === 'RedirectDecided') return { ...state, position, redirect: redirectOf(event) }
    if (!isClosing(event)) return state
    // Repeated from the request, so that a closing event alone still makes a row.
    const asked = state.asked ?? askedOf(event)
    return { ...state, position, asked, closed: closedOf(event, recorded) }
  },
}
