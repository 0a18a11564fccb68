import type { Json } from '../src/kernel/canonical-json.ts'
import type { Purpose } from '../src/kernel/words.ts'
import type { Recorded } from '../src/ledger/entry.ts'
import type { EventType } from '../src/ledger/event.ts'

/** One cell of a projection's table. Numbers are safe integers; objects are stored as jsonb. */
export type Cell = Json

/** One row: its key columns first. Every row carries the `position` of the event that last made it. */
export type Row = { readonly position: number; readonly [column: string]: Cell }

/**
 * What a reader took from the kept body of a response, made by the runner before the fold and
 * cached by (capture, reader version). `reading` is the reader's own JSON shape.
 */
export type Reading = { readonly reader: string; readonly reading: Json }

/** One step of a fold: the event, and for a capture that the projection reads, its reading. */
export type Folded = { readonly recorded: Recorded; readonly reading: Reading | undefined }

/**
 * A projection answers one question from history. An author writes no I/O: `fold` and `rowsOf` are
 * pure and total, the runner loads states, folds in position order, and writes rows, states and
 * checkpoint in one transaction. State and rows are canonical JSON values, so that an incremental
 * fold and a rebuild can be compared bit for bit.
 */
export type Projection = {
  readonly name: string
  /** Raised with every change of fold, rows or table: the stored state is then rebuilt. */
  readonly version: number
  /** Event types the fold looks at; the runner skips all others. */
  readonly interestedIn: readonly EventType[]
  /** The capture the projection wants read, and the reader (by its stable name). */
  readonly reads?: { readonly purpose: Purpose; readonly reader: string }
  /** Which states an event touches. [] for none. */
  readonly keysOf: (recorded: Recorded) => readonly string[]
  readonly initial: (key: string) => Json
  readonly fold: (state: Json, step: Folded) => Json
  readonly rowsOf: (state: Json) => readonly Row[]
  /** `table.sql`: CREATE TABLE with the table name replaced by the runner (`:table`). */
  readonly table: { readonly sql: string; readonly columns: readonly string[] }
}
