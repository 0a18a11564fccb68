/** May this one request be made now? One pure decision over everything the ledger knows. */
import { earliest, formatInstant, type Instant, later, latest } from '../kernel/instant.ts'
import type { Site } from '../kernel/site.ts'
import { clip } from '../kernel/text.ts'
import { type HttpUrl, originOf, siteOf } from '../kernel/url.ts'
import type { Purpose } from '../kernel/words.ts'
import type { WithheldReason } from '../ledger/events/request-withheld.ts'
import type { NightSpan } from '../plan/night.ts'
import type { Policy } from '../programmes/policy.ts'
import { patternMatches } from '../robots/pattern.ts'
import { type RobotsKnowledge, ruleOn, type Ruling } from '../robots/ruling.ts'
import { type Asked, askedInRun, newestAsked } from './asked.ts'
import type { ProgrammeState } from './programme-state.ts'
import { mayRetry } from './retry.ts'
import { isFresh, type Occasion } from './robots-copy.ts'
import { programmeState, type SiteState } from './site-state.ts'
import { newSource, sourceDuty } from './source-state.ts'

/**
 * One request that is wanted. `target` is the address the fetch began with, `url` this hop's, `source`
 * the source it is made for (null: a site that a source names).
 */
export type Ask = {
  readonly subject: Site
  readonly purpose: Purpose
  readonly target: HttpUrl
  readonly url: HttpUrl
  readonly hop: number
  readonly source: string | null
}

export type AskDecision =
  | { readonly tag: 'send'; readonly ruling: Ruling; readonly attempt: number }
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

/**
 * What a decision rests on. `robots` is what may be gone by of the robots.txt of the url's origin;
 * `scope` the sites a fetch may begin on, null where the programme has no such bound.
 */
export type Circumstances = Occasion & {
  readonly state: SiteState
  readonly robots: RobotsKnowledge | undefined
  readonly scope: ReadonlySet<Site> | null
}

/**
 * Decides about one request. `wait` is only a matter of pace; whatever ends the night for the site is
 * `withhold`. The order of the questions is the order of their weight: a person's word first.
 */
export const decideAsk = (ask: Ask, at: Circumstances): AskDecision => {
  const programme = programmeState(at.state, at.policy.name)
  return (
    forbiddenByPerson(ask, programme, at) ??
    outOfScope(ask, at) ??
    alreadyAsked(ask, programme, at) ??
    cooling(at) ??
    overTheNight(at.now, at) ??
    overBudget(ask, programme, at) ??
    forbiddenByRobots(ask, at) ??
    paced(ask, programme, at)
  )
}

const withhold = (
  reason: WithheldReason,
  detail: string,
  until: Instant | null = null,
  ruling: Ruling | null = null,
): AskDecision => ({ tag: 'withhold', reason, detail: clip(detail, 300), until, ruling })

/** PR15, RC25: a person's word. PR7: not reached too often. RC23: a source that is not read. */
const forbiddenByPerson = (
  ask: Ask,
  programme: ProgrammeState,
  { state, policy, night }: Circumstances,
): AskDecision | undefined => {
  if (state.excluded !== null) return withhold('excluded', `excluded by ${state.excluded.by}`)
  if (programme.stopped) {
    return withhold('stopped-after-failures', `not reached ${policy.strikes.limit} times in a row`)
  }
  const left = [...state.leftAlone].find(([path]) => patternMatches(path, ask.url))
  if (left !== undefined) return withhold('left-alone', `${left[0]} left alone by ${left[1]}`)
  if (ask.source === null || ask.purpose === 'robots') return undefined
  const source = programme.sources.get(ask.source) ?? newSource
  const duty = sourceDuty(policy, night, source)
  if (source.notRead === null || (ask.purpose === 'probe' && duty === 'look')) return undefined
  return withhold('not-read', `${source.notRead.reason} (${source.notRead.by})`)
}

/** PK1, PK2, PK3: a fetch begins on a listed site, and ends on one; only robots.txt may be elsewhere. */
const outOfScope = (ask: Ask, { scope }: Circumstances): AskDecision | undefined => {
  if (scope === null || (ask.purpose === 'robots' && ask.hop > 0)) return undefined
  return scope.has(siteOf(ask.url))
    ? undefined
    : withhold('out-of-scope', `${siteOf(ask.url)} is on no source list`)
}

/** The last time the address was asked, as far as it counts now (PR5, PK6). */
const lastAsked = (
  ask: Ask,
  programme: ProgrammeState,
  { policy, night, now, run }: Circumstances,
): Asked | undefined => {
  const newest = newestAsked(programme.asked, ask.url)
  if (newest === undefined) return undefined
  const current =
    policy.once.per === 'run'
      ? askedInRun(programme.asked, ask.url, run)
      : newest.night === night.name
        ? newest
        : undefined
  const tooSoon = now < later(newest.at, policy.once.hoursAtLeast * 3_600_000)
  return current ?? (tooSoon ? newest : undefined)
}

/** PR5: each file at most once a night, and not again within the least number of hours. */
const alreadyAsked = (
  ask: Ask,
  programme: ProgrammeState,
  at: Circumstances,
): AskDecision | undefined => {
  const asked = lastAsked(ask, programme, at)
  return asked === undefined || attemptAfter(asked, at) > 1 ? undefined : { tag: 'already', asked }
}

/** Which attempt the next one would be: 1 where the last was not one that is tried again (PK10, RC13). */
const attemptAfter = (
  asked: Asked | undefined,
  { policy, night }: Pick<Circumstances, 'policy' | 'night'>,
): number => {
  if (asked === undefined || asked.end === null || asked.night !== night.name) return 1
  return mayRetry(policy, asked.end) ? asked.attempt + 1 : 1
}

/** PR9, PK10, PK11, RC20: a site that said no, or "later", is left alone until its cooldown ends. */
const cooling = ({ state, now }: Circumstances): AskDecision | undefined =>
  state.cooldown !== null && state.cooldown.until > now
    ? withhold('cooldown', state.cooldown.because, state.cooldown.until)
    : undefined

/**
 * RC11: what the night's limit does not reach waits for the next night. No run goes on past its own
 * night's end either: what it asked then would count for a night that is over.
 */
const overTheNight = (
  moment: Instant,
  { policy, night, kind }: Circumstances,
): AskDecision | undefined => {
  const { limitMinutes } = policy.night
  const limit =
    limitMinutes === null || kind === 'hand'
      ? night.endsAt
      : earliest(night.endsAt, later(night.startsAt, limitMinutes * 60_000))
  return moment < limit
    ? undefined
    : withhold('night-limit', `not after ${formatInstant(limit)}`, night.endsAt)
}

/** RC9: what a source may cost in a night. Redirects and retries belong to the request they follow. */
const overBudget = (
  ask: Ask,
  programme: ProgrammeState,
  at: Circumstances,
): AskDecision | undefined => {
  const { filesPerSource } = at.policy.budget
  if (filesPerSource === null || ask.source === null) return undefined
  if (ask.purpose === 'robots' || ask.hop > 0) return undefined
  if (attemptAfter(lastAsked(ask, programme, at), at) > 1) return undefined
  const files = filesTonight(programme, ask.source, at)
  return files < filesPerSource
    ? undefined
    : withhold('budget', `${files} of ${filesPerSource} files asked tonight`, at.night.endsAt)
}

const filesTonight = (
  programme: ProgrammeState,
  source: string,
  { night }: Circumstances,
): number => (programme.night === night.name ? (programme.sources.get(source)?.files ?? 0) : 0)

/** PR2, PR3, PR8, PR10: what robots.txt says, and what its silence says. */
const forbiddenByRobots = (ask: Ask, at: Circumstances): AskDecision | undefined => {
  if (ask.purpose === 'robots') return undefined
  const ruling = ruleOn(at.policy, ask.purpose, ask.url, at.robots)
  const nextNight = at.night.endsAt
  if (ruling.basis === 'unreachable' || ruling.basis === 'unread') {
    const why = `${originOf(ask.url)}: ${at.robots?.read.because ?? 'not read tonight'}`
    return withhold('robots-unreachable', why, nextNight, ruling)
  }
  const delayMs = longestCrawlDelayMs(at)
  if (delayMs > at.policy.crawlDelay.maxSeconds * 1000) {
    return withhold('crawl-delay-too-long', `Crawl-delay ${delayMs / 1000} s`, nextNight, ruling)
  }
  if (ruling.verdict === 'allow') return undefined
  const rule = ruling.rule === null ? '' : `line ${ruling.rule.line}: ${ruling.rule.text}`
  return withhold('robots-disallow', rule, nextNight, ruling)
}

/**
 * PR6, PR8, PK9, RC8, PK16, RC25: the site's next moment as the last exchange left it, and this
 * programme's own waits and a person's slower pace, counted from that exchange's end whoever made it.
 */
const paced = (ask: Ask, programme: ProgrammeState, at: Circumstances): AskDecision => {
  const { state, policy, now } = at
  const ownSeconds = Math.max(policy.pauseSeconds, state.pace?.seconds ?? 0)
  const ownMs = Math.max(ownSeconds * 1_000, longestCrawlDelayMs(at))
  const notBefore = latest(state.nextAllowedAt, later(state.lastEndedAt, ownMs))
  if (notBefore > now) return overTheNight(notBefore, at) ?? { tag: 'wait', until: notBefore }
  const attempt = attemptAfter(lastAsked(ask, programme, at), at)
  return { tag: 'send', ruling: ruleOn(policy, ask.purpose, ask.url, at.robots), attempt }
}

/**
 * The longest Crawl-delay that any origin of the site gave this night, in milliseconds: the site has
 * one pace, so its strictest file holds for all of it (PR8).
 */
export const longestCrawlDelayMs = (at: Occasion & { readonly state: SiteState }): number => {
  const copies = [...programmeState(at.state, at.policy.name).robots.values()].flat()
  const counting = copies.filter((copy) => copy.read.night === at.night.name || isFresh(copy, at))
  return Math.max(0, ...counting.map(({ read }) => read.crawlDelayMs ?? 0))
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

/** What is due for a source tonight, by a person's word on it (RC23). */
export const dutyOf = (
  state: SiteState,
  source: string,
  { policy, night }: { readonly policy: Policy; readonly night: NightSpan },
): ReturnType<typeof sourceDuty> =>
  sourceDuty(policy, night, programmeState(state, policy.name).sources.get(source) ?? newSource)
