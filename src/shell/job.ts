/** One run: its beginning and its end in the ledger, and what it visits in between. */
import { siteOf } from '../kernel/url.ts'
import type { Digest } from '../kernel/digest.ts'
import type { EventOf } from '../ledger/event.ts'
import { runStream } from '../ledger/stream.ts'
import type { Site } from '../kernel/site.ts'
import type { Source } from '../programmes/sources.ts'
import type { Crawl } from './crawl.ts'
import { orHalt } from './halt.ts'
import { forEachAtOnce } from './pool.ts'
import { publishersOfSources } from './publishers.ts'
import { type Listed, visitSite, visitSource } from './visit.ts'

/** Who runs it: what RunStarted says about the program itself. */
export type Software = Pick<EventOf<'RunStarted'>, 'software' | 'node' | 'readers' | 'process'>

/** What RunStarted says of the run itself. */
export type Beginning = Software & {
  readonly sources: Digest
  readonly job: string | null
  readonly also: readonly Site[]
}

export const startRun = async (crawl: Crawl, beginning: Beginning): Promise<void> => {
  const event: EventOf<'RunStarted'> = {
    type: 'RunStarted',
    v: 2,
    programme: crawl.policy.name,
    adopted: crawl.adopted,
    night: crawl.night.name,
    kind: crawl.kind,
    ...beginning,
  }
  const append = { stream: runStream(crawl.run), expectedVersion: 0, events: [event] as const }
  await orHalt(crawl.ports.ledger.append(crawl.run, append))
}

export const endRun = async (crawl: Crawl): Promise<EventOf<'RunEnded'>> => {
  const event: EventOf<'RunEnded'> = {
    type: 'RunEnded',
    v: 1,
    programme: crawl.policy.name,
    status: crawl.stop.aborted ? 'interrupted' : 'completed',
    ...crawl.tally,
  }
  const append = { stream: runStream(crawl.run), expectedVersion: 1, events: [event] as const }
  await orHalt(crawl.ports.ledger.append(crawl.run, append))
  return event
}

export type Step = 'sources' | 'sites'
export type Tell = (step: Step, done: number, total: number) => void

/**
 * Sources first, since they say which sites there are; then the sites, many at once, each with one
 * request at a time. If our own world fails (database, disk) the run stays open in the ledger: the
 * next run's recovery closes it with what the ledger says was done.
 */
export const visitAll = async (
  crawl: Crawl,
  sources: readonly Source[],
  onlySites: ReadonlySet<Site> | undefined,
  tell: Tell,
): Promise<void> => {
  await inSteps(crawl, { step: 'sources', items: sources, tell }, (source) =>
    visitSource(crawl, source),
  )
  if (crawl.policy.order.site.length === 0) crawl.tally.sites += sitesIn(sources)
  const items = await sitesOf(crawl, sources, onlySites)
  await inSteps(crawl, { step: 'sites', items, tell }, (listed) => visitSite(crawl, listed))
}

/** The pages of one source, one after the other: one request at a time to a website (PK9). */
export const visitPages = async (crawl: Crawl, pages: readonly Source[]): Promise<void> => {
  crawl.tally.sites += sitesIn(pages)
  for (const page of pages) {
    if (crawl.stop.aborted) return
    await visitSource(crawl, page)
  }
}

const sitesIn = (sources: readonly Source[]): number =>
  new Set(sources.map(({ url }) => siteOf(url))).size

type Items<A> = { readonly step: Step; readonly items: readonly A[]; readonly tell: Tell }

const inSteps = async <A>(
  crawl: Crawl,
  { step, items, tell }: Items<A>,
  visit: (item: A) => Promise<void>,
): Promise<void> => {
  let done = 0
  tell(step, done, items.length)
  await forEachAtOnce(items, crawl.policy.sitesAtOnce, crawl.ports.clock, async (item) => {
    if (crawl.stop.aborted) return
    await visit(item)
    done += 1
    tell(step, done, items.length)
  })
}

const sitesOf = async (
  crawl: Crawl,
  sources: readonly Source[],
  onlySites: ReadonlySet<Site> | undefined,
): Promise<readonly Listed[]> => {
  if (crawl.stop.aborted || crawl.policy.order.site.length === 0) return []
  const publishers = await publishersOfSources(crawl, sources)
  return publishers.filter(({ site }) => onlySites?.has(site) ?? true)
}
