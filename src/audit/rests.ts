/** Until when a site wants us away, by what it answered. A site has one memory of it for all programmes. */
import { type Instant, later, latest } from '../kernel/instant.ts'
import { type Site } from '../kernel/site.ts'
import type { Recorded } from '../ledger/entry.ts'
import type { Policy } from '../programmes/policy.ts'
import { type Closed, closedBy, type Exchange, isOf } from './exchange.ts'
import { nightNamed } from './night-span.ts'
import type { Past } from './past.ts'
import { isAlwaysClosed, isRefusal, mayTryAgain } from './tries.ts'

/** `later`: it asks us to come back later (429, 503, Retry-After). `refusal`: it does not want us. */
export type Cause = 'later' | 'refusal'

export type Rest = {
  readonly until: Instant
  readonly because: string
  /** With the waits that come on top of it: nothing can be withheld for it after that. */
  readonly atMost: Instant
}

export type Rests = {
  /** Takes in what the site answered, or that it did not. */
  readonly take: (recorded: Recorded, policy: Policy, past: Past) => void
  readonly of: (site: Site, cause: Cause) => Rest | undefined
}

export const newRests = (): Rests => {
  const rests = { later: new Map<Site, Rest>(), refusal: new Map<Site, Rest>() }
  return {
    take: (recorded, policy, past) => {
      if (!isOf(recorded, 'ResponseReceived', 'RequestFailed')) return
      const open = past.exchange(recorded.event.request)
      if (open === undefined) return
      const exchange = { ...open, closed: closedBy(open.sentAt, recorded, past.clock) }
      const found = restAfter(exchange, recorded, policy)
      if (found === undefined) return
      const bySite = rests[found.cause]
      const before = bySite.get(exchange.site)
      if (found.rest.until > (before?.until ?? 0)) bySite.set(exchange.site, found.rest)
    },
    of: (site, cause) => rests[cause].get(site),
  }
}

const restAfter = (
  exchange: Exchange & { readonly closed: Closed },
  { event, ts }: Recorded<'ResponseReceived' | 'RequestFailed'>,
  policy: Policy,
): { readonly cause: Cause; readonly rest: Rest } | undefined => {
  const { endedAt, retryAfterMs } = exchange.closed
  const asked = policy.backOff.honourRetryAfter ? retryAfterMs : null
  const resumed = later(endedAt, asked ?? 0)
  const paused = later(ts, Math.max(event.next.floorMs, event.next.crawlDelayMs ?? 0))
  const no = mayTryAgain(policy, exchange) ? undefined : noIn(exchange, asked, policy)
  if (no === undefined && resumed === endedAt) return undefined
  const until = no === undefined ? resumed : latest(resumed, nightEnd(exchange, policy))
  const { cause, because } = no ?? { cause: 'later', because: 'Retry-After' }
  return { cause, rest: { until, because, atMost: latest(until, paused) } }
}

const nightEnd = ({ night, sentAt }: Exchange, policy: Policy): Instant =>
  (policy.backOff.restOfNight ? nightNamed(policy.night, night)?.endsAt : undefined) ?? sentAt

/** What in the end of the exchange ends the night for the site. */
const noIn = (
  exchange: Exchange,
  asked: number | null,
  policy: Policy,
): { readonly cause: Cause; readonly because: string } | undefined => {
  const refused = refusalIn(exchange, policy)
  if (refused !== undefined) return { cause: 'refusal', because: refused }
  const status = exchange.closed?.status ?? 0
  const wantsLater = (because: string) => ({ cause: 'later' as const, because })
  if (policy.backOff.statuses.includes(status)) return wantsLater(`status ${status}`)
  if (status === 503 && asked !== null) return wantsLater('status 503 with Retry-After')
  const isLong = (asked ?? 0) > policy.crawlDelay.maxSeconds * 1_000
  return isLong ? wantsLater('a long Retry-After') : undefined
}

const refusalIn = (exchange: Exchange, { refusal }: Policy): string | undefined => {
  const { closed } = exchange
  if (closed === null) return undefined
  if (isRefusal(exchange))
    return `a refusal (${closed.refusal?.signature ?? `status ${closed.status}`})`
  if (closed.failure === 'tls' && refusal.tls) return 'no secure connection'
  const cut = refusal.closed && isAlwaysClosed(exchange)
  return cut ? 'a connection closed on every attempt' : undefined
}
