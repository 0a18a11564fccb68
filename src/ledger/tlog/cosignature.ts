/** Cosignatures (C2SP tlog-cosignature) as they are kept, and how they come under a head again. */
import { E } from '../../kernel/fp.ts'
import { parseHead, signersOf } from './head.ts'
import { parseVerifierKey, type VerifierKey } from './key.ts'
import { formatNote, type NoteSignature } from './note.ts'

export type Cosignature = {
  /** Of the head that was signed. */
  readonly size: number
  /** The witness's key as one word. */
  readonly key: string
  /** When it says that it signed, in seconds since 1970. */
  readonly time: number
  /** 64 bytes, over that time and the text of the head. */
  readonly signature: Buffer
}

const TIME_BYTES = 8

/** The signature line of a cosignature: the time stands before the signature. */
const lineOf = (key: VerifierKey, { time, signature }: Cosignature): NoteSignature => {
  const when = Buffer.alloc(TIME_BYTES)
  when.writeBigUInt64BE(BigInt(time))
  return { name: key.name, id: key.id, signature: Buffer.concat([when, signature]) }
}

/** What a signature line by this key says, as it is kept; it must have been checked. */
export const cosignatureOf = (
  { vkey: key }: VerifierKey,
  { size, time, signature }: Omit<Cosignature, 'key' | 'signature'> & NoteSignature,
): Cosignature => ({ size, key, time, signature: signature.subarray(TIME_BYTES) })

/**
 * The note with these cosignatures under it, one for each key, sorted by name and id: the same
 * cosignatures always give the same bytes.
 */
export const cosignedNote = (note: string, cosignatures: readonly Cosignature[]): string => {
  const head = parseHead(note)
  if (E.isLeft(head) || cosignatures.length === 0) return note
  const lines = cosignatures.flatMap((cosignature) => {
    const key = parseVerifierKey(cosignature.key)
    return E.isRight(key) ? [lineOf(key.right, cosignature)] : []
  })
  const { text, signatures } = head.right.note
  return formatNote({ text, signatures: [...signatures, ...lines.toSorted(byNameAndId)] })
}

const byNameAndId = (a: NoteSignature, b: NoteSignature): number => {
  const [one, other] = [`${a.name} ${a.id}`, `${b.name} ${b.id}`]
  return one < other ? -1 : Number(one > other)
}

/** Of each key the cosignature that `isBetter` than its others. */
const onePerKey = (
  cosignatures: readonly Cosignature[],
  isBetter: (one: Cosignature, other: Cosignature) => boolean,
): readonly Cosignature[] => {
  const chosen = new Map<string, Cosignature>()
  for (const one of cosignatures) {
    const other = chosen.get(one.key)
    if (other === undefined || isBetter(one, other)) chosen.set(one.key, one)
  }
  return [...chosen.values()]
}

export const earliestOfEach = (cosignatures: readonly Cosignature[]): readonly Cosignature[] =>
  onePerKey(cosignatures, (one, other) => one.time < other.time)

export const newestOfEach = (cosignatures: readonly Cosignature[]): readonly Cosignature[] =>
  onePerKey(cosignatures, (one, other) => one.time > other.time)

/** Whether the cosignature is what it says, under the text of this head. */
export const isCosignatureOf = (note: string, cosignature: Cosignature): boolean => {
  const [head, key] = [parseHead(note), parseVerifierKey(cosignature.key)]
  if (E.isLeft(head) || E.isLeft(key) || head.right.size !== cosignature.size) return false
  const { text } = head.right.note
  const line = lineOf(key.right, cosignature)
  const signed = signersOf({ text, signatures: [line] }, [key.right])
  return E.isRight(signed) && signed.right.length === 1 && key.right.use === 'witness'
}
