/** The end of one exchange: keep or discard the body, then one closing event and what follows from it. */
import { type Sent, requestFailed, responseReceived } from '../capture/closing.ts'
import type { Ending, LastAnswer } from '../capture/conclusion.ts'
import { headerValues } from '../capture/headers.ts'
import type { HttpAnswer, HttpFailure } from '../capture/port.ts'
import type { RedirectChoice } from '../capture/redirect.ts'
import { retryAfterMs } from '../capture/retry-after.ts'
import type { Instant } from '../kernel/instant.ts'
import { siteOf } from '../kernel/url.ts'
import type { EventOf, LedgerEvent } from '../ledger/event.ts'
import { longestCrawlDelayMs, strikesOf } from '../politeness/decide.ts'
import { nextAllowed } from '../politeness/next-allowed.ts'
import type { Claim } from '../politeness/port.ts'
import { contentHeaders, newestAsked } from '../politeness/asked.ts'
import { foldClosingOf } from '../politeness/programme-state.ts'
import { type AttemptEnd, mayRetry, saidNo } from '../politeness/retry.ts'
import { programmeState, type SiteState } from '../politeness/site-state.ts'
import { confirmedAnswer, NOT_MODIFIED, type Validator } from '../politeness/validator.ts'
import type { Policy } from '../programmes/policy.ts'
import { crawlDelayMs } from '../robots/decide.ts'
import { appendFact } from './append.ts'
import { occasionOf } from './occasion.ts'
import type { Trail } from './trail.ts'
import { conclusionOf, isTold } from './conclude.ts'
import type { Crawl } from './crawl.ts'
import { observeNetwork } from './observe.ts'
import { type Known, nothing, understand } from './understand.ts'

export type Closed = {
  readonly sent: Sent
  /** 0: no answer came. */
  readonly status: number
  readonly redirect: RedirectChoice | null
  /** The address is to be tried once more. */
  readonly retry: boolean
  /** The conclusion of the fetch, if it ended here on another site's stream and is still to be told. */
  readonly untold: LedgerEvent | null
}

type End = {
  readonly answer: HttpAnswer | HttpFailure
  readonly trail: Trail
  readonly claim: Claim
  /** What the request was conditional on, if it was. */
  readonly validator: Validator | undefined
}

export const closeExchange = async (crawl: Crawl, sent: Sent, end: End): Promise<Closed> => {
  const endedAt = crawl.ports.clock.now()
  const known =
    end.answer.tag === 'Answer'
      ? await understand(crawl, sent, end.answer, end.trail)
      : { ...nothing, failure: end.answer }
  const attempt = attemptEnd(sent, known, endedAt)
  const retry = mayRetry(crawl.policy, attempt)
  const ending = retry ? null : endingOf(sent, known, end)
  const conclusion = conclusionOf(crawl, sent.event, ending, known.file)
  const here = siteOf(sent.event.url) === siteOf(sent.event.target)
  await appendFact(
    crawl,
    siteOf(sent.event.url),
    (state) => {
      const closing = closingEvent(crawl, sent, { known, state, attempt, endedAt })
      return [
        closing,
        ...redirectEvents(sent, known),
        ...observeNetwork(crawl, sent, known),
        ...(here && conclusion !== null && !isTold(crawl, state, sent.event) ? [conclusion] : []),
        ...stopEvents(crawl, state, closing),
      ]
    },
    end.claim,
  )
  crawl.tally[end.answer.tag === 'Answer' ? 'responses' : 'failures'] += 1
  return {
    sent,
    status: known.answer?.status ?? 0,
    redirect: known.redirect,
    retry,
    untold: here ? null : conclusion,
  }
}

const attemptEnd = (
  { event }: Sent,
  { answer, failure, refusal }: Known,
  endedAt: Instant,
): AttemptEnd => ({
  attempt: event.attempt,
  status: answer?.status ?? null,
  failure: answer === null ? (failure?.reason ?? 'interrupted') : null,
  refused: answer !== null && saidNo(answer.status, refusal),
  retryAfterMs:
    answer === null ? null : retryAfterMs(headerValues(answer.headers, 'retry-after'), endedAt),
})

type Situation = {
  readonly known: Known
  readonly state: SiteState
  readonly attempt: AttemptEnd
  readonly endedAt: Instant
}

const closingEvent = (crawl: Crawl, sent: Sent, { known, state, attempt, endedAt }: Situation) => {
  const { policy, night } = crawl
  const { answer, failure, body, refusal, file } = known
  const own = file === null ? 0 : (crawlDelayMs(file, policy.robotsToken) ?? 0)
  const longest = Math.max(own, longestCrawlDelayMs({ ...occasionOf(crawl), state }))
  const next = nextAllowed(policy, night, {
    ...attempt,
    endedAt,
    crawlDelayMs: longest === 0 ? null : longest,
    paceMs: (state.pace?.seconds ?? 0) * 1_000,
    alwaysClosed: attempt.failure === 'reset' && wasAlwaysClosed(state, policy, sent),
  })
  return answer === null
    ? requestFailed(sent, failure ?? interrupted, next)
    : responseReceived(sent, answer, { body, refusal, next })
}

const wasAlwaysClosed = (state: SiteState, policy: Policy, { event }: Sent): boolean =>
  newestAsked(programmeState(state, policy.name).asked, event.url)?.alwaysClosed === true

const interrupted: HttpFailure = {
  tag: 'Failure',
  reason: 'interrupted',
  code: '',
  remote: null,
  timing: { connectMs: null, firstByteMs: null, totalMs: 0 },
}

const redirectEvents = (
  { position, event }: Sent,
  { answer, redirect }: Known,
): readonly EventOf<'RedirectDecided'>[] => {
  if (answer === null || redirect === null) return []
  const location = headerValues(answer.headers, 'location')[0]?.slice(0, 8_192) ?? null
  const { verdict, reason, to } = redirect
  const { programme, subject, purpose, target, url: from, hop } = event
  return [
    {
      type: 'RedirectDecided',
      v: 1,
      programme,
      subject,
      request: position,
      purpose,
      target,
      from,
      status: answer.status,
      location,
      to,
      hop: hop + 1,
      verdict,
      reason,
    },
  ]
}

/** PR7: the failure that makes it too many in a row stops the site, in the same append. */
const stopEvents = (
  crawl: Crawl,
  state: SiteState,
  closing: EventOf<'ResponseReceived' | 'RequestFailed'>,
): readonly EventOf<'SiteStopped'>[] => {
  const { policy } = crawl
  const programme = foldClosingOf(programmeState(state, policy.name), closing)
  const strikes = strikesOf(programme, policy)
  const { limit } = policy.strikes
  if (limit === null || programme.stopped || strikes.length < limit) return []
  const requests = strikes.slice(-limit).map((failure) => failure.request)
  return [
    {
      type: 'SiteStopped',
      v: 1,
      programme: policy.name,
      site: state.site,
      strikes: strikes.length,
      requests,
    },
  ]
}

/** How the fetch ended, or null where it goes on with a next hop. */
const endingOf = (
  { position, event }: Sent,
  known: Known,
  { trail, validator }: End,
): Ending | null => {
  const { redirect } = known
  if (redirect?.verdict === 'follow') return null
  const answer = lastAnswer(position, known)
  const redirects = redirect === null ? trail.redirects : [...trail.redirects, answer.status ?? 300]
  const common = { url: event.url, redirects, reused: false, answer }
  if (known.answer === null) {
    return { ...common, outcome: 'failed', because: known.failure?.reason ?? 'interrupted' }
  }
  if (redirect !== null) return { ...common, outcome: 'redirect-refused', because: redirect.reason }
  if (known.answer.status !== 304 || validator === undefined) {
    return { ...common, outcome: 'answered', because: '' }
  }
  const confirmed = confirmedAnswer(answer, validator)
  return { ...common, outcome: 'answered', because: NOT_MODIFIED, answer: confirmed }
}

const lastAnswer = (request: Sent['position'], { answer, body }: Known): LastAnswer => ({
  request,
  status: answer?.status ?? null,
  headers: answer === null ? [] : contentHeaders(answer.headers),
  commit: body.kept ? body.commit : null,
  truncated: body.kept && body.truncated,
})
