/** Every fault a sellers.json reading can name, with one sentence for people (sellers.json 1.0). */
type FaultMeaning = { readonly severity: 'error' | 'warning' | 'info'; readonly says: string }

/** `error`: the file or the entry gives nothing, or a required part of it is unusable. */
export const SELLERS_JSON_FAULTS = {
  S_INVALID_JSON: { severity: 'error', says: 'The file is not valid JSON.' },
  S_SELLERS_MISSING: { severity: 'error', says: 'The file has no list called "sellers".' },
  S_SELLERS_NOT_ARRAY: { severity: 'error', says: '"sellers" is not a list.' },
  S_SELLERS_EMPTY: { severity: 'warning', says: 'The list of sellers is empty.' },
  S_BOM: { severity: 'info', says: 'The file begins with a byte-order mark.' },
  S_NOT_UTF8: { severity: 'warning', says: 'The file is not UTF-8.' },
  S_VERSION_MISSING: { severity: 'warning', says: 'The required "version" is missing.' },
  S_VERSION_NOT_STRING: { severity: 'warning', says: '"version" must be a string, "1.0".' },
  S_VERSION_UNKNOWN: { severity: 'info', says: '"version" is neither "1.0" nor "1.1".' },
  S_SELLER_INVALID: { severity: 'error', says: 'An entry of the list is not an object.' },
  S_KEY_CAMELCASE: {
    severity: 'error',
    says: 'Keys are written in camelCase (sellerId); readers look for seller_id.',
  },
  S_ID_MISSING: { severity: 'error', says: 'The entry has no seller_id.' },
  S_ID_NOT_STRING: {
    severity: 'warning',
    says: 'seller_id must be a string: a number has lost its leading zeros.',
  },
  S_ID_INVALID: { severity: 'error', says: 'seller_id is neither a string nor a whole number.' },
  S_ID_DUPLICATE: { severity: 'warning', says: 'The same seller_id stands in two entries.' },
  S_TYPE_MISSING: { severity: 'error', says: 'The entry has no seller_type.' },
  S_TYPE_INVALID: {
    severity: 'error',
    says: 'seller_type must be PUBLISHER, INTERMEDIARY or BOTH.',
  },
  S_FLAG_NOT_INTEGER: {
    severity: 'warning',
    says: 'is_confidential and is_passthrough must be 0 or 1.',
  },
  S_NAME_MISSING: { severity: 'warning', says: 'A seller that is not confidential has no name.' },
  S_DOMAIN_IS_URL: { severity: 'error', says: 'The domain is written as a URL.' },
  S_DOMAIN_INVALID: { severity: 'error', says: 'The domain is not a domain name.' },
  S_DOMAIN_NOT_ROOT: {
    severity: 'warning',
    says: 'The domain must be a root domain (public suffix plus one label).',
  },
} as const satisfies Readonly<Record<string, FaultMeaning>>

export type SellersJsonFaultCode = keyof typeof SELLERS_JSON_FAULTS

/** How often a fault stands in a file, and the places in the list where it stands first. */
export type SellersJsonFault = {
  readonly code: SellersJsonFaultCode
  readonly count: number
  readonly first: readonly number[]
}

const FIRST_MAX = 5

/** Collects faults of a whole file in bounded room. */
export class FaultTally {
  readonly #faults = new Map<SellersJsonFaultCode, { count: number; readonly first: number[] }>()

  /** `index`: the entry's place in the list; none for the file as a whole. */
  add(code: SellersJsonFaultCode, index?: number): void {
    const fault = this.#faults.get(code) ?? { count: 0, first: [] }
    fault.count += 1
    if (index !== undefined && fault.first.length < FIRST_MAX) fault.first.push(index)
    this.#faults.set(code, fault)
  }

  /** In the order in which each code was met first. */
  list(): readonly SellersJsonFault[] {
    return [...this.#faults].map(([code, { count, first }]) => ({ code, count, first }))
  }
}
