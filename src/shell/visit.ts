/** One site in one night: put it on the list, then each file of the programme's order. */
import type { HttpUrl } from '../kernel/url.ts'
import { originOf, urlAt } from '../kernel/url.ts'
import type { Site } from '../kernel/site.ts'
import type { EventOf } from '../ledger/event.ts'
import { NAMINGS_MAX, type Naming } from '../ledger/events/site-listed.ts'
import { programmeState } from '../politeness/site-state.ts'
import { appendFact } from './append.ts'
import type { Crawl } from './crawl.ts'
import { ensureRobots, fetchFile, type FileOutcome } from './fetch-file.ts'

/** A site to visit, and the seller entries that named it (PR16). */
export type Listed = {
  readonly site: Site
  readonly namings: readonly Naming[]
  readonly reader: string
}

/** The scheme is https unless the source says http; there is no silent fall-back. */
const originOfSite = (site: Site) => originOf(`https://${site}/` as HttpUrl)

export const visitSite = async (crawl: Crawl, listed: Listed): Promise<void> => {
  await list(crawl, listed)
  crawl.tally.sites += 1
  const { site: subject } = listed
  const origin = originOfSite(subject)
  for (const purpose of crawl.policy.order.site) {
    const path = crawl.policy.fetch[purpose].path
    const target = urlAt(origin, path === null ? '/' : `/${path.slice(1)}`)
    const outcome =
      purpose === 'robots'
        ? await ensureRobots(crawl, subject, origin)
        : await fetchFile(crawl, { subject, purpose, target })
    if (isOver(purpose, outcome)) return
  }
}

/** A source's own file: the list of sites comes from it. */
export const visitSource = async (crawl: Crawl, source: HttpUrl, subject: Site): Promise<void> => {
  for (const purpose of crawl.policy.order.source) {
    const outcome =
      purpose === 'robots'
        ? await ensureRobots(crawl, subject, originOf(source))
        : await fetchFile(crawl, { subject, purpose, target: source })
    if (isOver(purpose, outcome)) return
  }
}

/** Without robots.txt even being asked for, nothing else can be; the reason stands in the ledger. */
const isOver = (purpose: string, outcome: FileOutcome): boolean =>
  outcome === 'interrupted' || (purpose === 'robots' && outcome === 'blocked')

/** PR15: an excluded site is not put on any list again, whatever a file says. */
const list = (crawl: Crawl, { site, namings, reader }: Listed): Promise<void> =>
  appendFact(crawl, site, (state) => {
    const { listed } = programmeState(state, crawl.policy.name)
    const event: EventOf<'SiteListed'> = {
      type: 'SiteListed',
      v: 1,
      programme: crawl.policy.name,
      site,
      reader,
      namings: namings.length,
      namedBy: namings.slice(0, NAMINGS_MAX),
    }
    return state.excluded !== null || sameNamings(listed, event) ? [] : [event]
  })

/** Which entry of which network: the request that fetched it changes every night and is no change. */
const sameNamings = (before: EventOf<'SiteListed'> | null, now: EventOf<'SiteListed'>): boolean => {
  if (before === null || before.namings !== now.namings) return false
  const names = (event: EventOf<'SiteListed'>): string =>
    JSON.stringify(event.namedBy.map(({ source, sellerId, domain }) => [source, sellerId, domain]))
  return names(before) === names(now)
}
