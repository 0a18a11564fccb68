/**
 * Only one process at a time creates or starts the server.
 *
 * The lock is an exclusive transaction on an empty SQLite file. Node has no flock; this is the one
 * lock it has that the kernel releases by itself when the holder is killed, on Linux and macOS,
 * between containers too. Nothing is ever stored in the file.
 */
import { DatabaseSync } from 'node:sqlite'
import { E, type Either } from '../../../kernel/fp.ts'
import type { Unavailable } from '../../../ledger/port.ts'
import { unavailable } from './failure.ts'

/** Releasing twice does no harm. */
export type StartLock = { readonly release: () => void }

const SQLITE_BUSY = 5

/** Takes the lock without waiting; undefined while another holds it. */
export const tryStartLock = (path: string): Either<Unavailable, StartLock | undefined> => {
  let file: DatabaseSync | undefined
  try {
    file = new DatabaseSync(path)
    // Without a journal file the lock needs no space on the disk.
    file.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    const held = file
    return E.right({
      release: () => {
        if (held.isOpen) held.close()
      },
    })
  } catch (error) {
    file?.close()
    if (!(error instanceof Error)) throw error
    if ('errcode' in error && error.errcode === SQLITE_BUSY) return E.right(undefined)
    return E.left(
      unavailable(
        `the start of the embedded PostgreSQL cannot be locked at ${path}`,
        error.message,
      ),
    )
  }
}
