/** One concluded fetch of an ads.txt, and what it makes of the data set (ads.txt 1.1 §3.1, §3.2). */
import type { Json } from '../../src/kernel/canonical-json.ts'
import { integer, oneOf, parse, t, text } from '../../src/kernel/codec.ts'
import { E } from '../../src/kernel/fp.ts'
import type { EventOf, LedgerEvent } from '../../src/ledger/event.ts'
import { type FetchFault, redirectFaults, unreadFault } from '../fetch-fault.ts'
import type { Folded } from '../projection.ts'

/** `line` 0: the file or the fetch as a whole. A reader may say more in further fields. */
export type Fault = { readonly line: number; readonly code: string; readonly [more: string]: Json }

/** `data` null: this answer gives no data set. `reader` names what read it. */
export type AdsTxtConclusion = {
  readonly state: string
  readonly faults: readonly Fault[]
  readonly data: {
    readonly state: string
    readonly records: readonly Json[]
    readonly variables: readonly Json[]
  } | null
  /** What an answer that counts for nothing would have said, if the reader looked. */
  readonly hint: Json
  readonly reader: string | null
}

/** States that are a data set: what the file declares, or that there is no file. */
const DATA = new Set(['ok', 'no_records', 'none_authorised', 'none'])

const ReadingShape = t.type({
  state: oneOf('ok', 'no_records', 'none_authorised', 'none', 'not_adstxt', 'keep_last', 'unknown'),
  faults: t.array(t.type({ line: integer(0), code: text(100) })),
  records: t.UnknownArray,
  variables: t.UnknownArray,
})

type AdsTxtReading = {
  readonly state: string
  readonly faults: readonly Fault[]
  readonly records: readonly Json[]
  readonly variables: readonly Json[]
  readonly hint?: Json
}

const whole = (fault: FetchFault): Fault => ({ line: 0, ...fault })

const keepLast = (faults: readonly Fault[], reader: string | null = null): AdsTxtConclusion => ({
  state: 'keep_last',
  faults,
  data: null,
  hint: null,
  reader,
})

export const concludeAdsTxt = (
  event: EventOf<'FetchConcluded'>,
  reading: Folded['reading'],
): AdsTxtConclusion => {
  const noted = redirectFaults(event).map(whole)
  if (event.outcome !== 'answered' || reading === undefined || 'unread' in reading)
    return keepLast([...noted, whole(unreadFault(event, reading))])
  return read(reading.reading, reading.reader, noted)
}

const read = (reading: Json, reader: string, noted: readonly Fault[]): AdsTxtConclusion => {
  const shape = parse('reading', ReadingShape, reading)
  if (E.isLeft(shape)) return keepLast([...noted, { line: 0, code: 'R_READING_SHAPE' }], reader)
  // The codec has looked at the fields; parts of a JSON value are JSON values.
  const { state, records, variables, faults, hint } = reading as unknown as AdsTxtReading
  const data = DATA.has(state) ? { state, records, variables } : null
  return { state, faults: [...noted, ...faults], data, hint: hint ?? null, reader }
}

/**
 * A fetch that was withheld before its first request has no FetchConcluded; the RequestWithheld is
 * its end, and is read as one. Other events end no fetch.
 */
export const concludedBy = (event: LedgerEvent): EventOf<'FetchConcluded'> | undefined => {
  if (event.type === 'FetchConcluded') return event
  if (event.type !== 'RequestWithheld') return undefined
  const { programme, subject, purpose, night, url, reason } = event
  return {
    type: 'FetchConcluded',
    v: 1,
    programme,
    subject,
    purpose,
    target: url,
    night,
    outcome: 'withheld',
    because: reason,
    url,
    hops: 0,
    redirects: [],
    request: null,
    reused: false,
    status: null,
    headers: [],
    commit: null,
    truncated: false,
  }
}
