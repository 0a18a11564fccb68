/** How far erasures were carried out, as a file beside the bodies they are about. */
import { integer, parse } from '../../kernel/codec.ts'
import { E, type TaskEither, TE } from '../../kernel/fp.ts'
import type { Unavailable } from '../../ledger/port.ts'
import { readIfThere, writeDurably } from './durable-file.ts'

const Through = integer(0)

/** A memory that does not parse is none: then every erasure is carried out again. */
export const fileSwept = (file: string) => ({
  read: (): TaskEither<Unavailable, number | undefined> =>
    TE.map((bytes: Buffer | undefined) => {
      const parsed = parse(file, Through, Number(bytes ?? Number.NaN))
      return E.isRight(parsed) ? parsed.right : undefined
    })(readIfThere(file)),
  write: (through: number): TaskEither<Unavailable, void> => writeDurably(file, `${through}\n`),
})
