/** What the transparency log keeps outside the database, each in a file of the data directory. */
import { join } from 'node:path'
import { integer, parse, t } from '../../kernel/codec.ts'
import { Digest } from '../../kernel/digest.ts'
import { E, TE } from '../../kernel/fp.ts'
import type { LastSigned, VerifiedMemory } from '../../ledger/tlog/port.ts'
import { readIfThere, writeDurably } from './durable-file.ts'

/** Beside the keys, so that both are backed up and lost together. */
export const fileLastSigned = (directory: string): LastSigned => {
  const file = join(directory, 'last-signed')
  return {
    read: () => TE.map((bytes: Buffer | undefined) => bytes?.toString('utf8'))(readIfThere(file)),
    write: (note) => writeDurably(file, note),
  }
}

const VerifiedJson = t.type({
  size: integer(0),
  root: Digest,
  ts: integer(0),
  at: integer(0),
  fullAt: integer(0),
})

/** A memory that does not parse is none: then everything is read again. */
export const fileVerified = (file: string): VerifiedMemory => ({
  read: () =>
    TE.map((bytes: Buffer | undefined) => {
      const parsed = bytes === undefined ? undefined : parse(file, VerifiedJson, jsonIn(bytes))
      return parsed !== undefined && E.isRight(parsed) ? parsed.right : undefined
    })(readIfThere(file)),
  write: (verified) => writeDurably(file, `${JSON.stringify(verified)}\n`),
})

const jsonIn = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
