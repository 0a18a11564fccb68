/**
 * C2SP signed-note: a text and who signed it. Read strictly, since its bytes are evidence: UTF-8, no
 * control characters but the line feed, canonical base64, nothing before, between or behind.
 */
import { type ParseFailure, parseFailure } from '../../kernel/codec.ts'
import { E, type Either } from '../../kernel/fp.ts'
import { fromBase64 } from './base64.ts'
import type { VerifierKey } from './key.ts'

/** One signature line: `— name base64(id ‖ signature)`. */
export type NoteSignature = {
  readonly name: string
  readonly id: string
  readonly signature: Buffer
}

export type SignedNote = {
  /** What is signed, with its last line feed. */
  readonly text: string
  readonly signatures: readonly NoteSignature[]
}

export const NOTE_BYTES_MAX = 65_535
const SIGNATURES_MAX = 100
const ID_BYTES = 4
const LINE = /^— (?<name>[^\s\p{C}+]+) (?<base64>[A-Za-z0-9+/]+={0,2})$/u

const refused = (expected: string): Either<ParseFailure, never> =>
  E.left(parseFailure('signed note', expected))

const signatureOf = (line: string): NoteSignature | undefined => {
  const { name, base64 = '' } = LINE.exec(line)?.groups ?? {}
  const bytes = fromBase64(base64)
  if (name === undefined || bytes === undefined || bytes.length <= ID_BYTES) return undefined
  return { name, id: bytes.toString('hex', 0, ID_BYTES), signature: bytes.subarray(ID_BYTES) }
}

export const parseNote = (note: string): Either<ParseFailure, SignedNote> => {
  if (Buffer.byteLength(note) > NOTE_BYTES_MAX || !note.isWellFormed())
    return refused(`UTF-8 text of at most ${NOTE_BYTES_MAX} bytes`)
  if (/(?!\n)\p{Cc}/u.test(note)) return refused('no control characters')
  const end = note.lastIndexOf('\n\n')
  if (end < 0 || !note.endsWith('\n')) return refused('a text, a blank line, signature lines')
  const lines = note.slice(end + 2, -1).split('\n')
  if (lines.length > SIGNATURES_MAX) return refused(`at most ${SIGNATURES_MAX} signatures`)
  const signatures: NoteSignature[] = []
  for (const line of lines) {
    const signature = signatureOf(line)
    if (signature === undefined) return refused('signature lines “— name base64”')
    signatures.push(signature)
  }
  return E.right({ text: note.slice(0, end + 1), signatures })
}

const signatureLine = ({ name, id, signature }: NoteSignature): string => {
  const bytes = Buffer.concat([Buffer.from(id, 'hex'), signature])
  return `— ${name} ${bytes.toString('base64')}\n`
}

export const formatNote = ({ text, signatures }: SignedNote): string =>
  `${text}\n${signatures.map(signatureLine).join('')}`

/** Whether a signature line says that it is by this key: name and id, and so also the algorithm. */
export const isBy = ({ name, id }: NoteSignature, key: VerifierKey): boolean =>
  name === key.name && id === key.id
