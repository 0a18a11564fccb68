/** When a site may be asked again after an exchange, and why (PR6, PR8, PR9; DESIGN: one pace a site). */
import { type Instant, later, latest } from '../kernel/instant.ts'
import type { NextAllowed } from '../ledger/exchange.ts'
import type { NightSpan } from '../plan/night.ts'
import type { Policy } from '../programmes/policy.ts'

export type ExchangeEnd = {
  readonly endedAt: Instant
  /** null: no answer came. */
  readonly status: number | null
  /** The answer was recognised as a "no". */
  readonly refused: boolean
  readonly retryAfterMs: number | null
  /** The longest Crawl-delay known of the site, this exchange's own reading included. */
  readonly crawlDelayMs: number | null
}

/**
 * `at` = end + max(pause, Crawl-delay, Retry-After), or the end of the cooldown if that is later.
 *
 * A cooldown begins with 429, with a recognised refusal, with a 503 that says when to come back, and
 * with any Retry-After longer than the longest Crawl-delay we would wait in one night. It lasts to the
 * next night at least, and as long as Retry-After asks, across nights: never cut short.
 */
export const nextAllowed = (policy: Policy, night: NightSpan, end: ExchangeEnd): NextAllowed => {
  const retryAfterMs = policy.backOff.honourRetryAfter ? end.retryAfterMs : null
  const floorMs = policy.pauseSeconds * 1000
  const waitMs = Math.max(floorMs, end.crawlDelayMs ?? 0, retryAfterMs ?? 0)
  const resumed = later(end.endedAt, waitMs)
  const because = cooldownCause(policy, end, retryAfterMs)
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
  { status, refused }: ExchangeEnd,
  retryAfterMs: number | null,
): string | null => {
  if (status === 429) return 'status 429'
  if (refused) return `refused with status ${status}`
  if (status === 503 && retryAfterMs !== null) return 'status 503 with Retry-After'
  const waitable = policy.crawlDelay.maxSeconds * 1000
  return retryAfterMs !== null && retryAfterMs > waitable ? 'a long Retry-After' : null
}
