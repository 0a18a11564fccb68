/**
 * An ads.txt record held against the advertising system's sellers.json: who is the seller to the
 * site, and do the two files agree? (IAB ads.txt 1.1 implementation guidance §4, §5.)
 */
import { foldDomain } from '../domain.ts'
import type { Relation } from '../ads-txt/record.ts'
import type { Seller } from '../sellers-json/seller.ts'

export type CrossFaultCode =
  | 'X_NO_SELLERS_JSON'
  | 'X_ID_NOT_LISTED'
  | 'X_ID_NOT_UNIQUE'
  | 'X_CONFIDENTIAL'
  | 'X_TYPE_BOTH'
  | 'X_DIRECT_NOT_PUBLISHER'
  | 'X_RESELLER_NOT_INTERMEDIARY'
  | 'X_DOMAIN_MISSING'
  | 'X_DOMAIN_MISMATCH'

/** Each fault for people; a `note` blames nobody. */
export const CROSS_FAULTS: Readonly<
  Record<CrossFaultCode, { readonly severity: 'warning' | 'note'; readonly says: string }>
> = {
  X_NO_SELLERS_JSON: {
    severity: 'note',
    says: 'The advertising system publishes no sellers.json.',
  },
  X_ID_NOT_LISTED: {
    severity: 'warning',
    says: 'The account is not in the system’s sellers.json.',
  },
  X_ID_NOT_UNIQUE: {
    severity: 'note',
    says: 'The system lists the account more than once, with different sellers.',
  },
  X_CONFIDENTIAL: {
    severity: 'note',
    says: 'The seller is confidential: nothing can be compared.',
  },
  X_TYPE_BOTH: { severity: 'note', says: 'The seller sells its own and others’ inventory.' },
  X_DIRECT_NOT_PUBLISHER: {
    severity: 'warning',
    says: 'The record says DIRECT, but the system lists the seller as an intermediary.',
  },
  X_RESELLER_NOT_INTERMEDIARY: {
    severity: 'warning',
    says: 'The record says RESELLER, but the system lists the seller as a publisher.',
  },
  X_DOMAIN_MISSING: { severity: 'note', says: 'The system gives no domain for the seller.' },
  X_DOMAIN_MISMATCH: {
    severity: 'warning',
    says: 'The record says DIRECT, but the seller is neither the site’s owner nor its manager.',
  },
}

export type CrossAsk = {
  /** `owner` defaults to the site's own domain (ads.txt 1.1 §4.7). */
  readonly site: {
    readonly domain: string
    readonly owner?: string
    readonly managers: readonly { readonly domain: string; readonly country?: string }[]
  }
  readonly record: { readonly account: string; readonly rel: Relation }
  /** null: the system has no sellers.json that could be read. */
  readonly sellers: readonly Pick<Seller, 'id' | 'type' | 'domain' | 'confidential'>[] | null
}

export type CrossReading = {
  readonly verdict: 'owner' | 'manager' | 'reseller' | 'unlisted' | 'unknown'
  /** The one country a manager is for. */
  readonly country?: string
  readonly faults: readonly CrossFaultCode[]
}

const unknown = (code: CrossFaultCode): CrossReading => ({ verdict: 'unknown', faults: [code] })

export const readCross = ({ site, record, sellers }: CrossAsk): CrossReading => {
  if (sellers === null) return unknown('X_NO_SELLERS_JSON')
  // Exact strings: "00123" and "123" are two accounts.
  const listed = sellers.filter(({ id }) => id === record.account)
  const [seller, ...others] = listed
  if (seller === undefined) return { verdict: 'unlisted', faults: ['X_ID_NOT_LISTED'] }
  if (others.some((other) => other.domain !== seller.domain || other.type !== seller.type))
    return unknown('X_ID_NOT_UNIQUE')
  if (seller.confidential) return unknown('X_CONFIDENTIAL')
  const types = typeFaults(record.rel, seller.type)
  if (seller.domain === undefined)
    return { verdict: 'unknown', faults: [...types, 'X_DOMAIN_MISSING'] }
  const who = sellerIs(foldDomain(seller.domain), site)
  const mismatch = who.verdict === 'reseller' && record.rel === 'DIRECT'
  return { ...who, faults: mismatch ? [...types, 'X_DOMAIN_MISMATCH'] : types }
}

const sellerIs = (
  domain: string,
  site: CrossAsk['site'],
): Pick<CrossReading, 'verdict' | 'country'> => {
  if (domain === foldDomain(site.owner ?? site.domain)) return { verdict: 'owner' }
  const manager = site.managers.find((one) => foldDomain(one.domain) === domain)
  if (manager === undefined) return { verdict: 'reseller' }
  return manager.country === undefined
    ? { verdict: 'manager' }
    : { verdict: 'manager', country: manager.country }
}

const typeFaults = (rel: Relation, type: Seller['type']): readonly CrossFaultCode[] => {
  if (type === 'BOTH') return ['X_TYPE_BOTH']
  if (rel === 'DIRECT' && type === 'INTERMEDIARY') return ['X_DIRECT_NOT_PUBLISHER']
  return rel === 'RESELLER' && type === 'PUBLISHER' ? ['X_RESELLER_NOT_INTERMEDIARY'] : []
}
