/** One night of one programme: as one run, or as a run (a crawl job) for each of its sources. */
import type { Digest } from '../kernel/digest.ts'
import type { EventOf } from '../ledger/event.ts'
import type { Position } from '../kernel/position.ts'
import type { Site } from '../kernel/site.ts'
import { siteOf } from '../kernel/url.ts'
import { nightAt } from '../plan/night.ts'
import type { Policy } from '../programmes/policy.ts'
import type { Source } from '../programmes/sources.ts'
import { adoptProgramme, adoptSources } from './adopt.ts'
import type { Crawl, CrawlPorts, Tally } from './crawl.ts'
import { endRun, type Software, startRun, type Step, visitAll, visitPages } from './job.ts'
import { numbering } from './numbering.ts'
import { forEachAtOnce } from './pool.ts'
import { recover } from './recover.ts'
import { robotsFiles } from './robots-files.ts'
import { siteStore } from './site-store.ts'

export type NightRun = {
  readonly run: string
  readonly policy: Policy
  /** The exact text of the policy file. */
  readonly policyText: string
  readonly sources: readonly Source[]
  /** Restricts the night to these; undefined: all. */
  readonly onlySites: ReadonlySet<Site> | undefined
  readonly onlySources: ReadonlySet<string> | undefined
  /** Websites allowed for this run alone (PK2). */
  readonly also: readonly Site[]
  readonly software: Software
  readonly stop: AbortSignal
  readonly progress: (progress: Progress) => void
}

export type Progress = {
  readonly step: Step | 'jobs'
  readonly done: number
  readonly total: number
  readonly tally: Tally
}

export type RunReport = EventOf<'RunEnded'> & {
  readonly run: string
  readonly night: string
  readonly recovered: number
  /** How many runs the night was: one, or one for each source. */
  readonly jobs: number
}

export const runNight = async (ports: CrawlPorts, asked: NightRun): Promise<RunReport> => {
  const { policy, run } = asked
  const adopted = await adoptProgramme(ports.ledger, run, policy.name, asked.policyText)
  const sources = await adoptSources(ports.ledger, run, policy.name, asked.sources)
  const crawl = beginCrawl(ports, { ...asked, kind: 'night', adopted })
  const recovered = await recover(crawl)
  const { ended, jobs } =
    policy.job === 'source'
      ? await inJobs(crawl, asked, sources)
      : { ended: await inOneRun(crawl, asked, sources), jobs: 1 }
  return { ...ended, run, night: crawl.night.name, recovered, jobs }
}

export type Start = Pick<NightRun, 'run' | 'policy' | 'sources' | 'also' | 'stop'> & {
  readonly kind: Crawl['kind']
  readonly adopted: Position
}

export const beginCrawl = (ports: CrawlPorts, start: Start): Crawl => ({
  ports,
  run: start.run,
  policy: start.policy,
  adopted: start.adopted,
  night: nightAt(start.policy.night, ports.clock.now()),
  kind: start.kind,
  scope:
    start.policy.scope === 'any'
      ? null
      : new Set([...start.sources.map(({ url }) => siteOf(url)), ...start.also]),
  sites: siteStore(ports.ledger),
  robots: robotsFiles(ports.bodies),
  ...ownOfRun(),
  stop: start.stop,
})

/** What no two runs share. */
const ownOfRun = (): Pick<Crawl, 'numbering' | 'tally' | 'underWay'> => ({
  numbering: numbering(),
  tally: { requests: 0, responses: 0, failures: 0, abandoned: 0, withheld: 0, sites: 0 },
  underWay: new Set(),
})

const chosen = ({ sources, onlySources }: NightRun): readonly Source[] =>
  sources.filter(({ id }) => onlySources?.has(id) ?? true)

const inOneRun = async (
  crawl: Crawl,
  asked: NightRun,
  sources: Digest,
): Promise<EventOf<'RunEnded'>> => {
  await startRun(crawl, { ...asked.software, sources, job: null, also: asked.also })
  await visitAll(crawl, chosen(asked), asked.onlySites, (step, done, total) =>
    asked.progress({ step, done, total, tally: crawl.tally }),
  )
  return endRun(crawl)
}

/** PK6: robots.txt counts for one job, and each source has a job of its own. */
const inJobs = async (
  crawl: Crawl,
  asked: NightRun,
  sources: Digest,
): Promise<{ readonly ended: EventOf<'RunEnded'>; readonly jobs: number }> => {
  const bySource = Map.groupBy(chosen(asked), ({ id }) => id)
  const jobs = [...bySource].map(([job, pages], index) => {
    const own: Crawl = { ...crawl, ...ownOfRun(), run: `${crawl.run}.${index + 1}` }
    return { job, pages, own }
  })
  let done = 0
  const ended: EventOf<'RunEnded'>[] = []
  await forEachAtOnce(jobs, crawl.policy.sitesAtOnce, crawl.ports.clock, async (one) => {
    if (crawl.stop.aborted) return
    await startRun(one.own, { ...asked.software, sources, job: one.job, also: asked.also })
    await visitPages(
      one.own,
      one.pages.filter(({ url }) => asked.onlySites?.has(siteOf(url)) ?? true),
    )
    ended.push(await endRun(one.own))
    done += 1
    asked.progress({ step: 'jobs', done, total: jobs.length, tally: sumOf(ended) })
  })
  const status = crawl.stop.aborted ? 'interrupted' : 'completed'
  const whole = { type: 'RunEnded', v: 1, programme: crawl.policy.name, status } as const
  return { ended: { ...whole, ...sumOf(ended) }, jobs: ended.length }
}

const sumOf = (ended: readonly Tally[]): Tally => {
  const sum = (of: (tally: Tally) => number): number =>
    ended.reduce((total, tally) => total + of(tally), 0)
  return {
    requests: sum(({ requests }) => requests),
    responses: sum(({ responses }) => responses),
    failures: sum(({ failures }) => failures),
    abandoned: sum(({ abandoned }) => abandoned),
    withheld: sum(({ withheld }) => withheld),
    sites: sum(({ sites }) => sites),
  }
}

/** A run's id: when it began, and six random characters against two that begin together. */
export const runId = (startedAt: string, random: string): string =>
  `${startedAt.replaceAll(/[-:.]/g, '').slice(0, 15)}Z-${random}`
