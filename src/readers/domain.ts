import { siteOfDomain } from '../kernel/site.ts'

/** RFC 1123 §2.1 host name of two labels or more, lower case, not ending in a number. */
const HOST_NAME =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?=[a-z0-9-]*[a-z])[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Lower case, without the final dot of a fully qualified name. */
export const foldDomain = (written: string): string => written.toLowerCase().replace(/\.$/, '')

export const isHostName = (domain: string): boolean => HOST_NAME.test(domain)

/** Written as an address: a scheme, or a path behind the name. */
export const isUrl = (written: string): boolean => written.includes('/')

/** Public suffix plus one label, by the Public Suffix List with its private section. */
export const isRootDomain = (domain: string): boolean => siteOfDomain(domain) === domain

/** Whether the name has a registrable domain at all (`co.uk` has none). */
export const hasRootDomain = (domain: string): boolean => siteOfDomain(domain) !== undefined
