import type { Either, TaskEither } from '../kernel/fp.ts'
import type { Instant } from '../kernel/instant.ts'
import type { Position } from '../kernel/position.ts'
import type { Site } from '../kernel/site.ts'
import type { Recorded } from './entry.ts'
import type { EventType, LedgerEvent } from './event.ts'
import type { StreamName } from './stream.ts'

/** Events for one stream, decided on the stream as it stood at `expectedVersion` (0: empty). */
export type StreamAppend = {
  readonly stream: StreamName
  readonly expectedVersion: number
  readonly events: readonly [LedgerEvent, ...LedgerEvent[]]
}

/** Proof that the writer still holds its claim; checked in the same transaction as the append. */
export type Guard = { readonly site: Site; readonly fence: number }

export type Appended = {
  /** Positions of the events, in the order given. */
  readonly positions: readonly Position[]
  /** The version of the stream after this append. */
  readonly version: number
  /** The one time all events of this append carry. */
  readonly ts: Instant
}

/** The stream has moved on: read it again and decide again. */
export type Conflict = {
  readonly tag: 'Conflict'
  readonly stream: StreamName
  readonly expected: number
  readonly actual: number
}
/** The claim was lost: stop, write nothing more about this site. */
export type FenceLost = { readonly tag: 'FenceLost'; readonly site: Site; readonly fence: number }
/** The database is not to be had. Nothing was written. */
export type Unavailable = { readonly tag: 'Unavailable'; readonly because: string }
/** No answer to an append: it may or may not stand. Never treat it as failed; read and see. */
export type Unknown = { readonly tag: 'Unknown'; readonly because: string }
/** What is stored cannot be what was written. Stop. */
export type IntegrityBreach = {
  readonly tag: 'IntegrityBreach'
  readonly position: number
  readonly because: string
}

export type AppendFailure = Conflict | FenceLost | Unavailable | Unknown
export type ReadFailure = Unavailable | IntegrityBreach

/** Which events to read, in position order. */
export type ReadAll = {
  /** Only positions greater than this; 0 reads from the beginning. */
  readonly after: number
  /** At most this many events, 1 to 10,000. */
  readonly limit: number
  readonly types?: readonly EventType[]
  readonly stream?: StreamName
}

/** Which events to follow, in position order. */
export type Follow = {
  /** Only positions greater than this; 0 begins at the beginning. */
  readonly after: number
  /** As far as this position, or as the head when following begins. */
  readonly to: number
  /** At most this many events at a time, 1 to 10,000. */
  readonly limit: number
  readonly types?: readonly EventType[]
  readonly part?: Part
}

/** One of `of` parts of the ledger, 0 to `of` - 1. A stream is in one of them, whole. */
export type Part = { readonly index: number; readonly of: number }

/** A recorded event together with its exact stored bytes. */
export type StoredEntry = { readonly position: Position; readonly entry: Buffer }

/**
 * The append-only record.
 *
 * Durability: `append` answers only when its events are on disk (synchronous commit).
 * Order: positions are gap-free and in commit order over all writers; a reader that has seen
 * position n will never later find an event at or below n. `ts` never decreases along positions.
 * Atomicity: the events of one append stand together or not at all.
 * Concurrency: any number of callers and processes; appends that wait together commit together.
 */
export type Ledger = {
  readonly append: (
    run: string,
    append: StreamAppend,
    guard?: Guard,
  ) => TaskEither<AppendFailure, Appended>
  /** Events of one stream after `afterVersion`, oldest first, at most 10,000. */
  readonly readStream: (
    stream: StreamName,
    afterVersion: number,
  ) => TaskEither<ReadFailure, readonly Recorded[]>
  readonly readAll: (query: ReadAll) => TaskEither<ReadFailure, readonly Recorded[]>
  /** Read ahead of whoever takes the pages, none of which is empty. A failure is the last there is. */
  readonly follow: (query: Follow) => AsyncIterable<Either<ReadFailure, readonly Recorded[]>>
  /** The events at these positions, which rise; at most 10,000. What is not there is left out. */
  readonly readAt: (positions: readonly number[]) => TaskEither<ReadFailure, readonly Recorded[]>
  readonly readEntries: (query: ReadAll) => TaskEither<ReadFailure, readonly StoredEntry[]>
  /** The newest position, 0 in an empty ledger, and the time of that event (0 if none). */
  readonly head: () => TaskEither<Unavailable, { readonly position: number; readonly ts: number }>
  /** The last position whose event is not later than `ts` (milliseconds since 1970); 0 if there is none. */
  readonly positionAt: (ts: number) => TaskEither<Unavailable, number>
}
