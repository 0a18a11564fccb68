/** What would be asked tonight, and why not the rest. Reads the ledger, asks nobody, writes nothing. */
import { formatInstant } from '../kernel/instant.ts'
import type { Site } from '../kernel/site.ts'
import { type HttpUrl, originOf, siteOf, urlAt } from '../kernel/url.ts'
import type { Purpose } from '../kernel/words.ts'
import { nightAt, type NightSpan } from '../plan/night.ts'
import { decideAsk } from '../politeness/decide.ts'
import { programmeState } from '../politeness/site-state.ts'
import type { Policy } from '../programmes/policy.ts'
import type { Source } from '../programmes/sources.ts'
import type { CrawlPorts } from './crawl.ts'
import { publishersOfSources } from './publishers.ts'
import { robotsFiles, type RobotsFiles } from './robots-files.ts'
import { siteStore, type SiteStore } from './site-store.ts'

/** One file of one site. `verdict`: due now, waits its turn, already asked, or withheld and why. */
export type Planned = {
  readonly site: Site
  readonly purpose: Purpose
  readonly url: HttpUrl
  readonly verdict: 'due' | 'after-robots' | 'already' | 'withheld'
  readonly reason: string
}

export type Plan = { readonly night: string; readonly planned: readonly Planned[] }

export type PlanPorts = Pick<CrawlPorts, 'ledger' | 'bodies' | 'clock'>

type Planner = {
  readonly ports: PlanPorts
  readonly policy: Policy
  readonly night: NightSpan
  readonly sites: SiteStore
  readonly robots: RobotsFiles
}

export const planNight = async (
  ports: PlanPorts,
  policy: Policy,
  sources: readonly Source[],
  onlySites: ReadonlySet<Site> | undefined,
): Promise<Plan> => {
  const night = nightAt(policy.night, ports.clock.now())
  const sites = siteStore(ports.ledger)
  const planner: Planner = { ports, policy, night, sites, robots: robotsFiles(ports.bodies) }
  const planned: Planned[] = []
  for (const { url } of sources) {
    planned.push(...(await planFiles(planner, siteOf(url), policy.order.source, url)))
  }
  for (const { site } of await publishersOfSources(planner, sources)) {
    if (onlySites?.has(site) ?? true) {
      planned.push(
        ...(await planFiles(
          planner,
          site,
          policy.order.site,
          urlAt(originOf(`https://${site}/` as HttpUrl), '/'),
        )),
      )
    }
  }
  return { night: night.name, planned }
}

const planFiles = async (
  planner: Planner,
  site: Site,
  purposes: readonly Purpose[],
  address: HttpUrl,
): Promise<readonly Planned[]> => {
  const files: Planned[] = []
  for (const purpose of purposes) {
    const path = planner.policy.fetch[purpose].path
    const url = path === null ? address : urlAt(originOf(address), `/${path.slice(1)}`)
    files.push({ site, purpose, url, ...(await verdictOn(planner, site, purpose, url)) })
  }
  return files
}

const verdictOn = async (
  { ports, policy, night, sites, robots }: Planner,
  subject: Site,
  purpose: Purpose,
  url: HttpUrl,
): Promise<Pick<Planned, 'verdict' | 'reason'>> => {
  const state = await sites.load(siteOf(url))
  const read = programmeState(state, policy.name).robots.get(originOf(url))
  const known = read?.night === night.name ? await robots.knowledge(read) : undefined
  const at = { policy, night, now: ports.clock.now(), state, robots: known }
  const decision = decideAsk({ subject, purpose, target: url, url, hop: 0 }, at)
  switch (decision.tag) {
    case 'send':
      return { verdict: 'due', reason: '' }
    case 'wait':
      return { verdict: 'due', reason: `not before ${formatInstant(decision.until)}` }
    case 'already':
      return { verdict: 'already', reason: `asked ${formatInstant(decision.asked.at)}` }
    case 'withhold':
      return decision.ruling?.basis === 'unread'
        ? { verdict: 'after-robots', reason: 'robots.txt decides' }
        : { verdict: 'withheld', reason: `${decision.reason}: ${decision.detail}` }
  }
}
