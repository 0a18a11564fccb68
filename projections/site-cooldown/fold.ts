/** When each site may be asked again, and every input of that answer; who shut it out, and when. */
import { formatInstant } from '../../src/kernel/instant.ts'
import { siteOf } from '../../src/kernel/url.ts'
import type { Recorded } from '../../src/ledger/entry.ts'
import type { ClosingEvent, EventOf, LedgerEvent } from '../../src/ledger/event.ts'
import type { Fold } from '../projection.ts'

export type Next = {
  /** The closing event that said so. */
  readonly position: number
  readonly at: string
  readonly floorMs: number
  readonly crawlDelayMs: number | null
  readonly retryAfterMs: number | null
}
export type Cooldown = {
  readonly position: number
  readonly until: string
  readonly because: string
}
export type Exclusion = { readonly position: number; readonly by: string; readonly at: string }
type Stop = {
  readonly position: number
  readonly programme: string
  readonly strikes: number
  readonly at: string
}
export type Withheld = {
  readonly position: number
  readonly programme: string
  readonly reason: string
  readonly until: string | null
  readonly at: string
}

export type SiteCooldownState = {
  readonly site: string
  readonly position: number
  /** Requests without a closing event yet. */
  readonly open: readonly number[]
  readonly next: Next | null
  readonly cooldown: Cooldown | null
  readonly excluded: Exclusion | null
  /** At most one for each programme. */
  readonly stopped: readonly Stop[]
  readonly withheld: Withheld | null
}

const isClosing = (event: LedgerEvent): event is ClosingEvent =>
  event.type === 'ResponseReceived' ||
  event.type === 'RequestFailed' ||
  event.type === 'RequestAbandoned'

type Act = EventOf<'SiteStopped' | 'SiteResumed' | 'SiteExcluded' | 'SiteReadmitted'>

const isAct = (event: LedgerEvent): event is Act =>
  event.type === 'SiteStopped' ||
  event.type === 'SiteResumed' ||
  event.type === 'SiteExcluded' ||
  event.type === 'SiteReadmitted'

const keysOf = ({ event }: Recorded): readonly string[] => {
  if (isAct(event)) return [event.site]
  // The pace belongs to the site that is asked, not to the one it is asked for.
  return event.type === 'RequestSent' || event.type === 'RequestWithheld' || isClosing(event)
    ? [siteOf(event.url)]
    : []
}

const initial = (site: string): SiteCooldownState => ({
  site,
  position: 0,
  open: [],
  next: null,
  cooldown: null,
  excluded: null,
  stopped: [],
  withheld: null,
})

const foldClosing = (
  state: SiteCooldownState,
  closing: ClosingEvent,
  position: number,
): SiteCooldownState => {
  const { at, floorMs, crawlDelayMs, retryAfterMs, cooldownUntil, cooldownBecause } = closing.next
  const next = { position, at: formatInstant(at), floorMs, crawlDelayMs, retryAfterMs }
  const open = state.open.filter((request) => request !== closing.request)
  if (cooldownUntil === null) return { ...state, position, open, next }
  const until = formatInstant(cooldownUntil)
  const cooldown = { position, until, because: cooldownBecause ?? '' }
  return { ...state, position, open, next, cooldown }
}

const stopOf = (event: EventOf<'SiteStopped'>, { position, ts }: Recorded): Stop => ({
  position,
  programme: event.programme,
  strikes: event.strikes,
  at: formatInstant(ts),
})

const withheldOf = (event: EventOf<'RequestWithheld'>, { position, ts }: Recorded): Withheld => ({
  position,
  programme: event.programme,
  reason: event.reason,
  until: event.until === null ? null : formatInstant(event.until),
  at: formatInstant(ts),
})

const foldAct = (state: SiteCooldownState, event: Act, recorded: Recorded): SiteCooldownState => {
  const { position, ts } = recorded
  switch (event.type) {
    case 'SiteStopped': {
      const others = state.stopped.filter((stop) => stop.programme !== event.programme)
      return { ...state, position, stopped: [...others, stopOf(event, recorded)] }
    }
    case 'SiteResumed':
      return { ...state, position, stopped: [] }
    case 'SiteExcluded':
      return { ...state, position, excluded: { position, by: event.by, at: formatInstant(ts) } }
    case 'SiteReadmitted':
      return { ...state, position, excluded: null }
  }
}

const fold = (state: SiteCooldownState, recorded: Recorded): SiteCooldownState => {
  const { event, position } = recorded
  if (isAct(event)) return foldAct(state, event, recorded)
  if (isClosing(event)) return foldClosing(state, event, position)
  if (event.type === 'RequestSent') return { ...state, position, open: [...state.open, position] }
  return event.type === 'RequestWithheld'
    ? { ...state, position, withheld: withheldOf(event, recorded) }
    : state
}

export const siteCooldownFold: Fold<SiteCooldownState> = {
  name: 'site-cooldown',
  version: 1,
  perStream: true,
  interestedIn: [
    'RequestSent',
    'ResponseReceived',
    'RequestFailed',
    'RequestAbandoned',
    'RequestWithheld',
    'SiteStopped',
    'SiteResumed',
    'SiteExcluded',
    'SiteReadmitted',
  ],
  keysOf,
  initial,
  fold: (state, { recorded }) => fold(state, recorded),
}
