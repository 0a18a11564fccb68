/**
 * A head: how large the log is and the root of its tree, signed. Files and outsiders call it a
 * checkpoint (C2SP tlog-checkpoint): three lines — origin, size, root — in a signed note.
 */
import { type ParseFailure, parseFailure } from '../../kernel/codec.ts'
import { E, type Either } from '../../kernel/fp.ts'
import { hashFromBase64 } from './base64.ts'
import { isSignedBy, type VerifierKey } from './key.ts'
import { isBy, parseNote, type SignedNote } from './note.ts'

export type TreeHead = {
  readonly origin: string
  /** How many entries; the last of them stands at this position. */
  readonly size: number
  readonly root: Buffer
}

export type Head = TreeHead & { readonly note: SignedNote }

export const headText = ({ origin, size, root }: TreeHead): string =>
  `${origin}\n${size}\n${root.toString('base64')}\n`

const SIZE = /^(?:0|[1-9]\d{0,15})$/

const parseHeadText = (text: string): Either<ParseFailure, TreeHead> => {
  const refused = (expected: string) => E.left(parseFailure('checkpoint', expected))
  const [origin = '', decimal = '', base64 = '', ...rest] = text.split('\n')
  if (origin === '' || rest.length !== 1 || rest[0] !== '')
    return refused('three lines: origin, size, root')
  const size = SIZE.test(decimal) ? Number(decimal) : Number.NaN
  if (!Number.isSafeInteger(size)) return refused('a size in decimal')
  const root = hashFromBase64(base64)
  return root === undefined
    ? refused('a root of 32 bytes in base64')
    : E.right({ origin, size, root })
}

/** Reads a checkpoint without judging who signed it. */
export const parseHead = (note: string): Either<ParseFailure, Head> => {
  const parsed = parseNote(note)
  if (E.isLeft(parsed)) return parsed
  const head = parseHeadText(parsed.right.text)
  return E.isLeft(head) ? head : E.right({ ...head.right, note: parsed.right })
}

/** A signature that was checked; a witness also says when it signed, in seconds since 1970. */
export type Signed = { readonly key: VerifierKey; readonly time: number | null }

const TIME_BYTES = 8
const SIGNATURE_BYTES = 64

/** What a witness signs (C2SP tlog-cosignature): the time and the whole text. */
const cosigned = (text: string, time: number): Buffer =>
  Buffer.from(`cosignature/v1\ntime ${time}\n${text}`)

const check = (key: VerifierKey, text: string, bytes: Buffer): Signed | undefined => {
  if (key.use === 'log')
    return bytes.length === SIGNATURE_BYTES && isSignedBy(key, Buffer.from(text), bytes)
      ? { key, time: null }
      : undefined
  if (bytes.length !== TIME_BYTES + SIGNATURE_BYTES) return undefined
  const time = Number(bytes.readBigUInt64BE())
  const isValid =
    Number.isSafeInteger(time) && isSignedBy(key, cosigned(text, time), bytes.subarray(TIME_BYTES))
  return isValid ? { key, time } : undefined
}

/**
 * Who of `keys` signed the note. Lines of others are passed over; a line that says it is by one of
 * `keys` and is not, or a second one by the same key, makes the whole note false.
 */
export const signersOf = (
  { text, signatures }: SignedNote,
  keys: readonly VerifierKey[],
): Either<ParseFailure, readonly Signed[]> => {
  const signed: Signed[] = []
  for (const line of signatures) {
    const key = keys.find((known) => isBy(line, known))
    if (key === undefined) continue
    const one = check(key, text, line.signature)
    if (one === undefined || signed.some(({ key: other }) => other === key))
      return E.left(parseFailure('signed note', `one valid signature of ${key.name}+${key.id}`))
    signed.push(one)
  }
  return E.right(signed)
}
