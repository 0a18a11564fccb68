import { formatInstant, type Instant, later, latest } from '../../kernel/instant.ts'
import type { Site } from '../../kernel/site.ts'
import { siteOf } from '../../kernel/url.ts'
import type { Recorded } from '../../ledger/entry.ts'
import type { Policy } from '../../programmes/policy.ts'
import { closedBy, isOf } from '../exchange.ts'
import { nightNamed } from '../night-span.ts'
import type { Past } from '../past.ts'
import { type Rule, wrongs } from '../rule.ts'

type Rest = { readonly until: Instant; readonly because: string }

/** Until when the answer wants us away, and by what; undefined: it does not. */
const restAfter = (
  closing: Recorded<'ResponseReceived'>,
  policy: Policy,
  past: Past,
): Rest | undefined => {
  const { event } = closing
  const sent = past.exchange(event.request)
  if (sent === undefined) return undefined
  const { endedAt, retryAfterMs } = closedBy(sent.sentAt, closing, past.clock)
  const asked = policy.backOff.honourRetryAfter ? retryAfterMs : null
  const resumed = later(endedAt, asked ?? 0)
  const no = noIn(event, asked, policy)
  if (no === undefined)
    return asked === null || asked === 0 ? undefined : { until: resumed, because: 'Retry-After' }
  const night = policy.backOff.restOfNight ? nightNamed(policy.night, event.night) : undefined
  return { until: night === undefined ? resumed : latest(resumed, night.endsAt), because: no }
}

/** What in the answer ends the night for the site. */
const noIn = (
  { status, refusal }: Recorded<'ResponseReceived'>['event'],
  asked: number | null,
  policy: Policy,
): string | undefined => {
  if (status === 429) return 'status 429'
  if (refusal !== null) return `a refusal (${refusal.signature})`
  if (status === 503 && asked !== null) return 'status 503 with Retry-After'
  return (asked ?? 0) > policy.crawlDelay.maxSeconds * 1_000 ? 'a long Retry-After' : undefined
}

/** PR9, PK11, RC20: after a no, nothing is asked of the site until the night is over, or longer. */
export const backOff: Rule = {
  promises: ['PR9', 'PK11', 'RC20'],
  looksAt: 'requests after a 429, a refusal, or a Retry-After',
  begin: () => {
    const rests = new Map<Site, Rest>()
    return (recorded, { policy, past }) => {
      if (policy === undefined) return undefined
      if (isOf(recorded, 'ResponseReceived')) {
        const site = siteOf(recorded.event.url)
        const rest = restAfter(recorded, policy, past)
        const before = rests.get(site)
        if (rest !== undefined && rest.until > (before?.until ?? 0)) rests.set(site, rest)
        return undefined
      }
      if (!isOf(recorded, 'RequestSent')) return undefined
      const { url } = recorded.event
      const site = siteOf(url)
      const rest = rests.get(site)
      if (rest === undefined) return undefined
      if (rest.until <= recorded.ts) rests.delete(site)
      return wrongs([
        rest.until > recorded.ts,
        () =>
          `${url} was asked before ${formatInstant(rest.until)}, although there was ${rest.because}`,
      ])
    }
  },
}
