/** When a site may be asked again after an exchange, and why (PR6, PR8, PR9; DESIGN: one pace a site). */
import { type Instant, later, latest } from '../kernel/instant.ts'
import type { NextAllowed } from '../ledger/exchange.ts'
import type { NightSpan } from '../plan/night.ts'
import type { Policy } from '../programmes/policy.ts'
import { type AttemptEnd, mayRetry, retryWaitMs } from './retry.ts'

export type ExchangeEnd = AttemptEnd & {
  readonly endedAt: Instant
  /** The longest Crawl-delay known of the site, this exchange's own reading included. */
  readonly crawlDelayMs: number | null
  /** A person's slower pace for the site; 0: none. */
  readonly paceMs: number
  /** This attempt and every one before it ended with a connection closed unanswered. */
  readonly alwaysClosed: boolean
}

/**
 * `at` = end + max(pause, Crawl-delay, Retry-After), or the end of the cooldown if that is later. The
 * pause is the policy's, a person's slower one, or the wait before a retry, whichever is longest.
 *
 * A cooldown begins where nothing is left to try: with a status the policy names (429), with a "no",
 * with a 503 that says when to come back, and with any Retry-After longer than the longest Crawl-delay
 * we would wait in one night. It lasts to the next night at least, and as long as Retry-After asks,
 * across nights: never cut short (PK10, PK11, RC20).
 */
export const nextAllowed = (policy: Policy, night: NightSpan, end: ExchangeEnd): NextAllowed => {
  const retryAfterMs = policy.backOff.honourRetryAfter ? end.retryAfterMs : null
  const retry = mayRetry(policy, end)
  const retryMs = retry ? retryWaitMs(policy, end) : 0
  const floorMs = Math.max(policy.pauseSeconds * 1000, end.paceMs, retryMs)
  const waitMs = Math.max(floorMs, end.crawlDelayMs ?? 0, retryAfterMs ?? 0)
  const resumed = later(end.endedAt, waitMs)
  const because = retry ? null : cooldownCause(policy, end, retryAfterMs)
  const cooldownUntil =
    because === null ? null : policy.backOff.restOfNight ? latest(resumed, night.endsAt) : resumed
  return {
    at: cooldownUntil === null ? resumed : latest(resumed, cooldownUntil),
    floorMs,
    crawlDelayMs: end.crawlDelayMs,
    retryAfterMs,
    cooldownUntil,
    cooldownBecause: because,
  }
}

const cooldownCause = (
  policy: Policy,
  { status, failure, refused, alwaysClosed }: ExchangeEnd,
  retryAfterMs: number | null,
): string | null => {
  if (status !== null && policy.backOff.statuses.includes(status)) return `status ${status}`
  if (refused) return `refused with status ${status}`
  if (failure === 'tls' && policy.refusal.tls) return 'no secure connection'
  if (alwaysClosed && policy.refusal.closed) return 'connection closed on every attempt'
  if (status === 503 && retryAfterMs !== null) return 'status 503 with Retry-After'
  const waitable = policy.crawlDelay.maxSeconds * 1000
  return retryAfterMs !== null && retryAfterMs > waitable ? 'a long Retry-After' : null
}
