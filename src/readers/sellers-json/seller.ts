import { foldDomain, hasRootDomain, isHostName, isRootDomain, isUrl } from '../domain.ts'
import type { SellersJsonFaultCode } from './fault.ts'

export type SellerType = 'PUBLISHER' | 'INTERMEDIARY' | 'BOTH'

/**
 * One entry of the list. `index` is its 0-based place there, `id` exact to the letter; `type` and
 * `domain` are absent where the file gives no usable one; `domainText` is the domain as written.
 */
export type Seller = {
  readonly index: number
  readonly id: string
  readonly type?: SellerType
  readonly domain?: string
  readonly domainText?: string
  readonly named: boolean
  readonly confidential: boolean
  readonly passthrough: boolean
}

export type SellerReading = {
  readonly seller: Seller | undefined
  readonly faults: readonly SellersJsonFaultCode[]
}

type Entry = { readonly [key: string]: unknown }

/** One field: what it says, and at most one fault. */
type Field<A> = { readonly value: A; readonly fault?: SellersJsonFaultCode }

/** What a person would call a name or a domain is shorter; the rest is not kept. */
const TEXT_MAX = 512

/** A plain object, as JSON has them. */
export const isEntry = (input: unknown): input is Entry =>
  typeof input === 'object' && input !== null && !Array.isArray(input)

export const readSeller = (input: unknown, index: number): SellerReading => {
  if (!isEntry(input)) return { seller: undefined, faults: ['S_SELLER_INVALID'] }
  const id = readId(input)
  if (id.value === undefined)
    return { seller: undefined, faults: id.fault === undefined ? [] : [id.fault] }
  const type = readType(input['seller_type'])
  const confidential = readFlag(input['is_confidential'])
  const passthrough = readFlag(input['is_passthrough'])
  const named = hasText(input['name'])
  const name: Field<boolean> =
    named || confidential.value ? { value: named } : { value: named, fault: 'S_NAME_MISSING' }
  const domain = readDomain(input['domain'])
  return {
    seller: {
      index,
      id: id.value,
      ...(type.value === undefined ? {} : { type: type.value }),
      ...domain.value,
      named,
      confidential: confidential.value,
      passthrough: passthrough.value,
    },
    faults: [id, type, confidential, passthrough, name, domain].flatMap(({ fault }) =>
      fault === undefined ? [] : [fault],
    ),
  }
}

const readId = (entry: Entry): Field<string | undefined> => {
  const id = entry['seller_id']
  if (typeof id === 'string' && id.trim() !== '') return { value: id.toWellFormed() }
  // A larger number is not the one that was written: its last digits are lost.
  if (Number.isSafeInteger(id)) return { value: String(id), fault: 'S_ID_NOT_STRING' }
  if (id !== undefined && id !== null && id !== '')
    return { value: undefined, fault: typeof id === 'string' ? 'S_ID_MISSING' : 'S_ID_INVALID' }
  return { value: undefined, fault: 'sellerId' in entry ? 'S_KEY_CAMELCASE' : 'S_ID_MISSING' }
}

const readType = (input: unknown): Field<SellerType | undefined> => {
  if (input === undefined || input === null || input === '')
    return { value: undefined, fault: 'S_TYPE_MISSING' }
  const word = typeof input === 'string' ? input.trim().toUpperCase() : ''
  if (word === 'PUBLISHER' || word === 'INTERMEDIARY' || word === 'BOTH') return { value: word }
  return { value: undefined, fault: 'S_TYPE_INVALID' }
}

/** 0 or 1, 0 if absent. What else can be meant by 1 counts as 1: confidential is the safer reading. */
const readFlag = (input: unknown): Field<boolean> => {
  if (input === undefined || input === 0) return { value: false }
  if (input === 1) return { value: true }
  const meant = typeof input === 'string' ? /^\s*(?:1|true|yes)\s*$/i.test(input) : input === true
  return { value: meant, fault: 'S_FLAG_NOT_INTEGER' }
}

const hasText = (input: unknown): boolean => typeof input === 'string' && input.trim() !== ''

/** A root domain; it may be absent where there is no web presence, which nobody can see from here. */
const readDomain = (input: unknown): Field<Pick<Seller, 'domain' | 'domainText'>> => {
  if (input === undefined || input === null || input === '') return { value: {} }
  if (typeof input !== 'string') return { value: {}, fault: 'S_DOMAIN_INVALID' }
  const domainText = input.slice(0, TEXT_MAX).toWellFormed()
  const domain = foldDomain(input.trim())
  if (isUrl(domain)) return { value: { domainText }, fault: 'S_DOMAIN_IS_URL' }
  if (!isHostName(domain) || !hasRootDomain(domain))
    return { value: { domainText }, fault: 'S_DOMAIN_INVALID' }
  const value = { domain, domainText }
  return isRootDomain(domain) ? { value } : { value, fault: 'S_DOMAIN_NOT_ROOT' }
}
