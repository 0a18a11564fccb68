/** May this one request be made now? One pure decision over everything the ledger knows. */
import { type Instant, later } from '../kernel/instant.ts'
import type { Site } from '../kernel/site.ts'
import { clip } from '../kernel/text.ts'
import { originOf, type HttpUrl } from '../kernel/url.ts'
import type { Purpose } from '../kernel/words.ts'
import type { WithheldReason } from '../ledger/events/request-withheld.ts'
import type { NightSpan } from '../plan/night.ts'
import type { Policy } from '../programmes/policy.ts'
import { type RobotsKnowledge, ruleOn, type Ruling } from '../robots/ruling.ts'
import type { Asked, ProgrammeState } from './programme-state.ts'
import { programmeState, type SiteState } from './site-state.ts'

/** One request that is wanted. `target` is the address the fetch began with, `url` this hop's. */
export type Ask = {
  readonly subject: Site
  readonly purpose: Purpose
  readonly target: HttpUrl
  readonly url: HttpUrl
  readonly hop: number
}

export type AskDecision =
  | { readonly tag: 'send'; readonly ruling: Ruling }
  | { readonly tag: 'wait'; readonly until: Instant }
  /** Asked already, this night or too few hours ago: nothing to do and nothing to record. */
  | { readonly tag: 'already'; readonly asked: Asked }
  | {
      readonly tag: 'withhold'
      readonly reason: WithheldReason
      readonly detail: string
      readonly until: Instant | null
      readonly ruling: Ruling | null
    }

/** What a decision rests on. `robots` is what is known tonight of the robots.txt of the url's origin. */
export type Circumstances = {
  readonly policy: Policy
  readonly night: NightSpan
  readonly now: Instant
  readonly state: SiteState
  readonly robots: RobotsKnowledge | undefined
}

/**
 * Decides about one request. `wait` is only a matter of pace; whatever ends the night for the site is
 * `withhold`. The order of the questions is the order of their weight: a person's word first.
 */
export const decideAsk = (ask: Ask, at: Circumstances): AskDecision => {
  const programme = programmeState(at.state, at.policy.name)
  return (
    forbiddenByState(programme, at) ??
    alreadyAsked(ask, programme, at) ??
    cooling(at) ??
    forbiddenByRobots(ask, at) ??
    paced(ask, at)
  )
}

const withhold = (
  reason: WithheldReason,
  detail: string,
  until: Instant | null = null,
  ruling: Ruling | null = null,
): AskDecision => ({ tag: 'withhold', reason, detail, until, ruling })

/** PR15: a person excluded the site. PR7: it could not be reached too often. */
const forbiddenByState = (
  programme: ProgrammeState,
  { state, policy }: Circumstances,
): AskDecision | undefined => {
  if (state.excluded !== null) {
    return withhold('excluded', clip(`excluded by ${state.excluded.by}`, 300))
  }
  return programme.stopped
    ? withhold('stopped-after-failures', `not reached ${policy.strikes.limit} times in a row`)
    : undefined
}

/** PR5: each file at most once a night, and not again within the least number of hours. */
const alreadyAsked = (
  ask: Ask,
  programme: ProgrammeState,
  { policy, night, now }: Circumstances,
): AskDecision | undefined => {
  const asked = programme.asked.get(ask.url)
  if (asked === undefined) return undefined
  const tooSoon = now < later(asked.at, policy.once.hoursAtLeast * 3_600_000)
  return asked.night === night.name || tooSoon ? { tag: 'already', asked } : undefined
}

/** PR9: a site that said "too many requests", or refused, is left alone until its cooldown ends. */
const cooling = ({ state, now }: Circumstances): AskDecision | undefined =>
  state.cooldown !== null && state.cooldown.until > now
    ? withhold('cooldown', clip(state.cooldown.because, 300), state.cooldown.until)
    : undefined

/** PR2, PR3, PR8, PR10: what robots.txt says, and what its silence says. */
const forbiddenByRobots = (ask: Ask, at: Circumstances): AskDecision | undefined => {
  if (ask.purpose === 'robots') return undefined
  const ruling = ruleOn(at.policy, ask.purpose, ask.url, at.robots)
  const nextNight = at.night.endsAt
  if (ruling.basis === 'unreachable' || ruling.basis === 'unread') {
    const why = at.robots?.read.because ?? 'not read tonight'
    return withhold(
      'robots-unreachable',
      clip(`${originOf(ask.url)}: ${why}`, 300),
      nextNight,
      ruling,
    )
  }
  const delayMs = longestCrawlDelayMs(at)
  if (delayMs > at.policy.crawlDelay.maxSeconds * 1000) {
    return withhold('crawl-delay-too-long', `Crawl-delay ${delayMs / 1000} s`, nextNight, ruling)
  }
  if (ruling.verdict === 'allow') return undefined
  const rule = ruling.rule === null ? '' : `line ${ruling.rule.line}: ${ruling.rule.text}`
  return withhold('robots-disallow', clip(rule, 300), nextNight, ruling)
}

const paced = (ask: Ask, at: Circumstances): AskDecision =>
  at.state.nextAllowedAt > at.now
    ? { tag: 'wait', until: at.state.nextAllowedAt }
    : { tag: 'send', ruling: ruleOn(at.policy, ask.purpose, ask.url, at.robots) }

/**
 * The longest Crawl-delay that any origin of the site gave this night, in milliseconds: the site has
 * one pace, so its strictest file holds for all of it (PR8).
 */
export const longestCrawlDelayMs = ({
  state,
  policy,
  night,
}: Pick<Circumstances, 'state' | 'policy' | 'night'>): number => {
  const tonight = [...programmeState(state, policy.name).robots.values()].filter(
    (read) => read.night === night.name,
  )
  return Math.max(0, ...tonight.map((read) => read.crawlDelayMs ?? 0))
}

/** The failures in a row that count by the policy (PR7), newest last. */
export const strikesOf = (
  programme: ProgrammeState,
  policy: Policy,
): ProgrammeState['failures'] => {
  const counted = new Set<string>(policy.strikes.counts)
  const lastOther = programme.failures.findLastIndex((failure) => !counted.has(failure.kind))
  return programme.failures.slice(lastOther + 1)
}
