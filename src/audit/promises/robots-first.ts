import { originOf } from '../../kernel/url.ts'
import type { Recorded } from '../../ledger/entry.ts'
import { isOf } from '../exchange.ts'
import type { Past } from '../past.ts'
import { type Finding, type Rule, wrongs } from '../rule.ts'

/** The robots.txt in force is this night's, of this very origin, and the decision rests on it. */
const rests = (sent: Recorded<'RequestSent'>, past: Past): Finding => {
  const { programme, url, purpose, night, decision } = sent.event
  if (purpose === 'robots') return undefined
  const origin = originOf(url)
  const read = past.robots(programme, origin)
  if (read?.event.night !== night) return [`${url} was asked before the robots.txt of ${origin}`]
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

/** PR2, RC17: robots.txt comes first, and it is the file of the very origin that is asked. */
export const robotsFirst: Rule = {
  promises: ['PR2', 'RC17'],
  looksAt: 'that the robots.txt of the very origin was read before, and decided',
  begin:
    () =>
    (recorded, { past }) => {
      if (isOf(recorded, 'RequestSent')) return rests(recorded, past)
      return isOf(recorded, 'RobotsRead') ? belongs(recorded, past) : undefined
    },
}
