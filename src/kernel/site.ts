import { getDomain } from 'tldts'
import { t } from './codec.ts'

interface SiteBrand {
  readonly Site: unique symbol
}
/**
 * A site: the registrable domain by the Public Suffix List, private section included
 * (`name.github.io` is a site of its own). The unit of pace, cooldown, exclusion and strikes.
 * A host that has no registrable domain (an IP address, `localhost`) is its own site.
 */
export type Site = string & t.Branded<string, SiteBrand>

/** RFC 1035 §2.3.4, without the dot of a full name. */
const HOST_LENGTH_MAX = 253
/** Labels with a dot between them, none of them empty; or an IPv6 address in brackets. */
const SITE_FORM = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:]+\])$/

/** The dot that ends a full name (`shop.example.`) makes no other name in the DNS. */
export const withoutRootDot = (host: string): string =>
  host.endsWith('.') ? host.slice(0, -1) : host

/**
 * Whether `host`, as the WHATWG parser prints it, is an address or a name that the DNS could have. The
 * parser also lets `a!b`, `a..b`, `.` and names of any length through.
 */
export const isHost = (host: string): boolean => isSiteForm(withoutRootDot(host))

const isSiteForm = (text: string): boolean => text.length <= HOST_LENGTH_MAX && SITE_FORM.test(text)

export const Site: t.Type<Site, string> = t.brand(t.string, (s): s is Site => isSiteForm(s), 'Site')

/** The site of the host of an `HttpUrl` (lower case, IDN in ASCII, of the form above). */
export const siteOfHost = (host: string): Site => {
  const bare = withoutRootDot(host)
  // An HttpUrl's host has the form, and so has every part of it.
  return (getDomain(bare, { allowPrivateDomains: true, detectIp: true }) ?? bare) as Site
}

/** What a person or a seller list wrote as a domain, as a site; undefined if it is not one. */
export const siteOfDomain = (domain: string): Site | undefined => {
  const host = hostOf(domain.trim())
  if (host === undefined || !host.includes('.')) return undefined
  const site = getDomain(host, { allowPrivateDomains: true, detectIp: true })
  return site === null || site === '' ? undefined : (site as Site)
}

const hostOf = (domain: string): string | undefined => {
  if (!/^[^\s/?#@\\:]{1,253}$/u.test(domain)) return undefined
  return URL.parse(`https://${domain.replace(/\.$/, '')}/`)?.hostname
}
