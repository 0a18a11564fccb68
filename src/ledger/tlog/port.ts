import type { TaskEither } from '../../kernel/fp.ts'
import type { Instant } from '../../kernel/instant.ts'
import type { HttpUrl } from '../../kernel/url.ts'
import type { Recorded } from '../entry.ts'
import type { ReadFailure, StoredEntry, Unavailable } from '../port.ts'
import type { Cosignature } from './cosignature.ts'
import type { VerifierKey } from './key.ts'
import type { Objection } from './objection.ts'
import type { WitnessReply } from './witness-answer.ts'

/** A stored entry, the leaf hash that stands beside it, and what the entry says. */
export type StoredLeaf = StoredEntry & { readonly leaf: Buffer; readonly recorded: Recorded }

/** A head as it is kept: its size, and the signed note that says it. */
export type StoredHead = { readonly size: number; readonly note: string }

/** The hash of the `index`-th complete run of 256^level leaves; levels from 1. */
export type TreeHash = { readonly level: number; readonly index: number; readonly hash: Buffer }

/** Stores a head and the hashes it is the first to cover; all or nothing. */
export type AddHead = (
  head: StoredHead,
  hashes: readonly TreeHash[],
) => TaskEither<Unavailable, void>

/**
 * The tree and its heads, beside the events and append-only like them. Reading never sees half of
 * what one `AddHead` stores.
 */
export type TreeStore = {
  /**
   * The leaf hashes of indices `from` to `to` (excluded, at most 65,536 apart), made anew from the
   * stored entries: an entry that does not fit its stored leaf, or is not there, is a breach.
   */
  readonly leaves: (from: number, to: number) => TaskEither<ReadFailure, Buffer>
  /** Hashes of a level from 1, `from` to `to` (excluded). One that is not there is a breach. */
  readonly hashes: (level: number, from: number, to: number) => TaskEither<ReadFailure, Buffer>
  /** Entries after a position with their leaves, unjudged, at most `limit` (1 to 10,000). */
  readonly stored: (after: number, limit: number) => TaskEither<ReadFailure, readonly StoredLeaf[]>
  readonly newest: () => TaskEither<Unavailable, StoredHead | undefined>
  /** The newest head of at most this size. */
  readonly newestUpTo: (size: number) => TaskEither<Unavailable, StoredHead | undefined>
  /** Heads larger than `size`, smallest first. */
  readonly after: (size: number, limit: number) => TaskEither<Unavailable, readonly StoredHead[]>
  /**
   * Runs `task` while nobody else, in any process on this database, runs one. What it adds stands
   * when it has ended; if it throws, nothing of it does, and what it threw is thrown.
   */
  readonly exclusively: <A>(task: (add: AddHead) => Promise<A>) => TaskEither<Unavailable, A>
}

/** Which heads a query is about: those that at least so many of these keys (vkeys) cosigned. */
export type Quorum = { readonly keys: readonly string[]; readonly least: number }

/** A cosignature and the head of its size; undefined: no such head is stored. */
export type StoredCosignature = Cosignature & { readonly note: string | undefined }

/** Where cosignatures stand, beside the heads and append-only like them. */
export type CosignatureStore = {
  /** Keeps it; one that is kept already stays as it is. */
  readonly add: (cosignature: Cosignature) => TaskEither<Unavailable, void>
  /** All of the head of this size. */
  readonly of: (size: number) => TaskEither<Unavailable, readonly Cosignature[]>
  /** The newest by this key of the largest head that it cosigned. */
  readonly newestBy: (key: string) => TaskEither<Unavailable, Cosignature | undefined>
  /** The smallest head from this size on that has the quorum. */
  readonly smallest: (quorum: Quorum, from: number) => TaskEither<Unavailable, number | undefined>
  /** The largest head of at most this size that had the quorum at `time` (seconds). */
  readonly largest: (
    quorum: Quorum,
    upTo: { readonly size: number; readonly time: number },
  ) => TaskEither<Unavailable, number | undefined>
  /** A page of all, by size, key and time: those behind `after`. */
  readonly page: (
    after: Pick<Cosignature, 'size' | 'key' | 'time'>,
    limit: number,
  ) => TaskEither<Unavailable, readonly StoredCosignature[]>
}

/** A key of the log: who may check, and, unless it was retired, how to sign. */
export type SigningKey = {
  readonly key: VerifierKey
  readonly sign: ((message: Buffer) => Buffer) | undefined
}

/** The keys of the log, outside the database. The first is the one the log began with. */
export type SigningKeys = {
  /** All there are, oldest first, as keys of the log `origin`. */
  readonly list: (origin: string) => TaskEither<Unavailable, readonly SigningKey[]>
  /** Makes the next key, durably. */
  readonly create: (origin: string) => TaskEither<Unavailable, SigningKey>
  /** Destroys the private half of every key before the `count`-th; the public half stays. */
  readonly retireBefore: (origin: string, count: number) => TaskEither<Unavailable, void>
}

/**
 * The newest note that was ever signed, outside the database. It is written, durably, before anyone
 * else can see the note: so a database that was set back, or was cut off in between, is noticed.
 */
export type LastSigned = {
  readonly read: () => TaskEither<Unavailable, string | undefined>
  readonly write: (note: string) => TaskEither<Unavailable, void>
}

/** How far the ledger was verified, remembered outside the database. */
export type Verified = {
  readonly size: number
  readonly root: string
  /** The time of the last event verified. */
  readonly ts: number
  readonly at: number
  /** When everything was last read from the beginning. */
  readonly fullAt: number
}

export type VerifiedMemory = {
  readonly read: () => TaskEither<Unavailable, Verified | undefined>
  readonly write: (verified: Verified) => TaskEither<Unavailable, void>
}

/** What witnesses held against this log, oldest first; beside the keys, outside the database. */
export type ObjectionFile = {
  readonly read: () => TaskEither<Unavailable, readonly Objection[]>
  /** Keeps what `change` makes of them; one change after the other. The same list is not written. */
  readonly update: (
    change: (objections: readonly Objection[]) => readonly Objection[],
  ) => TaskEither<Unavailable, void>
}

/** What is posted, and its media type. */
export type Posted = { readonly type: string; readonly body: Buffer }

/**
 * Posts something to a witness or an authority. Bounded in time and size, follows no redirect,
 * verifies TLS; `signal` ends it at once. Never rejects.
 */
export type Post = (
  url: HttpUrl,
  posted: Posted,
  signal: AbortSignal,
) => Promise<
  | (WitnessReply & { readonly tag: 'Answer' })
  | { readonly tag: 'Failure'; readonly because: string }
>

/** Does `task` every so many real milliseconds, one at a time; the answer ends it. */
export type Every = (milliseconds: number, task: () => Promise<void>) => () => Promise<void>

/** An RFC 3161 reply about `text`, and the time that it says. */
export type StampedText = { readonly text: string; readonly reply: Buffer; readonly time: Instant }

/** Who should have signed a time stamp did not, or signed something else. */
export type TimestampRefused = { readonly tag: 'TimestampRefused'; readonly because: string }

/** Whether an authority that a person trusts signed that `text` existed at `time`. */
export type CheckTimestamp = (
  stamped: StampedText,
) => TaskEither<Unavailable | TimestampRefused, void>
/** A signal that aborts after so many real milliseconds. */
export type Within = (milliseconds: number) => AbortSignal

/** Everything the transparency log works with, beside the ledger itself. */
export type TlogPorts = {
  readonly tree: TreeStore
  readonly cosignatures: CosignatureStore
  readonly keys: SigningKeys
  readonly lastSigned: LastSigned
  readonly verified: VerifiedMemory
  readonly objections: ObjectionFile
  readonly post: Post
  /** The machine's own time, also in a rehearsal: what a witness says is held against it. */
  readonly now: () => Instant
  readonly every: Every
  readonly within: Within
}
