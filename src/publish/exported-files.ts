import type { TaskEither } from '../kernel/fp.ts'
import type { Unavailable } from '../ledger/port.ts'

/** What lies in a directory; `other` is anything that is neither, such as a symbolic link. */
export type Listed = { readonly name: string; readonly kind: 'file' | 'directory' | 'other' }

/** The files of an export, which anybody may have made: nothing is followed, nothing read too far. */
export type ExportedFiles = {
  readonly place: string
  /** What lies in a directory, by name, at most `most` of it; nothing if it is not there. */
  readonly list: (directory: string, most: number) => TaskEither<Unavailable, readonly Listed[]>
  /** The first bytes of a file, at most `most`; undefined if no plain file is there. */
  readonly read: (path: string, most: number) => TaskEither<Unavailable, Buffer | undefined>
}
