/**
 * One request, exactly (DESIGN: the way of one request). Decide; claim the site; decide again on what
 * the ledger says now; RobotsDecided; RequestSent durable; then, and only then, the first byte.
 */
import { requestFor } from '../capture/request.ts'
import type { Sent } from '../capture/closing.ts'
import { later } from '../kernel/instant.ts'
import type { Position } from '../kernel/position.ts'
import { originOf, siteOf } from '../kernel/url.ts'
import type { EventOf } from '../ledger/event.ts'
import type { WithheldReason } from '../ledger/events/request-withheld.ts'
import { type Ask, type AskDecision, type Circumstances, decideAsk } from '../politeness/decide.ts'
import type { Claim } from '../politeness/port.ts'
import type { Asked } from '../politeness/asked.ts'
import { fileKey, isSettled } from '../politeness/programme-state.ts'
import { conditionalHeaders } from '../politeness/validator.ts'
import { programmeState, type SiteState } from '../politeness/site-state.ts'
import { freshCopy } from '../politeness/robots-copy.ts'
import { fetchRule } from '../programmes/policy.ts'
import type { Ruling } from '../robots/ruling.ts'
import { readerLabel } from '../readers/reader.ts'
import { ROBOTS_READER } from '../robots/reader.ts'
import { closeAbandoned } from './abandon.ts'
import { appendDecided } from './append.ts'
import { closeExchange, type Closed } from './close.ts'
import type { Crawl } from './crawl.ts'
import { orHalt } from './halt.ts'
import { occasionOf } from './occasion.ts'
import type { Trail } from './trail.ts'

export type AskOutcome =
  | { readonly tag: 'closed'; readonly closed: Closed }
  | { readonly tag: 'already'; readonly asked: Asked }
  | { readonly tag: 'withheld'; readonly reason: WithheldReason }
  | { readonly tag: 'interrupted' }

/** How long to leave a site alone that another worker has claimed, before looking again. */
const CLAIMED_ELSEWHERE_MS = 200

/** Makes the request, or records why not. Waits for the site's pace as long as it takes. */
export const ask = async (crawl: Crawl, wanted: Ask, trail: Trail): Promise<AskOutcome> => {
  for (;;) {
    if (crawl.stop.aborted) return { tag: 'interrupted' }
    const at = await circumstances(crawl, wanted)
    const decision = decideAsk(wanted, at)
    const outcome = await actOn(crawl, { wanted, trail, at, decision })
    if (outcome !== 'again') return outcome
  }
}

type Send = Extract<AskDecision, { readonly tag: 'send' }>
type SendStep = Step & { readonly decision: Send }
type Step = {
  readonly wanted: Ask
  readonly trail: Trail
  readonly at: Circumstances
  readonly decision: AskDecision
}

const actOn = async (crawl: Crawl, step: Step): Promise<AskOutcome | 'again'> => {
  const { decision, wanted, at } = step
  switch (decision.tag) {
    case 'already':
      return decision
    case 'wait':
      await crawl.ports.clock.sleepUntil(decision.until, crawl.stop)
      return 'again'
    case 'withhold':
      return (await recordWithheld(crawl, wanted, at, decision))
        ? { tag: 'withheld', reason: decision.reason }
        : 'again'
    case 'send':
      return underClaim(crawl, step)
  }
}

/** Everything the decision rests on, as the ledger has it at this moment. */
const circumstances = async (crawl: Crawl, wanted: Ask): Promise<Circumstances> => {
  const state = await crawl.sites.load(siteOf(wanted.url))
  const occasion = occasionOf(crawl)
  const { robots: copies } = programmeState(state, crawl.policy.name)
  const copy = freshCopy(copies, originOf(wanted.url), occasion)
  const robots = copy === undefined ? undefined : await crawl.robots.knowledge(copy.read)
  return { ...occasion, scope: crawl.scope, state, robots }
}

const underClaim = async (crawl: Crawl, step: Step): Promise<AskOutcome | 'again'> => {
  const { claims, clock } = crawl.ports
  const claim = await orHalt(claims.claim(siteOf(step.wanted.url)))
  if (claim === undefined) {
    await clock.sleepUntil(later(clock.now(), CLAIMED_ELSEWHERE_MS), crawl.stop)
    return 'again'
  }
  try {
    return await send(crawl, step, claim)
  } finally {
    await orHalt(claims.release(claim))
  }
}

/** Under the claim: nobody else may ask this site, so what is decided now holds until it is sent. */
const send = async (crawl: Crawl, step: Step, claim: Claim): Promise<AskOutcome | 'again'> => {
  const at = await circumstances(crawl, step.wanted)
  if (at.state.open !== null) {
    await closeAbandoned(crawl, claim)
    return 'again'
  }
  const decision = decideAsk(step.wanted, at)
  if (decision.tag !== 'send') return 'again'
  const sent = await recordSent(crawl, { ...step, at, decision }, claim)
  if (sent === undefined) return 'again'
  const { request, validator } = requestOf(crawl, step.wanted, at)
  const answer = await crawl.ports.fetch(request)
  return {
    tag: 'closed',
    closed: await closeExchange(crawl, sent, { answer, trail: step.trail, claim, validator }),
  }
}

const decided = (crawl: Crawl, wanted: Ask, ruling: Ruling): EventOf<'RobotsDecided'> => ({
  type: 'RobotsDecided',
  v: 1,
  programme: crawl.policy.name,
  subject: wanted.subject,
  url: wanted.url,
  purpose: wanted.purpose,
  ...ruling,
  token: crawl.policy.robotsToken,
  reader: readerLabel(ROBOTS_READER),
})

/** RobotsDecided, then RequestSent, each durable by itself; undefined if a person stepped in between. */
const recordSent = async (
  crawl: Crawl,
  { wanted, trail, at, decision: { ruling, attempt } }: SendStep,
  claim: Claim,
): Promise<Sent | undefined> => {
  const ruled = await appendDecided(crawl, at.state, [decided(crawl, wanted, ruling)], claim)
  const decision = ruled?.positions[0]
  if (ruled === undefined || decision === undefined) return undefined
  const state: SiteState = { ...at.state, version: ruled.version }
  return crawl.numbering.next(async (n) => {
    const { headers } = requestOf(crawl, wanted, at).request
    const marks = { n, decision, attempt, fence: claim.fence, via: trail.via, headers }
    const event = requestSent(crawl, wanted, marks)
    const appended = await appendDecided(crawl, state, [event], claim)
    const position = appended?.positions[0]
    if (appended === undefined || position === undefined) return { used: false, value: undefined }
    crawl.tally.requests += 1
    return { used: true, value: { position, ts: appended.ts, event } }
  })
}

type Marks = Pick<
  EventOf<'RequestSent'>,
  'n' | 'decision' | 'attempt' | 'fence' | 'via' | 'headers'
>

const requestSent = (crawl: Crawl, wanted: Ask, marks: Marks): EventOf<'RequestSent'> => ({
  type: 'RequestSent',
  v: 2,
  programme: crawl.policy.name,
  ...wanted,
  ...marks,
  night: crawl.night.name,
})

/** The request, and what it is conditional on. */
const requestOf = ({ policy }: Crawl, { purpose, url }: Ask, { state }: Circumstances) => {
  const conditional = fetchRule(policy, purpose).conditional
  const known = programmeState(state, policy.name).validators.get(url)
  const validator = conditional ? known : undefined
  return { request: requestFor(policy, purpose, url, conditionalHeaders(validator)), validator }
}

type Withheld = Extract<AskDecision, { readonly tag: 'withhold' }>

/** Records a refusal once a night. False: the stream has moved on, decide again. */
const recordWithheld = async (
  crawl: Crawl,
  wanted: Ask,
  at: Circumstances,
  decision: Withheld,
): Promise<boolean> => {
  const programme = programmeState(at.state, crawl.policy.name)
  if (isSettled(programme, fileKey(wanted.purpose, wanted.url), crawl)) return true
  let { state } = at
  let ruled: Position | null = null
  if (decision.ruling !== null) {
    const appended = await appendDecided(crawl, state, [decided(crawl, wanted, decision.ruling)])
    if (appended === undefined) return false
    ruled = appended.positions[0] ?? null
    state = { ...state, version: appended.version }
  }
  const appended = await appendDecided(crawl, state, [
    withheldEvent(crawl, wanted, decision, ruled),
  ])
  if (appended !== undefined) crawl.tally.withheld += 1
  return appended !== undefined
}

const withheldEvent = (
  crawl: Crawl,
  wanted: Ask,
  { reason, detail, until }: Withheld,
  decision: Position | null,
): EventOf<'RequestWithheld'> => ({
  type: 'RequestWithheld',
  v: 1,
  programme: crawl.policy.name,
  subject: wanted.subject,
  url: wanted.url,
  purpose: wanted.purpose,
  night: crawl.night.name,
  reason,
  detail,
  until,
  decision,
})
