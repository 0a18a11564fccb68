/**
 * An entry is the exact canonical JSON bytes of one event with its envelope. Those bytes are what
 * is stored, hashed and exported; nobody ever serialises them again to check them.
 */
import { assert } from '../kernel/assert.ts'
import { canonicalJson } from '../kernel/canonical-json.ts'
import {
  exactly,
  integer,
  parse,
  type ParseFailure,
  parseFailure,
  t,
  text,
} from '../kernel/codec.ts'
import { sha256 } from '../kernel/digest.ts'
import { E, type Either } from '../kernel/fp.ts'
import { formatInstant, type Instant, InstantText } from '../kernel/instant.ts'
import type { Position } from '../kernel/position.ts'
import { EventVersion } from './define.ts'
import {
  codecOf,
  type EventType,
  type LedgerEvent,
  type OldVersion,
  olderVersion,
} from './event.ts'
import { StreamName } from './stream.ts'

/** A tlog-tiles entry has a two-byte length. */
export const ENTRY_BYTES_MAX = 65_535

/** What the ledger adds to an event. `version` is the 1-based place in its stream. */
export type Envelope = {
  readonly ts: Instant
  readonly stream: StreamName
  readonly version: number
  readonly run: string
}

/** An event as it stands in the ledger. */
export type Recorded<T extends EventType = EventType> = Envelope & {
  readonly position: Position
  readonly event: Extract<LedgerEvent, { readonly type: T }>
}

const envelopeFields = { ts: InstantText, stream: StreamName, version: integer(1), run: text(64) }
const EnvelopeCodec = t.type(envelopeFields)
const Frame = exactly({ type: t.string, v: EventVersion, ...envelopeFields })

/** The canonical bytes. Throws if a part is outside its codec or too large: a bug, never data. */
export const encodeEntry = (event: LedgerEvent, envelope: Envelope): Buffer => {
  const codec = codecOf(event.type)
  assert(codec !== undefined, `not an event type: ${event.type}`)
  assert(codec.is(event), `${event.type} does not fit its own codec`)
  assert(EnvelopeCodec.is(envelope), `${event.type}: its envelope does not fit`)
  const bytes = Buffer.from(
    canonicalJson({
      ...codec.encode(event),
      run: envelope.run,
      stream: envelope.stream,
      ts: formatInstant(envelope.ts),
      version: envelope.version,
    }),
  )
  assert(bytes.length <= ENTRY_BYTES_MAX, `${event.type} is ${bytes.length} bytes, over the limit`)
  return bytes
}

export type DecodedEntry = { readonly envelope: Envelope; readonly event: LedgerEvent }

type OlderVersions = (type: string, v: number) => OldVersion | undefined

/** Reads an entry of any released version; an unknown type or version is a failure, never skipped. */
export const decodeEntry = (
  bytes: Uint8Array,
  older: OlderVersions = olderVersion,
): Either<ParseFailure, DecodedEntry> => {
  const json = parseJson(bytes)
  if (json === undefined) return E.left(parseFailure('ledger entry', 'JSON'))
  const envelope = parse('ledger entry', Frame, json)
  if (E.isLeft(envelope)) return envelope
  const { type, v, ts, stream, version, run } = envelope.right
  const event = decodeEvent(type, v, json, older)
  return E.isLeft(event)
    ? event
    : E.right({ envelope: { ts, stream, version, run }, event: event.right })
}

const decodeEvent = (
  type: string,
  v: number,
  json: unknown,
  older: OlderVersions,
): Either<ParseFailure, LedgerEvent> => {
  const old = older(type, v)
  if (old !== undefined) {
    const decoded = parse(`${type} v${v}`, old.codec, json)
    return E.isLeft(decoded) ? decoded : E.right(old.upcast(decoded.right))
  }
  const codec = codecOf(type)
  if (codec !== undefined) return parse(`${type} v${v}`, codec, json)
  const unknown = JSON.stringify(type.slice(0, 60))
  return E.left(parseFailure('ledger entry', `a known event type, not ${unknown}`, 'type'))
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const parseJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    return undefined
  }
}

const LEAF_PREFIX = Buffer.of(0)

/** RFC 6962 §2.1: the leaf hash, SHA-256(0x00 ‖ entry). */
export const leafHash = (entry: Uint8Array): Buffer => sha256(Buffer.concat([LEAF_PREFIX, entry]))
