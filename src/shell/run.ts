/** One night of one programme, from its sources to the last site they name. */
import type { EventOf } from '../ledger/event.ts'
import type { Position } from '../kernel/position.ts'
import { runStream } from '../ledger/stream.ts'
import type { Site } from '../kernel/site.ts'
import { siteOf } from '../kernel/url.ts'
import { nightAt } from '../plan/night.ts'
import type { Policy } from '../programmes/policy.ts'
import type { Source } from '../programmes/sources.ts'
import { adoptProgramme, adoptSources } from './adopt.ts'
import type { Crawl, CrawlPorts } from './crawl.ts'
import { orHalt } from './halt.ts'
import { numbering } from './numbering.ts'
import { forEachAtOnce } from './pool.ts'
import { publishersOfSources } from './publishers.ts'
import { recover } from './recover.ts'
import { robotsFiles } from './robots-files.ts'
import { siteStore } from './site-store.ts'
import { type Listed, visitSite, visitSource } from './visit.ts'

/** Who runs it: what RunStarted says about the program itself. */
export type Software = Pick<EventOf<'RunStarted'>, 'software' | 'node' | 'readers' | 'process'>

export type NightRun = {
  readonly run: string
  readonly policy: Policy
  /** The exact text of the policy file. */
  readonly policyText: string
  readonly sources: readonly Source[]
  /** Restricts the night to these; undefined: all. */
  readonly onlySites: ReadonlySet<Site> | undefined
  readonly onlySources: ReadonlySet<string> | undefined
  readonly software: Software
  readonly stop: AbortSignal
  readonly progress: (progress: Progress) => void
}

export type Progress = {
  readonly step: 'sources' | 'sites'
  readonly done: number
  readonly total: number
  readonly tally: Crawl['tally']
}

export type RunReport = EventOf<'RunEnded'> & {
  readonly run: string
  readonly night: string
  readonly recovered: number
}

export const runNight = async (ports: CrawlPorts, asked: NightRun): Promise<RunReport> => {
  const { policy, run } = asked
  const { ledger } = ports
  const adopted = await adoptProgramme(ledger, run, policy.name, asked.policyText)
  const sources = await adoptSources(ledger, run, policy.name, asked.sources)
  const crawl = beginCrawl(ports, asked, adopted)
  const recovered = await recover(crawl)
  await startRun(crawl, asked, sources)
  const status = await nightOf(crawl, asked)
  const ended = await endRun(crawl, status)
  return { ...ended, run, night: crawl.night.name, recovered }
}

const beginCrawl = (ports: CrawlPorts, asked: NightRun, adopted: Position): Crawl => ({
  ports,
  run: asked.run,
  policy: asked.policy,
  adopted,
  night: nightAt(asked.policy.night, ports.clock.now()),
  sites: siteStore(ports.ledger),
  robots: robotsFiles(ports.bodies),
  numbering: numbering(),
  tally: { requests: 0, responses: 0, failures: 0, abandoned: 0, withheld: 0, sites: 0 },
  underWay: new Set(),
  stop: asked.stop,
})

const startRun = async (
  crawl: Crawl,
  { software }: NightRun,
  sources: EventOf<'RunStarted'>['sources'],
): Promise<void> => {
  const event: EventOf<'RunStarted'> = {
    type: 'RunStarted',
    v: 1,
    programme: crawl.policy.name,
    adopted: crawl.adopted,
    night: crawl.night.name,
    kind: 'night',
    sources,
    ...software,
  }
  const append = { stream: runStream(crawl.run), expectedVersion: 0, events: [event] as const }
  await orHalt(crawl.ports.ledger.append(crawl.run, append))
}

type Status = EventOf<'RunEnded'>['status']

/**
 * Sources first, since they say which sites there are; then the sites, many at once, each with one
 * request at a time. If our own world fails (database, disk) the run stays open in the ledger: the
 * next run's recovery closes it with what the ledger says was done.
 */
const nightOf = async (crawl: Crawl, asked: NightRun): Promise<Status> => {
  const { onlySources } = asked
  const sources = asked.sources.filter(({ id }) => onlySources?.has(id) ?? true)
  await inSteps(crawl, asked, { step: 'sources', items: sources }, ({ url }) =>
    visitSource(crawl, url, siteOf(url)),
  )
  const sites = await sitesOf(crawl, asked, sources)
  await inSteps(crawl, asked, { step: 'sites', items: sites }, (listed) => visitSite(crawl, listed))
  return crawl.stop.aborted ? 'interrupted' : 'completed'
}

const inSteps = async <A>(
  crawl: Crawl,
  { progress }: NightRun,
  { step, items }: { readonly step: Progress['step']; readonly items: readonly A[] },
  visit: (item: A) => Promise<void>,
): Promise<void> => {
  let done = 0
  const tell = (): void => progress({ step, done, total: items.length, tally: crawl.tally })
  tell()
  await forEachAtOnce(items, crawl.policy.sitesAtOnce, crawl.ports.clock, async (item) => {
    if (crawl.stop.aborted) return
    await visit(item)
    done += 1
    tell()
  })
}

const sitesOf = async (
  crawl: Crawl,
  { onlySites }: NightRun,
  sources: readonly Source[],
): Promise<readonly Listed[]> => {
  if (crawl.stop.aborted) return []
  const publishers = await publishersOfSources(crawl, sources)
  return publishers.filter(({ site }) => onlySites?.has(site) ?? true)
}

const endRun = async (crawl: Crawl, status: Status): Promise<EventOf<'RunEnded'>> => {
  const event: EventOf<'RunEnded'> = {
    type: 'RunEnded',
    v: 1,
    programme: crawl.policy.name,
    status,
    ...crawl.tally,
  }
  const append = { stream: runStream(crawl.run), expectedVersion: 1, events: [event] as const }
  await orHalt(crawl.ports.ledger.append(crawl.run, append))
  return event
}

/** A run's id: when it began, and six random characters against two that begin together. */
export const runId = (startedAt: string, random: string): string =>
  `${startedAt.replaceAll(/[-:.]/g, '').slice(0, 15)}Z-${random}`
