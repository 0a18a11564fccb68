import { readFileText, type Oddity } from '../file-text.ts'
import { FaultTally, type SellersJsonFault, type SellersJsonFaultCode } from './fault.ts'
import { isEntry, readSeller, type Seller } from './seller.ts'

/**
 * What an advertising system's sellers.json says. `usable` is false where the file gives no list at
 * all: then nothing is known, and the last good list stands.
 */
export type SellersJsonReading = {
  readonly usable: boolean
  readonly sellers: readonly Seller[]
  readonly faults: readonly SellersJsonFault[]
}

/**
 * Reads a file by sellers.json 1.0. Total: any bytes give a reading. Time and memory grow with the
 * file, and with nothing else.
 */
export const readSellersJson = (bytes: Uint8Array): SellersJsonReading => {
  const tally = new FaultTally()
  const { text, oddities } = readFileText(bytes)
  for (const oddity of oddities) tally.add(ODDITY_FAULTS[oddity])
  const json = parseJson(text)
  if (json === undefined) return unusable(oddities.includes('binary') ? undefined : tally)
  const list = sellersOf(json.value, tally)
  if (list === undefined) return { usable: false, sellers: [], faults: tally.list() }
  return { usable: true, sellers: readList(list, tally), faults: tally.list() }
}

const ODDITY_FAULTS: Readonly<Record<Oddity, SellersJsonFaultCode>> = {
  'byte-order-mark': 'S_BOM',
  'utf-16': 'S_NOT_UTF8',
  'not-utf-8': 'S_NOT_UTF8',
  binary: 'S_INVALID_JSON',
}

const unusable = (tally = new FaultTally()): SellersJsonReading => {
  tally.add('S_INVALID_JSON')
  return { usable: false, sellers: [], faults: tally.list() }
}

const parseJson = (text: string | undefined): { readonly value: unknown } | undefined => {
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return { value }
  } catch {
    return undefined
  }
}

const sellersOf = (json: unknown, tally: FaultTally): readonly unknown[] | undefined => {
  const sellers = isEntry(json) ? json['sellers'] : undefined
  if (!isEntry(json) || sellers === undefined || sellers === null) {
    tally.add('S_SELLERS_MISSING')
    return undefined
  }
  if (!Array.isArray(sellers)) {
    tally.add('S_SELLERS_NOT_ARRAY')
    return undefined
  }
  const version = versionFault(json['version'])
  if (version !== undefined) tally.add(version)
  if (sellers.length === 0) tally.add('S_SELLERS_EMPTY')
  const list: readonly unknown[] = sellers
  return list
}

const versionFault = (version: unknown): SellersJsonFaultCode | undefined => {
  if (version === undefined || version === null || version === '') return 'S_VERSION_MISSING'
  if (typeof version !== 'string') return 'S_VERSION_NOT_STRING'
  return version.trim() === '1.0' || version.trim() === '1.1' ? undefined : 'S_VERSION_UNKNOWN'
}

const readList = (list: readonly unknown[], tally: FaultTally): readonly Seller[] => {
  const sellers: Seller[] = []
  const ids = new Set<string>()
  for (const [index, entry] of list.entries()) {
    const { seller, faults } = readSeller(entry, index)
    for (const code of faults) tally.add(code, index)
    if (seller === undefined) continue
    if (ids.has(seller.id)) tally.add('S_ID_DUPLICATE', index)
    ids.add(seller.id)
    sellers.push(seller)
  }
  return sellers
}
