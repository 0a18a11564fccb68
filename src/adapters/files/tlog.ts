/** What the transparency log keeps outside the database, each in a file of the data directory. */
import { join } from 'node:path'
import { describeParseFailure, integer, parse, t } from '../../kernel/codec.ts'
import { Digest } from '../../kernel/digest.ts'
import { E, TE } from '../../kernel/fp.ts'
import { Objection } from '../../ledger/tlog/objection.ts'
import type { LastSigned, ObjectionFile, VerifiedMemory } from '../../ledger/tlog/port.ts'
import { readIfThere, writeDurably } from './durable-file.ts'

/** Beside the keys, so that both are backed up and lost together. */
export const fileLastSigned = (directory: string): LastSigned => {
  const file = join(directory, 'last-signed')
  return {
    read: () => TE.map((bytes: Buffer | undefined) => bytes?.toString('utf8'))(readIfThere(file)),
    write: (note) => writeDurably(file, note),
  }
}

const Objections = t.array(Objection)

/** One that does not parse is not passed over: it may say that nothing must be signed. */
export const fileObjections = (directory: string): ObjectionFile => {
  const file = join(directory, 'objections.json')
  const read: ObjectionFile['read'] = () => async () => {
    const bytes = await readIfThere(file)()
    if (E.isLeft(bytes) || bytes.right === undefined) return E.map(() => [])(bytes)
    const parsed = parse(file, Objections, jsonIn(bytes.right))
    return E.isRight(parsed)
      ? parsed
      : E.left({ tag: 'Unavailable', because: describeParseFailure(parsed.left) })
  }
  const updated: ObjectionFile['update'] = (change) => async () => {
    const before = await read()()
    if (E.isLeft(before)) return before
    const after = change(before.right)
    if (after === before.right) return E.right(undefined)
    const text = JSON.stringify(Objections.encode([...after]), null, 2)
    return writeDurably(file, `${text}\n`)()
  }
  // Several witnesses may object at once.
  let before: Promise<unknown> = Promise.resolve()
  return {
    read,
    update: (change) => () => {
      const turn = before.then(updated(change))
      before = turn
      return turn
    },
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
