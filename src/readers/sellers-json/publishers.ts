import { siteOfDomain, type Site } from '../../kernel/site.ts'
import type { Seller } from './seller.ts'

/** The entry that names a site: its place in the list, its seller_id, the domain it gives. */
export type SellerNaming = {
  readonly index: number
  readonly sellerId: string
  readonly domain: string
}

/** Why an entry names no publisher's site. */
export type LeftOut = 'confidential' | 'intermediary' | 'no-type' | 'no-domain' | 'id-too-long'

export type Publishers = {
  /** Sites in the order in which the file names them first, namings in file order. */
  readonly publishers: readonly { readonly site: Site; readonly namings: readonly SellerNaming[] }[]
  readonly leftOut: Readonly<Record<LeftOut, number>>
}

/** An id beyond this is no account anybody uses, and too long to be cited in a ledger entry. */
const ID_MAX = 256

/**
 * The sites a network's file names as publishers (PR16): seller_type PUBLISHER or BOTH, not
 * confidential, with a domain. Each is reduced to its site by the Public Suffix List.
 */
export const publishersOf = (reading: { readonly sellers: readonly Seller[] }): Publishers => {
  const bySite = new Map<Site, SellerNaming[]>()
  const leftOut = {
    confidential: 0,
    intermediary: 0,
    'no-type': 0,
    'no-domain': 0,
    'id-too-long': 0,
  }
  for (const seller of reading.sellers) {
    const why = whyLeftOut(seller)
    const site = siteOfDomain(seller.domain ?? '')
    if (why !== undefined || seller.domain === undefined || site === undefined) {
      leftOut[why ?? 'no-domain'] += 1
      continue
    }
    const naming = { index: seller.index, sellerId: seller.id, domain: seller.domain }
    const namings = bySite.get(site)
    if (namings === undefined) bySite.set(site, [naming])
    else namings.push(naming)
  }
  return { publishers: [...bySite].map(([site, namings]) => ({ site, namings })), leftOut }
}

const whyLeftOut = (seller: Seller): LeftOut | undefined => {
  if (seller.confidential) return 'confidential'
  if (seller.type === undefined) return 'no-type'
  if (seller.type === 'INTERMEDIARY') return 'intermediary'
  return seller.id.length > ID_MAX ? 'id-too-long' : undefined
}
