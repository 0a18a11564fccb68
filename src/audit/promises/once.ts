import { type Instant, instant } from '../../kernel/instant.ts'
import type { HttpUrl } from '../../kernel/url.ts'
import { isOf } from '../exchange.ts'
import { recentOf } from '../recent.ts'
import type { Recorded } from '../../ledger/entry.ts'
import { nightAt } from '../../plan/night.ts'
import type { Policy } from '../../programmes/policy.ts'
import { ofRequests, type Rule, wrongs } from '../rule.ts'
import { mayTryAgain } from '../tries.ts'

const HOUR_MS = 3_600_000
/** A night may be 25 hours long, and its run may go on after it. */
const REMEMBERED_MS = 72 * HOUR_MS

type Asked = { readonly at: Instant; readonly position: number }

const asksOnce = () => {
  const asked = recentOf<string, Asked>(REMEMBERED_MS)
  return ofRequests((sent, { policy, past }) => {
    const { event, ts, position } = sent
    const { programme, night, url, attempt } = event
    const key = `${programme} ${url}`
    const before = asked.get(key)
    asked.set(key, { at: ts, position }, ts)
    const hours = policy.once.hoursAtLeast
    const tried = past.triedBefore(sent)
    const isRetry = tried !== undefined && mayTryAgain(policy, tried)
    return wrongs(
      [tried === undefined && attempt > 1, () => `${url} was asked again (attempt ${attempt})`],
      [
        tried !== undefined && !isRetry,
        () => `${url} was asked twice in the night ${night}, before at position ${tried?.position}`,
      ],
      [
        tried === undefined && before !== undefined && ts < before.at + hours * HOUR_MS,
        () =>
          `${url} was asked again ${hoursText(ts - (before?.at ?? ts))} after position ${before?.position}, not ${hours} h`,
      ],
    )
  })()
}

const hoursText = (ms: number): string => `${Math.floor(ms / 36_000) / 100} h`

/** PR5: each address once in a night, and never again within the least hours. */
export const once: Rule = {
  promises: ['PR5'],
  looksAt: 'how often and how soon again each address was asked',
  begin: asksOnce,
}

/** A run decides its night before it closes what an earlier one left open; that may take a while. */
const BEGINNING_MS = HOUR_MS

const isNightOf = (
  { event, ts }: Recorded<'RunStarted'>,
  { night }: Pick<Policy, 'night'>,
): boolean =>
  [ts, instant(ts - BEGINNING_MS)].some((moment) => nightAt(night, moment).name === event.night)

/** PR5, again: "once a night" says something only if a run names the night it is in. */
export const nightOfRun: Rule = {
  promises: ['PR5'],
  looksAt: 'that each run names the night of the schedule it began in',
  begin:
    () =>
    (recorded, { policy, past }) => {
      if (policy === undefined) return undefined
      if (isOf(recorded, 'RunStarted'))
        return isNightOf(recorded, policy)
          ? []
          : [`the run calls its night ${recorded.event.night}, which it is not`]
      if (!isOf(recorded, 'RequestSent')) return undefined
      const { night, url } = recorded.event
      const run = past.run(recorded.run)?.night
      return wrongs([
        run !== undefined && run !== night,
        () => `${url} was asked as of the night ${night} in a run of ${run}`,
      ])
    },
}

/** RC14: robots.txt once a night, whatever happens to the pages. */
export const robotsOnce: Rule = {
  promises: ['RC14'],
  looksAt: 'how often each robots.txt was asked in a night',
  begin: () => {
    const asked = recentOf<HttpUrl | string, string>(REMEMBERED_MS)
    return ofRequests(({ event, ts }, { policy }) => {
      if (policy.robots.fresh !== 'night' || policy.once.per !== 'night') return undefined
      if (event.purpose !== 'robots' || event.attempt > 1) return undefined
      const key = `${event.programme} ${event.url}`
      const before = asked.get(key)
      asked.set(key, event.night, ts)
      return wrongs([
        before === event.night,
        () => `${event.url} was asked twice in the night ${event.night}`,
      ])
    })()
  },
}
