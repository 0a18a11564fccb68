import { requestAbandoned } from '../capture/closing.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import type { NightSpan } from '../plan/night.ts'
import { longestCrawlDelayMs } from '../politeness/decide.ts'
import { nextAllowed } from '../politeness/next-allowed.ts'
import type { Claim } from '../politeness/port.ts'
import type { SiteState } from '../politeness/site-state.ts'
import type { Policy } from '../programmes/policy.ts'
import type { Clock } from '../kernel/clock.ts'
import { appendFact, type SiteWriter } from './append.ts'

export type Abandoner = SiteWriter & {
  readonly ports: { readonly clock: Clock }
  readonly policy: Policy
  readonly night: NightSpan
}

/**
 * Closes the request that a dead process left open on a site now claimed by us. Unknown whether it was
 * sent or when its answer ended, so the pace counts from this moment.
 */
export const closeAbandoned = (crawl: Abandoner, claim: Claim): Promise<void> =>
  appendFact(crawl, claim.site, (state) => abandonedOn(crawl, state), claim)

const abandonedOn = (
  { policy, night, ports }: Abandoner,
  state: SiteState,
): readonly LedgerEvent[] => {
  if (state.open === null) return []
  const now = ports.clock.now()
  const occasion = { policy, night, now, run: state.open.run, kind: 'night' } as const
  const crawlDelayMs = longestCrawlDelayMs({ ...occasion, state })
  const next = nextAllowed(policy, night, {
    endedAt: now,
    attempt: state.open.sent.attempt,
    status: null,
    failure: null,
    refused: false,
    retryAfterMs: null,
    crawlDelayMs: crawlDelayMs === 0 ? null : crawlDelayMs,
    paceMs: (state.pace?.seconds ?? 0) * 1_000,
    alwaysClosed: false,
  })
  const { position, sent, run } = state.open
  return [requestAbandoned({ position, event: sent }, run, next)]
}
