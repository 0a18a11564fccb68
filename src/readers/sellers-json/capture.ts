import { decodeBody } from '../../capture/decode-body.ts'
import { E } from '../../kernel/fp.ts'
import type { Capture, Reader } from '../reader.ts'
import type { SellersJsonFault } from './fault.ts'
import { readSellersJson } from './read.ts'
import type { Seller } from './seller.ts'

/** The largest known file has about 120 MB; more than this does not come out of a compressed body. */
const DECODED_BYTES_MAX = 402_653_184

/** What went wrong before the file could be read. */
export type SellersFetchFault = {
  readonly code: 'H_STATUS' | 'H_ENCODING' | 'H_TRUNCATED'
  readonly count: number
  readonly first: readonly number[]
}

/**
 * A kept answer to an asking for sellers.json. Under `keep_last` the last good list stands, be it
 * after a 404 (sellers.json 1.0, access method): an error says nothing about who is listed.
 */
export type SellersCaptureReading = {
  readonly state: 'ok' | 'keep_last'
  readonly sellers: readonly Seller[]
  readonly faults: readonly (SellersJsonFault | SellersFetchFault)[]
}

const keepLast = (code: SellersFetchFault['code']): SellersCaptureReading => ({
  state: 'keep_last',
  sellers: [],
  faults: [{ code, count: 1, first: [] }],
})

export const readSellersCapture = (
  capture: Pick<Capture, 'status' | 'headers' | 'truncated' | 'body'>,
): SellersCaptureReading => {
  if (capture.status < 200 || capture.status > 299) return keepLast('H_STATUS')
  if (capture.truncated) return keepLast('H_TRUNCATED')
  const body = decodeBody(capture.body, capture.headers, DECODED_BYTES_MAX)
  if (E.isLeft(body)) return keepLast('H_ENCODING')
  const { usable, sellers, faults } = readSellersJson(body.right)
  return { state: usable ? 'ok' : 'keep_last', sellers, faults }
}

export const SELLERS_JSON_READER: Reader = {
  name: 'sellers-json',
  version: 1,
  read: readSellersCapture,
}
