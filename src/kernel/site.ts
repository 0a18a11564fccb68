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

const SITE_FORM = /^[a-z0-9_:.[\]-]{1,253}$/

export const isSiteForm = (host: string): boolean => SITE_FORM.test(host)

export const Site: t.Type<Site, string> = t.brand(t.string, (s): s is Site => isSiteForm(s), 'Site')

/** The site of the host of an `HttpUrl` (lower case, IDN in ASCII, of the form above). */
export const siteOfHost = (host: string): Site => {
  const bare = host.endsWith('.') ? host.slice(0, -1) : host
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
