import { formatInstant, type Instant, earliest, later } from '../../kernel/instant.ts'
import type { Policy } from '../../programmes/policy.ts'
import type { Clock } from '../exchange.ts'
import { nightNamed } from '../night-span.ts'
import type { RunFacts } from '../past.ts'
import { ofRequests, type Rule, wrongs } from '../rule.ts'

/** Decided in time, a request may be written down some moments later; not on a clock that stands still. */
const graceMs = (clock: Clock): number => (clock === 'simulated' ? 0 : 10_000)

const limitOf = (policy: Policy, night: string, run: RunFacts | undefined): Instant | undefined => {
  const span = nightNamed(policy.night, night)
  const { limitMinutes } = policy.night
  if (span === undefined || limitMinutes === null || run?.kind === 'hand') return span?.endsAt
  return earliest(span.endsAt, later(span.startsAt, limitMinutes * 60_000))
}

/** RC11: nothing is asked after the night's limit, and no run goes on past the end of its night (PR5). */
export const nightEnd: Rule = {
  promises: ['PR5', 'RC11'],
  looksAt: 'the time of every request, against the limit and the end of its night',
  begin: ofRequests(({ event, ts, run }, { policy, past }) => {
    const limit = limitOf(policy, event.night, past.run(run))
    if (limit === undefined) return 'unjudged'
    return wrongs([
      ts >= limit + graceMs(past.clock),
      () =>
        `${event.url} was asked after ${formatInstant(limit)}, when the night ${event.night} was over`,
    ])
  }),
}
