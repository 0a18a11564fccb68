import type { Recorded } from '../../ledger/entry.ts'
import type { RobotsAccess } from '../../ledger/events/robots-read.ts'
import type { Exchange } from '../exchange.ts'
import { isOf } from '../exchange.ts'
import type { Past } from '../past.ts'
import { type Finding, type Rule, wrongs } from '../rule.ts'

/** The most that the end of the fetch gives a right to (RFC 9309 §2.3.1). */
const atMost = (last: Exchange | undefined): RobotsAccess => {
  const status = last?.closed?.status ?? null
  if (status === null || status === 429 || status === 206) return 'unreachable'
  if (status >= 200 && status <= 299) return 'rules'
  return status >= 400 && status <= 499 ? 'unavailable' : 'unreachable'
}

const OPENNESS: readonly RobotsAccess[] = ['unreachable', 'rules', 'unavailable']

const judgeRead = ({ event }: Recorded<'RobotsRead'>, past: Past): Finding => {
  const { origin, access, request } = event
  const last = request === null ? undefined : past.exchange(request)
  const most = atMost(last)
  return wrongs([
    access !== 'unreachable' && OPENNESS.indexOf(access) > OPENNESS.indexOf(most),
    () =>
      `robots.txt of ${origin} was taken for ${access}, but its answer (${last?.closed?.status ?? 'none'}) makes it ${most}`,
  ])
}

/** PR10, RC19: where robots.txt could not be reached, nothing else is asked, exempt or not. */
export const unreachable: Rule = {
  promises: ['PR10', 'RC19'],
  looksAt: 'every reading of a robots.txt, and requests where it could not be reached',
  begin:
    () =>
    (recorded, { past }) => {
      if (isOf(recorded, 'RobotsRead')) return judgeRead(recorded, past)
      if (!isOf(recorded, 'RequestSent') || recorded.event.purpose === 'robots') return undefined
      const { url } = recorded.event
      const read = past.robotsFor(recorded)
      return wrongs([
        read?.event.access === 'unreachable',
        () =>
          `${url} was asked although its robots.txt could not be reached (position ${read?.position})`,
      ])
    },
}

/** RC18: a robots.txt that is not there forbids nothing. */
export const unavailable: Rule = {
  promises: ['RC18'],
  looksAt: 'withholdings where the robots.txt answered 4xx',
  begin:
    () =>
    (recorded, { past }) => {
      if (!isOf(recorded, 'RequestWithheld')) return undefined
      const { url, reason } = recorded.event
      if (past.robotsFor(recorded)?.event.access !== 'unavailable') return undefined
      return wrongs([
        reason === 'robots-disallow',
        () => `${url} was withheld although there is no robots.txt`,
      ])
    },
}
