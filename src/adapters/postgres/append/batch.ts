/** A batch: the appends of one flush, encoded. All of its entries carry one time. */
import { assert } from '../../../kernel/assert.ts'
import type { Instant } from '../../../kernel/instant.ts'
import { encodeEntry, leafHash } from '../../../ledger/entry.ts'
import type { Queue, Waiting } from './queue.ts'

export type Encoded = {
  readonly version: number
  readonly type: string
  readonly entry: Buffer
  readonly leaf: Buffer
}

export type EncodedAppend = { readonly waiting: Waiting; readonly events: readonly Encoded[] }
export type Batch = { readonly ts: Instant; readonly appends: readonly EncodedAppend[] }

export const BATCH_EVENTS_MAX = 1_000
export const BATCH_BYTES_MAX = 8 * 1_024 * 1_024
/** More events than this in one append is a defect of the caller: it would hold up everybody. */
const APPEND_EVENTS_MAX = 10_000

const encode = (waiting: Waiting, ts: Instant): EncodedAppend => {
  const { run, append } = waiting
  assert(append.events.length <= APPEND_EVENTS_MAX, 'too many events in one append')
  const events = append.events.map((event, i) => {
    const version = append.expectedVersion + i + 1
    const entry = encodeEntry(event, { ts, stream: append.stream, version, run })
    return { version, type: event.type, entry, leaf: leafHash(entry) }
  })
  return { waiting, events }
}

/** An append that cannot be encoded is a defect of its own caller, and no one else's. */
const encodeOrFail = (waiting: Waiting, ts: Instant): EncodedAppend | undefined => {
  try {
    return encode(waiting, ts)
  } catch (defect) {
    waiting.fail(defect)
    return undefined
  }
}

/** Takes from the queue what fits into one flush; an append that is larger goes alone. */
export const takeBatch = (queue: Queue, ts: Instant, appendsMax: number): Batch => {
  const appends: EncodedAppend[] = []
  let events = 0
  let bytes = 0
  queue.each((waiting) => {
    const encoded = encodeOrFail(waiting, ts)
    if (encoded === undefined) return true
    appends.push(encoded)
    events += encoded.events.length
    for (const { entry } of encoded.events) bytes += entry.length
    return events < BATCH_EVENTS_MAX && bytes < BATCH_BYTES_MAX && appends.length < appendsMax
  })
  return { ts, appends }
}

/** The same appends at a later time. */
export const atLaterTime = (batch: Batch, ts: Instant): Batch => ({
  ts,
  appends: batch.appends.map(({ waiting }) => encode(waiting, ts)),
})
