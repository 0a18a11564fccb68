import type { TaskEither } from '../kernel/fp.ts'
import type { Unavailable } from '../ledger/port.ts'

/** What a write that was cut off leaves behind begins with this, and lies in the directory itself. */
export const INCOMING = '.incoming-'

/** A directory to publish into or to read from. Names are paths below it. */
export type Folder = {
  readonly place: string
  /** The names of what lies in it directly; none if it is not there. */
  readonly list: () => TaskEither<Unavailable, readonly string[]>
  readonly read: (name: string) => TaskEither<Unavailable, Buffer | undefined>
  /** Whole and durable, or not at all. */
  readonly write: (name: string, bytes: string | Uint8Array) => TaskEither<Unavailable, void>
  /** Removes a file, or a directory with what is in it. */
  readonly remove: (name: string) => TaskEither<Unavailable, void>
}
