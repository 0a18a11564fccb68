import { type Site, siteOfDomain } from '../kernel/site.ts'
import { Halt } from '../shell/halt.ts'

export const sitesOf = (domains: readonly string[]): ReadonlySet<Site> =>
  new Set(domains.map(siteArgument))

/** What a person typed for a site: a domain, or any host name of it. */
export const siteArgument = (domain: string): Site => {
  const site = siteOfDomain(domain)
  if (site !== undefined) return site
  throw new Halt({ tag: 'WrongUse', because: `not a site: ${domain.slice(0, 100)}` })
}
