/** What would be asked tonight, and why not the rest. Reads the ledger, asks nobody, writes nothing. */
import { formatInstant } from '../kernel/instant.ts'
import type { Site } from '../kernel/site.ts'
import { type HttpUrl, originOf, siteOf, urlAt } from '../kernel/url.ts'
import type { Purpose } from '../kernel/words.ts'
import { nightAt, type NightSpan } from '../plan/night.ts'
import { type Ask, decideAsk, dutyOf } from '../politeness/decide.ts'
import { freshCopy } from '../politeness/robots-copy.ts'
import { programmeState } from '../politeness/site-state.ts'
import { fetchRule, type Policy } from '../programmes/policy.ts'
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
  for (const { id, url } of sources) {
    const place = { site: siteOf(url), source: id, address: url }
    planned.push(...(await planFiles(planner, place, policy.order.source)))
  }
  if (policy.order.site.length === 0) return { night: night.name, planned }
  for (const { site } of await publishersOfSources(planner, sources)) {
    if (onlySites?.has(site) ?? true) {
      const address = urlAt(originOf(`https://${site}/` as HttpUrl), '/')
      const place = { site, source: null, address }
      planned.push(...(await planFiles(planner, place, policy.order.site)))
    }
  }
  return { night: night.name, planned }
}

type Place = {
  readonly site: Site
  readonly source: string | null
  readonly address: HttpUrl
}

const planFiles = async (
  planner: Planner,
  { site, source, address }: Place,
  purposes: readonly Purpose[],
): Promise<readonly Planned[]> => {
  const files: Planned[] = []
  for (const ordered of purposes) {
    const purpose = await purposeTonight(planner, source, site, ordered)
    const path = fetchRule(planner.policy, purpose).path
    const url = path === null ? address : urlAt(originOf(address), `/${path.slice(1)}`)
    const ask = { subject: site, source, purpose, target: url, url, hop: 0 }
    files.push({ site, purpose, url, ...(await verdictOn(planner, ask)) })
  }
  return files
}

/** A source that is not read is only looked at (RC23). */
const purposeTonight = async (
  planner: Planner,
  source: string | null,
  site: Site,
  purpose: Purpose,
): Promise<Purpose> => {
  if (source === null || purpose !== 'page') return purpose
  const duty = dutyOf(await planner.sites.load(site), source, planner)
  return duty === 'look' ? 'probe' : purpose
}

const verdictOn = async (
  { ports, policy, night, sites, robots }: Planner,
  ask: Ask,
): Promise<Pick<Planned, 'verdict' | 'reason'>> => {
  const { url } = ask
  const state = await sites.load(siteOf(url))
  const occasion = { policy, night, now: ports.clock.now(), run: '', kind: 'night' } as const
  const { robots: copies } = programmeState(state, policy.name)
  const copy = freshCopy(copies, originOf(url), occasion)
  const known = copy === undefined ? undefined : await robots.knowledge(copy.read)
  const at = { ...occasion, scope: null, state, robots: known }
  const decision = decideAsk(ask, at)
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
