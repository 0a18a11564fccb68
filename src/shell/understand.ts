/** Everything that is read from an answer at once, while its body is at hand. */
import type { Sent } from '../capture/closing.ts'
import { headerValues } from '../capture/headers.ts'
import type { HttpAnswer, HttpFailure } from '../capture/port.ts'
import { decideRedirect, isRedirect, type RedirectChoice } from '../capture/redirect.ts'
import { recogniseRefusal } from '../capture/refusal.ts'
import type { EventOf } from '../ledger/event.ts'
import type { Body, Refusal } from '../ledger/events/response-received.ts'
import { discardedPaths, fetchRule } from '../programmes/policy.ts'
import type { RobotsFile } from '../robots/read.ts'
import type { Crawl } from './crawl.ts'
import { orHalt } from './halt.ts'
import { robotsFileOf } from './robots-files.ts'
import type { Trail } from './trail.ts'

/** An answer with everything that is read from it at once. The body itself goes no further than this. */
export type Known = {
  readonly answer: HttpAnswer | null
  readonly failure: HttpFailure | null
  readonly body: Body
  readonly refusal: Refusal | null
  readonly redirect: RedirectChoice | null
  readonly file: RobotsFile | null
}

export const nothing = {
  answer: null,
  body: { kept: false, reason: 'discarded-by-policy' },
  refusal: null,
  redirect: null,
  file: null,
} as const

export const understand = async (
  crawl: Crawl,
  { event }: Sent,
  answer: HttpAnswer,
  trail: Trail,
): Promise<Known> => {
  const redirect = isRedirect(answer.status) ? redirectOf(crawl, event, answer, trail) : null
  const readable = event.purpose === 'robots' && redirect === null
  return {
    answer,
    failure: null,
    redirect,
    body: await keep(crawl, event, answer),
    // What robots.txt answers is its own rule (RFC 9309 §2.3.1); a redirect is not a refusal.
    refusal: event.purpose === 'robots' || redirect !== null ? null : recogniseRefusal(answer),
    file: readable ? robotsFileOf(answer.body, answer.headers) : null,
  }
}

const keep = async (
  crawl: Crawl,
  event: EventOf<'RequestSent'>,
  answer: HttpAnswer,
): Promise<Body> => {
  if (fetchRule(crawl.policy, event.purpose).keep === 'discard') return nothing.body
  const commit = await orHalt(crawl.ports.bodies.put(answer.body))
  const bytes = answer.body.length
  return { kept: true, alg: 'sha256-salt32', commit, bytes, truncated: answer.truncated }
}

const redirectOf = (
  crawl: Crawl,
  event: EventOf<'RequestSent'>,
  answer: HttpAnswer,
  trail: Trail,
): RedirectChoice => {
  const rule = fetchRule(crawl.policy, event.purpose)
  return decideRedirect({
    rule: rule.redirects,
    maxRedirects: rule.maxRedirects,
    target: event.target,
    from: event.url,
    status: answer.status,
    locations: headerValues(answer.headers, 'location'),
    hop: event.hop + 1,
    trail: trail.addresses,
    refuseDowngrade: true,
    discarded: discardedPaths(crawl.policy, event.purpose),
  })
}
