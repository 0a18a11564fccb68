/** What a witness answered to a head (C2SP tlog-witness, add-checkpoint), read strictly. */
import { E } from '../../kernel/fp.ts'
import type { Instant } from '../../kernel/instant.ts'
import { type Cosignature, cosignatureOf } from './cosignature.ts'
import { type Head, signersOf } from './head.ts'
import type { VerifierKey } from './key.ts'
import { isBy, parseNote } from './note.ts'

/** What came back: the status, and the body as far as it was read. */
export type WitnessReply = {
  readonly status: number
  readonly body: Buffer
  /** The body went on beyond what is read of one. */
  readonly truncated: boolean
}

export type WitnessAnswer =
  | { readonly tag: 'Cosigned'; readonly cosignature: Cosignature }
  /** 409: it holds a head of another size than we said, or another head of this size. */
  | { readonly tag: 'Conflict'; readonly holds: number | undefined }
  /** 422: what it holds at the size that we said is not the beginning of this head. */
  | { readonly tag: 'Unproven' }
  | { readonly tag: 'Unusable'; readonly because: string }

/** So far clocks may differ, and so long a head may be on its way. */
export const CLOCK_TOLERANCE_MS = 60_000

const SIZE = /^(?:0|[1-9]\d{0,15})\n?$/

const unusable = (because: string): WitnessAnswer => ({ tag: 'Unusable', because })

const STATUS: ReadonlyMap<number, string> = new Map([
  [400, 'it calls the request malformed (400)'],
  [403, 'it does not accept the key that signed this head (403): give its operator the newest key'],
  [404, 'it does not know this log (404): give its operator the log’s key, or check the address'],
  [429, 'it is asked too often (429)'],
])

type Asked = { readonly key: VerifierKey; readonly head: Head; readonly now: Instant }

export const readAnswer = (asked: Asked, { status, body, truncated }: WitnessReply) => {
  if (truncated) return unusable(`its answer is larger than ${body.length} bytes`)
  if (status === 200) return readCosignature(asked, body)
  if (status === 409) return readConflict(body)
  if (status === 422) return { tag: 'Unproven' } satisfies WitnessAnswer
  if (status >= 300 && status < 400)
    return unusable(`it sends elsewhere (${status}); name the address where it answers itself`)
  return unusable(STATUS.get(status) ?? `it answers with status ${status}`)
}

const readConflict = (body: Buffer): WitnessAnswer => {
  const text = body.toString('latin1')
  const holds = SIZE.test(text) ? Number(text) : Number.NaN
  return { tag: 'Conflict', holds: Number.isSafeInteger(holds) ? holds : undefined }
}

/** Exactly one valid cosignature by its key; lines of other keys are passed over. */
const readCosignature = ({ key, head, now }: Asked, body: Buffer): WitnessAnswer => {
  const lines = body.toString('utf8')
  const note = parseNote(`${head.note.text}\n${lines}`)
  if (E.isLeft(note) || note.right.text !== head.note.text || !Buffer.from(lines).equals(body))
    return unusable('its answer is no list of signature lines')
  const signed = signersOf(note.right, [key])
  if (E.isLeft(signed)) return unusable('its cosignature is false')
  const [time] = signed.right.map((one) => one.time)
  const line = note.right.signatures.find((one) => isBy(one, key))
  if (typeof time !== 'number' || line === undefined)
    return unusable('its answer holds no cosignature by the key that was named for it')
  const apart = time * 1_000 - now
  if (Math.abs(apart) > CLOCK_TOLERANCE_MS)
    return unusable(
      `the time of its cosignature and this machine’s clock are ${Math.round(Math.abs(apart) / 1_000)} seconds apart; find out which is wrong`,
    )
  return { tag: 'Cosigned', cosignature: cosignatureOf(key, { size: head.size, time, ...line }) }
}
