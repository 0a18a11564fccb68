/** One site in one night: put it on the list, then each file of the programme's order. */
import type { HttpUrl } from '../kernel/url.ts'
import { originOf, siteOf, urlAt } from '../kernel/url.ts'
import type { Site } from '../kernel/site.ts'
import type { EventOf } from '../ledger/event.ts'
import { NAMINGS_MAX, type Naming } from '../ledger/events/site-listed.ts'
import { dutyOf } from '../politeness/decide.ts'
import { programmeState } from '../politeness/site-state.ts'
import { fetchRule } from '../programmes/policy.ts'
import type { Source } from '../programmes/sources.ts'
import { ask } from './ask.ts'
import { appendFact } from './append.ts'
import type { Crawl } from './crawl.ts'
import { ensureRobots, fetchFile, type FileOutcome, type Wanted } from './fetch-file.ts'

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
    const { path } = fetchRule(crawl.policy, purpose)
    const target = urlAt(origin, path === null ? '/' : `/${path.slice(1)}`)
    const outcome =
      purpose === 'robots'
        ? await ensureRobots(crawl, { subject, source: null }, origin)
        : await fetchFile(crawl, { subject, purpose, target, source: null })
    if (isOver(purpose, outcome)) return
  }
}

/**
 * A source's own file or page. One that a person marked as not read is only looked at, when a look is
 * due; on any other night it costs its site nothing, not even robots.txt (RC23).
 */
export const visitSource = async (crawl: Crawl, { id, url }: Source): Promise<void> => {
  const wanted = { subject: siteOf(url), source: id, target: url }
  const duty = dutyOf(await crawl.sites.load(wanted.subject), id, crawl)
  for (const purpose of crawl.policy.order.source) {
    if (duty === 'rest') {
      if (purpose !== 'robots') await recordRest(crawl, { ...wanted, purpose })
      continue
    }
    const outcome =
      purpose === 'robots'
        ? await ensureRobots(crawl, wanted, originOf(url))
        : await fetchFile(crawl, { ...wanted, purpose: duty === 'look' ? 'probe' : purpose })
    if (isOver(purpose, outcome)) return
  }
}

/** Has the decision withhold the file, so that the ledger says why it was not asked for. */
const recordRest = async (crawl: Crawl, wanted: Wanted): Promise<void> => {
  const trail = { addresses: [wanted.target], redirects: [], via: null }
  await ask(crawl, { ...wanted, url: wanted.target, hop: 0 }, trail)
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
