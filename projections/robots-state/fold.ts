/** What each origin's robots.txt came to when it was last asked for, and since when (RFC 9309 §2.3.1). */
import { formatInstant } from '../../src/kernel/instant.ts'
import { siteOfHost } from '../../src/kernel/site.ts'
import type { EventOf } from '../../src/ledger/event.ts'
import type { Fold } from '../projection.ts'

type Access = EventOf<'RobotsRead'>['access']

type Read = {
  readonly position: number
  readonly at: string
  readonly programme: string
  readonly subject: string
  readonly because: string
  readonly request: number | null
  readonly commit: string | null
  readonly truncated: boolean
  readonly crawlDelayMs: number | null
  readonly issues: number
  readonly reader: string
}

/** An access, and the reading with which it began. */
type Spell = { readonly access: Access; readonly position: number; readonly at: string }

export type RobotsStateState = {
  readonly origin: string
  readonly last: Read | null
  readonly now: Spell | null
  readonly before: Spell | null
}

const readOf = (event: EventOf<'RobotsRead'>, position: number, at: string): Read => ({
  position,
  at,
  programme: event.programme,
  subject: event.subject,
  because: event.because,
  request: event.request,
  commit: event.commit,
  truncated: event.truncated,
  crawlDelayMs: event.crawlDelayMs,
  issues: event.issues,
  reader: event.reader,
})

export const siteOfOrigin = (origin: string): string =>
  siteOfHost(URL.parse(origin)?.hostname ?? origin)

export const robotsStateFold: Fold<RobotsStateState> = {
  name: 'robots-state',
  version: 1,
  perStream: true,
  interestedIn: ['RobotsRead'],
  keysOf: ({ event }) => (event.type === 'RobotsRead' ? [event.origin] : []),
  initial: (origin) => ({ origin, last: null, now: null, before: null }),
  fold: (state, { recorded }) => {
    const { event, position, ts } = recorded
    if (event.type !== 'RobotsRead') return state
    const at = formatInstant(ts)
    const last = readOf(event, position, at)
    if (state.now?.access === event.access) return { ...state, last }
    return { ...state, last, now: { access: event.access, position, at }, before: state.now }
  },
}
