/** One file of one site: its origin's robots.txt first, then hop by hop until there is an end. */
import { type Ending, noAnswer } from '../capture/conclusion.ts'
import type { HttpUrl, Origin } from '../kernel/url.ts'
import { originOf, robotsUrlOf, siteOf } from '../kernel/url.ts'
import type { Site } from '../kernel/site.ts'
import type { Purpose } from '../kernel/words.ts'
import type { Answer, Asked } from '../politeness/asked.ts'
import { fileKey } from '../politeness/programme-state.ts'
import { freshCopy } from '../politeness/robots-copy.ts'
import { programmeState } from '../politeness/site-state.ts'
import { confirmedAnswer, NOT_MODIFIED } from '../politeness/validator.ts'
import { fetchRule } from '../programmes/policy.ts'
import { isRedirect } from '../capture/redirect.ts'
import { later } from '../kernel/instant.ts'
import { isUnderWay, LOOK_AGAIN_MS } from './under-way.ts'
import type { RobotsFile } from '../robots/read.ts'
import { bodyUnlessErased } from './erasing/erased-bodies.ts'
import { robotsFileOf } from './robots-files.ts'
import { ask, type AskOutcome } from './ask.ts'
import { occasionOf } from './occasion.ts'
import { conclude, conclusionOf } from './conclude.ts'
import type { Crawl } from './crawl.ts'
import type { Trail } from './trail.ts'

export type Wanted = {
  readonly subject: Site
  readonly purpose: Purpose
  readonly target: HttpUrl
  /** The source it is fetched for; null: a site that a source names. */
  readonly source: string | null
}

/** `blocked`: nothing more can be asked of this origin in this run. */
export type FileOutcome = 'settled' | 'blocked' | 'interrupted'

type Hop = { readonly url: HttpUrl; readonly trail: Trail }

/**
 * Of several fetches of one file in a run (a robots.txt that many redirects lead to) the first leads
 * to its end; the others wait for what it concludes.
 */
export const fetchFile = async (crawl: Crawl, wanted: Wanted): Promise<FileOutcome> => {
  const key = fileKey(wanted.purpose, wanted.target)
  const leads = !crawl.underWay.has(key)
  if (!leads) return followFile(crawl, wanted, leads)
  crawl.underWay.add(key)
  try {
    return await followFile(crawl, wanted, leads)
  } finally {
    crawl.underWay.delete(key)
  }
}

const followFile = async (crawl: Crawl, wanted: Wanted, leads: boolean): Promise<FileOutcome> => {
  let hop: Hop = {
    url: wanted.target,
    trail: { addresses: [wanted.target], redirects: [], via: null },
  }
  for (;;) {
    if (wanted.purpose !== 'robots') {
      const robots = await ensureRobots(crawl, wanted, originOf(hop.url))
      if (robots !== 'settled') return giveUp(crawl, wanted, hop, robots)
    }
    const outcome = await ask(crawl, askFor(wanted, hop), hop.trail)
    if (
      outcome.tag === 'already' &&
      (await isUnderWay(crawl, wanted, { ...hop, leads }, outcome.asked))
    ) {
      const { clock } = crawl.ports
      await clock.sleepUntil(later(clock.now(), LOOK_AGAIN_MS), crawl.stop)
      continue
    }
    if (outcome.tag === 'closed' && outcome.closed.retry) continue
    const next = outcome.tag === 'closed' ? nextHop(hop, outcome) : undefined
    if (next === undefined) return settle(crawl, wanted, hop, outcome)
    hop = next
  }
}

const askFor = (wanted: Wanted, { url, trail }: Hop) => ({
  ...wanted,
  url,
  hop: trail.addresses.length - 1,
})

const nextHop = (
  { trail }: Hop,
  { closed }: Extract<AskOutcome, { readonly tag: 'closed' }>,
): Hop | undefined => {
  const { redirect, sent } = closed
  if (redirect?.verdict !== 'follow') return undefined
  return {
    url: redirect.to,
    trail: {
      addresses: [...trail.addresses, redirect.to],
      redirects: [...trail.redirects, closed.status],
      via: sent.position,
    },
  }
}

/**
 * Reads the robots.txt of an origin unless there is a copy that still counts (PR2, PK6). `blocked`: it may not
 * even be asked for. An attempt that a crash cut off counts as asked, and as unreachable.
 */
export const ensureRobots = async (
  crawl: Crawl,
  { subject, source }: Pick<Wanted, 'subject' | 'source'>,
  origin: Origin,
): Promise<FileOutcome> => {
  const target = robotsUrlOf(origin)
  const isKnown = async (): Promise<boolean> => {
    const state = await crawl.sites.load(siteOf(target))
    const { robots } = programmeState(state, crawl.policy.name)
    return freshCopy(robots, origin, occasionOf(crawl)) !== undefined
  }
  if (await isKnown()) return 'settled'
  const outcome = await fetchFile(crawl, { subject, source, purpose: 'robots', target })
  if (outcome === 'interrupted') return outcome
  return (await isKnown()) ? 'settled' : 'blocked'
}

const settle = async (
  crawl: Crawl,
  wanted: Wanted,
  hop: Hop,
  outcome: AskOutcome,
): Promise<FileOutcome> => {
  switch (outcome.tag) {
    case 'interrupted':
      return 'interrupted'
    case 'closed':
      if (outcome.closed.untold !== null) await conclude(crawl, wanted, outcome.closed.untold)
      return 'settled'
    case 'withheld':
      // At hop 0 the RequestWithheld itself is the conclusion.
      if (hop.trail.redirects.length > 0)
        await tell(crawl, wanted, hop, withheldEnding(outcome.reason))
      return hop.trail.redirects.length > 0 ? 'settled' : 'blocked'
    case 'already':
      await tellAlready(crawl, wanted, hop, outcome.asked)
      return 'settled'
  }
}

const giveUp = async (
  crawl: Crawl,
  wanted: Wanted,
  hop: Hop,
  robots: 'blocked' | 'interrupted',
): Promise<FileOutcome> => {
  if (robots === 'blocked' && hop.trail.redirects.length > 0) {
    await tell(crawl, wanted, hop, withheldEnding('robots-unreachable'))
    return 'settled'
  }
  return robots
}

type Told = Pick<Ending, 'outcome' | 'because' | 'reused' | 'answer'> & {
  /** The rules, where the fetch was for robots.txt and gave some. */
  readonly file?: RobotsFile | null
}

const withheldEnding = (because: string): Told => ({
  outcome: 'withheld',
  because,
  reused: false,
  answer: noAnswer,
})

const tell = async (
  crawl: Crawl,
  wanted: Wanted,
  hop: Hop,
  { file = null, ...told }: Told,
): Promise<void> => {
  const ending: Ending = { ...told, url: hop.url, redirects: hop.trail.redirects }
  const event = conclusionOf(crawl, wanted, ending, file)
  if (event !== null) await conclude(crawl, wanted, event)
}

/**
 * The address was asked before. This night, and it gave an answer: that answer serves here too (PR5,
 * each file once; an apex and its www often share one file). This night without one: a crash cut it
 * off. An earlier night, but too few hours ago: nothing to tell, the fetch is simply not due.
 */
const tellAlready = async (crawl: Crawl, wanted: Wanted, hop: Hop, asked: Asked): Promise<void> => {
  if (asked.night !== crawl.night.name) return
  const { answer, request } = asked
  const usable = answer !== null && answer.commit !== null && !isRedirect(answer.status)
  if (!usable) return tell(crawl, wanted, hop, cutOff)
  const confirmed = await confirmedBy(crawl, wanted, hop, answer)
  const reused: Told = {
    outcome: 'answered',
    because: confirmed === undefined ? '' : NOT_MODIFIED,
    reused: true,
    answer: { ...(confirmed ?? answer), request },
    file: await keptRobots(crawl, wanted, answer),
  }
  return tell(crawl, wanted, hop, reused)
}

/** What a 304 said is still so: the last whole answer, which nothing has replaced since (PK12, RC10). */
const confirmedBy = async (
  crawl: Crawl,
  { purpose }: Wanted,
  { url }: Hop,
  answer: Answer,
): Promise<Answer | undefined> => {
  if (answer.status !== 304 || !fetchRule(crawl.policy, purpose).conditional) return undefined
  const state = await crawl.sites.load(siteOf(url))
  const validator = programmeState(state, crawl.policy.name).validators.get(url)
  return validator === undefined ? undefined : confirmedAnswer(answer, validator)
}

const cutOff: Told = {
  outcome: 'interrupted',
  because: 'asked-before',
  reused: false,
  answer: noAnswer,
}

const keptRobots = async (
  crawl: Crawl,
  { purpose }: Wanted,
  { commit, headers }: Answer,
): Promise<RobotsFile | null> => {
  if (purpose !== 'robots' || commit === null) return null
  const body = await bodyUnlessErased(crawl.ports.bodies, commit)
  return body === undefined ? null : robotsFileOf(body, headers)
}
