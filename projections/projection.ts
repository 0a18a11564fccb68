/**
 * What a projection is. Projections are disposable: every one can be dropped and folded again from
 * the ledger, and comes out the same bit for bit.
 */
import type { Json } from '../src/kernel/canonical-json.ts'
import type { Purpose } from '../src/kernel/words.ts'
import type { Recorded } from '../src/ledger/entry.ts'
import type { EventType } from '../src/ledger/event.ts'

/** One cell of a projection's table. Numbers are safe integers; objects are stored as jsonb. */
export type Cell = Json

/** One row. Every row carries the `position` of the event that last made it. */
export type Row = { readonly position: number; readonly [column: string]: Cell }

/**
 * What a reader took from a kept body, made by the runner before the fold and cached by (capture,
 * reader version). `reading` is the reader's own JSON shape.
 */
export type Reading = { readonly reader: string; readonly reading: Json }

/**
 * The body was kept once and is not in the body store any more, by a person's act or otherwise: the
 * fold says so, and goes on.
 */
export type Unread = { readonly reader: string; readonly unread: 'body-missing' | 'body-erased' }

/**
 * One step of a fold: the event, and if it concludes a fetch that the projection reads and whose
 * body was kept, the reading.
 */
export type Folded = {
  readonly recorded: Recorded
  readonly reading: Reading | Unread | undefined
}

/** The pure part an author writes in `fold.ts`. `S` is made of canonical JSON values only. */
export type Fold<S extends Json> = {
  readonly name: string
  /** Raised with every change of fold, rows or table: the stored state is then rebuilt. */
  readonly version: number
  /** Event types the fold looks at; the runner skips all others. */
  readonly interestedIn: readonly EventType[]
  /**
   * The conclusions (FetchConcluded; RobotsRead for robots.txt) whose kept body the projection wants
   * read, and the reader by its stable name. `others` may be put in its place by a rebuild.
   */
  readonly reads?: {
    readonly purpose: Purpose
    readonly reader: string
    readonly others?: readonly string[]
  }
  /**
   * All events that touch one state are in one stream, so that streams can be folded apart, by several
   * workers at once. Left out: it is not known to be so.
   */
  readonly perStream?: true
  /** Which states an event touches. [] for none. */
  readonly keysOf: (recorded: Recorded) => readonly string[]
  readonly initial: (key: string) => S
  /** Total: an event that does not concern the state gives back the state itself. */
  readonly fold: (state: S, step: Folded) => S
  /**
   * A state that takes no more events: its rows are written a last time, and of the state the store
   * keeps the key alone. Left out: none is.
   */
  readonly isFinal?: (state: S) => boolean
  /**
   * Rows are added and never change: `rowsOf` gives those that the last event told, each with the position of
   * that event, and the table keeps all that were ever told. Of the state `keeps` is kept: all but those rows.
   */
  readonly adds?: { readonly keeps: (state: S) => S }
  /** A snapshot is taken every so many events of a key; SNAPSHOT_EVERY if left out. */
  readonly snapshotEvery?: number
  /** Where keys are made of positions: no event up to this one touches a key after that. */
  readonly lastKeyAt?: (position: number) => string
}

/**
 * The other pure part, in `rows.ts`. All rows of a key say the same in the column `site`, if there is one, and
 * a key that has rows never loses all of them: so the keys of a site are found by its rows of today.
 */
export type Rows<S extends Json> = {
  readonly columns: readonly string[]
  /** Columns that tell the rows of one key apart. Left out: a key has one row at most. */
  readonly identity?: readonly string[]
  readonly rowsOf: (state: S) => readonly Row[]
}

/**
 * A projection answers one question from history. An author writes no I/O: `fold` and `rowsOf` are
 * pure and total, the runner loads states, folds in position order, and writes rows, states and
 * checkpoint in one transaction. State and rows are canonical JSON values, so that an incremental
 * fold and a rebuild can be compared bit for bit.
 */
export type Projection = Fold<Json> & {
  readonly rowsOf: (state: Json) => readonly Row[]
  /** The label of the reader to read with; without it the newest version of the one named. */
  readonly readWith?: string
  /** `table.sql`: one CREATE TABLE, then its indexes; the runner puts the table's name for `:table`. */
  readonly table: {
    readonly sql: string
    readonly columns: readonly string[]
    readonly identity?: readonly string[]
  }
}

/** Joins the three files of a projection's folder. */
export const projection = <S extends Json>(
  fold: Fold<S>,
  rows: Rows<S>,
  sql: string,
): Projection => ({
  // A state is only ever made by this fold, or read back from a store under this name and version.
  ...(fold as unknown as Fold<Json>),
  rowsOf: rows.rowsOf as (state: Json) => readonly Row[],
  table: { sql, columns: rows.columns, ...(rows.identity && { identity: rows.identity }) },
})

/** Some columns of a row. */
export type Cells<C extends readonly string[]> = { readonly [K in C[number]]?: Cell }

/** Makes rows of exactly `columns`: null where no part says anything, and the later part counts. */
export const rowMaker = <C extends readonly string[]>(columns: C) => {
  const blank = Object.fromEntries(columns.map((column) => [column, null]))
  return (position: number, ...parts: readonly Cells<C>[]): Row =>
    Object.assign({}, blank, ...parts, { position }) as Row
}
