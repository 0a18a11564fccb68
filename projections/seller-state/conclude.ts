/** One concluded fetch of a sellers.json, and the list it gives, if it gives one (sellers.json 1.0). */
import type { Json } from '../../src/kernel/canonical-json.ts'
import { integer, oneOf, parse, t, text } from '../../src/kernel/codec.ts'
import { E } from '../../src/kernel/fp.ts'
import type { EventOf } from '../../src/ledger/event.ts'
import { redirectFaults, unreadFault } from '../fetch-fault.ts'
import type { Folded } from '../projection.ts'

/** How often a fault stands in the file; a reader says more in further fields. */
export type Fault = { readonly code: string; readonly count: number; readonly [more: string]: Json }

/**
 * What is counted of a list. The list itself may have a million entries: it stays in the capture,
 * and with it the reading, and is not repeated in a state.
 */
export type SellerCounts = {
  readonly sellers: number
  readonly publishers: number
  readonly intermediaries: number
  readonly both: number
  readonly confidential: number
  readonly withDomain: number
}

/** `counts` null: this answer gives no list, and the last good one stands. */
export type SellersConclusion = {
  readonly state: 'ok' | 'keep_last'
  readonly faults: readonly Fault[]
  readonly counts: SellerCounts | null
  readonly reader: string | null
}

const ReadingShape = t.type({
  state: oneOf('ok', 'keep_last'),
  sellers: t.array(t.type({ confidential: t.boolean })),
  faults: t.array(t.type({ code: text(100), count: integer(0) })),
})

type SellersReading = {
  readonly state: 'ok' | 'keep_last'
  readonly sellers: readonly {
    readonly type?: Json
    readonly domain?: Json
    readonly confidential: boolean
  }[]
  readonly faults: readonly Fault[]
}

const keepLast = (faults: readonly Fault[], reader: string | null = null): SellersConclusion => ({
  state: 'keep_last',
  faults,
  counts: null,
  reader,
})

export const concludeSellers = (
  event: EventOf<'FetchConcluded'>,
  reading: Folded['reading'],
): SellersConclusion => {
  const noted = redirectFaults(event).map((fault) => ({ count: 1, ...fault }))
  if (event.outcome !== 'answered' || reading === undefined || 'unread' in reading)
    return keepLast([...noted, { count: 1, ...unreadFault(event, reading) }])
  const shape = parse('reading', ReadingShape, reading.reading)
  if (E.isLeft(shape))
    return keepLast([...noted, { code: 'R_READING_SHAPE', count: 1 }], reading.reader)
  // The codec has looked at the fields; parts of a JSON value are JSON values.
  const { state, sellers, faults } = reading.reading as unknown as SellersReading
  const counts = state === 'ok' ? countsOf(sellers) : null
  return { state, faults: [...noted, ...faults], counts, reader: reading.reader }
}

const countsOf = (sellers: SellersReading['sellers']): SellerCounts => {
  const ofType = (type: string): number => sellers.filter((seller) => seller.type === type).length
  return {
    sellers: sellers.length,
    publishers: ofType('PUBLISHER'),
    intermediaries: ofType('INTERMEDIARY'),
    both: ofType('BOTH'),
    confidential: sellers.filter(({ confidential }) => confidential).length,
    withDomain: sellers.filter(({ domain }) => domain !== undefined).length,
  }
}
