import { decodeBody } from '../../capture/decode-body.ts'
import { headerValues } from '../../capture/headers.ts'
import { E } from '../../kernel/fp.ts'
import { pathOf } from '../../kernel/url.ts'
import type { Capture, Reader } from '../reader.ts'
import { judgeAnswer, keepLast, type AnswerState, type AnswerVerdict } from './answer.ts'
import type { AdsTxtFaultCode } from './fault.ts'
import type { FetchFaultCode } from './fetch-fault.ts'
import type { AdsTxtRecord } from './record.ts'
import type { AdsTxtVariable, AdsTxtContext } from './variable.ts'

/** More text than this does not come out of a compressed body. */
const DECODED_BYTES_MAX = 16_777_216

/**
 * A kept answer to an asking for ads.txt. `records` and `variables` are facts and empty unless the
 * state is one of the file's own. Under `keep_last`, `hint` counts what the body would have said.
 */
export type AdsTxtCaptureReading = {
  readonly state: Exclude<AnswerState, 'restricted'>
  readonly records: readonly AdsTxtRecord[]
  readonly variables: readonly AdsTxtVariable[]
  readonly faults: readonly {
    readonly line: number
    readonly code: AdsTxtFaultCode | FetchFaultCode
    readonly of?: number
  }[]
  readonly hint?: {
    readonly records: number
    readonly variables: number
    readonly faults: number
  }
}

export const readAdsTxtCapture = (capture: Capture): AdsTxtCaptureReading => {
  const verdict = judgeCapture(capture)
  const { reading, state } = verdict
  if (reading !== undefined && state !== 'keep_last' && state !== 'restricted')
    return { state, records: reading.records, variables: reading.variables, faults: reading.faults }
  const said: AdsTxtCaptureReading = {
    // Behind a login the last good data stands as well; H_401 says what there is to do.
    state: state === 'restricted' ? 'keep_last' : state,
    records: [],
    variables: [],
    faults: verdict.faults.map((code) => ({ line: 0, code })),
  }
  return reading === undefined || reading.state === 'not_adstxt'
    ? said
    : { ...said, hint: countsOf(reading) }
}

const countsOf = (reading: Pick<AdsTxtCaptureReading, 'records' | 'variables' | 'faults'>) => ({
  records: reading.records.length,
  variables: reading.variables.length,
  faults: reading.faults.length,
})

const judgeCapture = (capture: Capture): AnswerVerdict => {
  const { status, headers } = capture
  // A capture at a redirect is where the way ended: the crawl followed every redirect it allowed.
  if (status >= 300 && status <= 399) return keepLast('H_REDIRECT_REFUSED')
  const body = decodeBody(capture.body, headers, DECODED_BYTES_MAX)
  if (E.isLeft(body)) return judgeUnread(status)
  const type = headerValues(headers, 'content-type')[0]
  const verdict = judgeAnswer({ status, type, body: body.right }, contextOf(capture))
  // What lies beyond the cut is unknown: a record that is not there may only be cut off.
  return capture.truncated && status >= 200 && status <= 299
    ? { ...verdict, state: 'keep_last', faults: ['H_TRUNCATED', ...verdict.faults] }
    : verdict
}

const judgeUnread = (status: number): AnswerVerdict =>
  status >= 200 && status <= 299
    ? keepLast('H_ENCODING')
    : judgeAnswer({ status, type: undefined, body: new Uint8Array() }, {})

const contextOf = ({ subject, target }: Capture): AdsTxtContext => ({
  domain: subject,
  file: pathOf(target) === '/app-ads.txt' ? 'app-ads.txt' : 'ads.txt',
})

export const ADS_TXT_READER: Reader = {
  name: 'ads-txt',
  version: 1,
  read: readAdsTxtCapture,
}
