import { originOf } from '../../kernel/url.ts'
import type { RunFacts } from '../past.ts'
import type { Recorded } from '../../ledger/entry.ts'
import { isOf } from '../exchange.ts'
import type { Past } from '../past.ts'
import type { Policy } from '../../programmes/policy.ts'
import { type Finding, type Rule, wrongs } from '../rule.ts'

/** A robots.txt counts here, of this very origin, and the decision rests on it. */
const rests = (sent: Recorded<'RequestSent'>, past: Past): Finding => {
  const { url, purpose, decision } = sent.event
  if (purpose === 'robots') return undefined
  const origin = originOf(url)
  const read = past.robotsFor(sent)
  if (read === undefined)
    return [`${url} was asked before the robots.txt of ${origin}, or by one that is too old`]
  const decided = past.decision(decision)?.event
  const { request, access } = read.event
  return wrongs([
    decided !== undefined && (decided.robots !== request || decided.access !== access),
    () => `${url} was asked by another robots.txt than the one read at position ${read.position}`,
  ])
}

/** A reading belongs to the origin whose robots.txt was asked, whatever it redirected to. */
const belongs = ({ event }: Recorded<'RobotsRead'>, past: Past): Finding => {
  const { programme, origin, night, request } = event
  if (request === null) return undefined
  const exchange = past.exchange(request)
  const addresses = past.robotsAddresses({ programme, origin, night })
  return wrongs([
    exchange === undefined || !addresses.has(exchange.url),
    () =>
      `the rules of ${origin} were read from ${exchange?.url ?? 'a request of another day'}, which is not its robots.txt`,
  ])
}

/** By hand a page may rest on a copy of the last hours, where the policy says so. */
const isByCopy = (policy: Policy | undefined, run: RunFacts | undefined): boolean =>
  run?.kind === 'hand' && policy?.robots.byHandHours != null

/** PR2, PK6, RC17: robots.txt comes first, in each night or job, and it is that of the very origin. */
export const robotsFirst: Rule = {
  promises: ['PR2', 'PK6', 'RC17'],
  looksAt:
    'that the robots.txt of the very origin was read before in the same night or job, and decided',
  begin:
    () =>
    (recorded, { past, policy }) => {
      if (isOf(recorded, 'RobotsRead')) return belongs(recorded, past)
      if (!isOf(recorded, 'RequestSent') || isByCopy(policy, past.run(recorded.run)))
        return undefined
      return rests(recorded, past)
    },
}

/** PK7: a page that a person asks for rests on a copy of robots.txt that is not too old. */
export const byHand: Rule = {
  promises: ['PR2', 'PK7'],
  looksAt: 'the age of the robots.txt behind every page fetched by hand',
  begin:
    () =>
    (recorded, { past, policy }) =>
      isOf(recorded, 'RequestSent') && isByCopy(policy, past.run(recorded.run))
        ? rests(recorded, past)
        : undefined,
}
