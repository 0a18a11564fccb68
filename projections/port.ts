import type { TaskEither } from '../src/kernel/fp.ts'
import type { Instant } from '../src/kernel/instant.ts'
import type { Part, Unavailable } from '../src/ledger/port.ts'
import type { Place } from './place.ts'
import type { Cell, Projection, Row } from './projection.ts'
import type { Past, Snapshot, Trail } from './snapshot.ts'

/** What made a table: the projection's version and the reader's label, null if it reads nothing. */
export type Build = { readonly version: number; readonly reader: string | null }

/**
 * How far a table has come. `place`: the live table everybody reads, or the shadow a rebuild fills.
 * `generation` names one hold on the table: whoever begins a shadow, parts it or goes on with it gets a
 * new one, and all before are overtaken. It never comes twice.
 */
export type Standing = Build & {
  readonly projection: string
  readonly place: 'live' | 'shadow'
  readonly generation: number
  /** The last position folded, or passed over as of no interest. */
  readonly checkpoint: number
  /** Of a shadow that is folded by parts: which one, with a checkpoint of its own. */
  readonly part?: Part
}

/** A shadow, and how far each of its parts has come; none if it is folded whole. */
export type Shadow = { readonly standing: Standing; readonly parts: readonly Standing[] }

/** A state as canonical JSON text, with the events that made it what it is. */
export type StoredState = Trail & { readonly state: string }

/**
 * The new state of one key and its rows: all of them, or, if the projection adds rows, those told since the last
 * commit, which the store puts behind the ones it has. `isNew`: the store holds nothing of this key yet.
 * `snapshots`: those taken since the last commit, in order; the store adds them to the ones it has.
 */
export type Written = StoredState & {
  readonly key: string
  readonly isNew: boolean
  readonly rows: readonly Row[]
  readonly snapshots: readonly Snapshot[]
}

/** Rows as a table holds them, whatever columns it was made with, and where each stands. */
export type TablePage = {
  readonly rows: readonly { readonly place: Place; readonly row: TableRow }[]
  /** No row comes after these. */
  readonly last: boolean
}
export type TableRow = { readonly [column: string]: Cell }

/** Somebody else has moved, replaced or dropped the table since `Standing` was read. Read again. */
export type Overtaken = { readonly tag: 'Overtaken'; readonly projection: string }

/** Readings as canonical JSON text. */
export type KnownReadings = {
  readonly through: number
  readonly readings: ReadonlyMap<number, string>
}

/** `log` kept: this user of the database may not have its write-ahead log and statistics rewritten. */
export type Scrubbed = { readonly log: 'rewritten' | 'kept' }

/** Which keys to look up as of `position`, in key order. */
export type PastQuery = {
  readonly position: number
  /** Only keys that have a row with this in the column `site`. */
  readonly site?: string
  /** Only keys after this one; the least is ''. */
  readonly after: string
  /** At most so many keys, 1 to 10,000. */
  readonly limit: number
}

export type PastPage = {
  readonly standing: Standing
  /** Keys that nothing had touched yet at the position may be among them, or not. */
  readonly keys: readonly Past[]
  /** The key that the next page begins after; undefined: this was the last. */
  readonly next: string | undefined
}

/** Which rows to read, in key order. */
export type RowsQuery = {
  /** Rows whose columns have these values. */
  readonly where?: { readonly [column: string]: string | number | boolean }
  /** Rows whose column lies between two values, both included. */
  readonly between?: {
    readonly column: string
    readonly from: string | number
    readonly to: string | number
  }
  /** Rows of one text by their times instead of their keys. One page. */
  readonly nearest?: Nearest
  /** At most so many rows, 1 to 10,000. */
  readonly limit: number
  /** Only rows after this place: the `next` of an earlier page. */
  readonly after?: string
}

/**
 * The rows with `text` in the column `textIn`, whose time in the column `timeIn` is nearest to `to`, nearest
 * first and within so many milliseconds. The table has an index on both (request-log/table.sql).
 */
export type Nearest = {
  readonly textIn: string
  readonly text: string
  readonly timeIn: string
  readonly to: Instant
  readonly withinMs: number
}

export type RowsPage = {
  /** The standing the rows were read at, in one snapshot. undefined: never built. */
  readonly standing: Standing | undefined
  readonly rows: readonly Row[]
  /** Where the next page begins; undefined: this was the last. */
  readonly next: string | undefined
}

export type ProjectionStatus = Standing & {
  readonly rows: number
  /** RFC 3339; null while a shadow is being built. */
  readonly builtAt: string | null
}

/**
 * Where projections live. Everything in it can be lost and made again from ledger and bodies.
 *
 * Atomicity: `commit` writes rows, states and checkpoint together or not at all, and only if the
 * table still stands where `standing` says; so of two runners one wins, and nothing is folded twice.
 * Parts of a shadow move each by themselves: each has keys of its own.
 * Durability: whatever a crash leaves is a whole table at some checkpoint, or a shadow of which every part
 * is whole at its own. A shadow that a crash left behind is gone on with after `resumeShadow`, or dropped
 * by the next `startShadow`.
 * Reading: a reader sees a table at one checkpoint, never a half of a commit or of a swap.
 */
export type ProjectionStore = {
  /**
   * Runs `task` while no other holder of any of the locks `names` runs, over all processes. They are
   * taken in one order everywhere. A lock saves double work; what keeps the tables right is the check
   * in `commit`.
   */
  readonly exclusively: <L, A>(
    names: readonly string[],
    task: TaskEither<L, A>,
  ) => TaskEither<L | Unavailable, A>
  readonly live: (projection: Projection) => TaskEither<Unavailable, Standing | undefined>
  /** The states of those of the keys that the table holds. */
  readonly loadStates: (
    standing: Standing,
    keys: readonly string[],
  ) => TaskEither<Unavailable, ReadonlyMap<string, StoredState>>
  readonly commit: (
    projection: Projection,
    standing: Standing,
    batch: { readonly checkpoint: number; readonly written: Iterable<Written> },
  ) => TaskEither<Unavailable | Overtaken, Standing>
  /** Drops what is left of an earlier shadow and begins an empty one at checkpoint 0. */
  readonly startShadow: (projection: Projection, build: Build) => TaskEither<Unavailable, Standing>
  /**
   * Takes over the shadow that an earlier rebuild left, if it is of this build: whoever still folds into
   * it is overtaken. undefined: there is none of this build.
   */
  readonly resumeShadow: (
    projection: Projection,
    build: Build,
  ) => TaskEither<Unavailable, Shadow | undefined>
  /**
   * From here on the shadow is folded by so many parts, each from the shadow's checkpoint on. The shadow
   * itself takes no commit, and is not swapped, until they are joined.
   */
  readonly partShadow: (shadow: Standing, of: number) => TaskEither<Unavailable | Overtaken, Shadow>
  /** The shadow moves to `checkpoint`, where all of its parts stand, and is whole again. */
  readonly joinShadow: (
    shadow: Standing,
    checkpoint: number,
  ) => TaskEither<Unavailable | Overtaken, Standing>
  /** The shadow becomes the live table in one step, unless the live one has got further. */
  readonly swap: (
    projection: Projection,
    shadow: Standing,
  ) => TaskEither<Unavailable | Overtaken, Standing>
  /** Drops a shadow that will not become the live table. Another one, begun since, is left alone. */
  readonly dropShadow: (shadow: Standing) => TaskEither<Unavailable, void>
  /**
   * Readings made before, by the position of the conclusion whose body was read. `concluded`
   * rises. The answer holds what is known of the positions up to `through`, which it stops at so as
   * not to hold much more than `bytesMax` (one reading it always gives).
   */
  readonly loadReadings: (
    reader: string,
    concluded: readonly number[],
    bytesMax: number,
  ) => TaskEither<Unavailable, KnownReadings>
  readonly saveReadings: (
    reader: string,
    readings: ReadonlyMap<number, string>,
  ) => TaskEither<Unavailable, void>
  /**
   * Forgets every reader's readings of these captures, and each text that no other capture gives.
   * What is left of them in files goes with `scrub`.
   */
  readonly forgetReadings: (concluded: readonly number[]) => TaskEither<Unavailable, void>
  /** Leaves nothing in the store's files of what was deleted or dropped before, as far as it may. */
  readonly scrub: () => TaskEither<Unavailable, Scrubbed>
  /**
   * What the live table knows of its keys as of a position at or before its checkpoint, in key order and
   * at one checkpoint. undefined: never built in this version.
   */
  readonly readPast: (
    projection: Projection,
    query: PastQuery,
  ) => TaskEither<Unavailable, PastPage | undefined>
  readonly readRows: (projection: Projection, query: RowsQuery) => TaskEither<Unavailable, RowsPage>
  /**
   * Rows of a live or shadow table after a place, in the order of places, with the columns that the
   * table has: an older version of the projection may have made it. Overtaken: it is not there any
   * more, or it stands elsewhere.
   */
  readonly readTable: (
    standing: Standing,
    page: { readonly after: Place; readonly limit: number },
  ) => TaskEither<Unavailable | Overtaken, TablePage>
  /** All states in key order, for comparing two builds bit for bit. */
  readonly readStates: (
    standing: Standing,
    page: { readonly after: string; readonly limit: number },
  ) => TaskEither<Unavailable, readonly (StoredState & { readonly key: string })[]>
  readonly status: () => TaskEither<Unavailable, readonly ProjectionStatus[]>
}
