/** Heads as they are handed out: with the cosignatures of the witnesses that the log names now. */
import type { Instant } from '../../kernel/instant.ts'
import {
  type Cosignature,
  cosignedNote,
  earliestOfEach,
  newestOfEach,
} from '../../ledger/tlog/cosignature.ts'
import type { Quorum, StoredHead, TlogPorts } from '../../ledger/tlog/port.ts'
import { quorumOf, type Witnesses } from '../../ledger/tlog/witness.ts'
import { CLOCK_TOLERANCE_MS } from '../../ledger/tlog/witness-answer.ts'
import { Halt, orHalt } from '../halt.ts'

export type HeadPorts = Pick<TlogPorts, 'tree' | 'cosignatures'>

/** A head as it was signed, and the note under which its cosignatures stand too. */
export type CosignedHead = StoredHead & { readonly cosignatures: readonly Cosignature[] }

const keysOf = ({ named }: Witnesses): readonly string[] => named.map(({ key }) => key.vkey)

const quorumIn = (witnesses: Witnesses): Quorum => ({
  keys: keysOf(witnesses),
  least: quorumOf(witnesses),
})

type Choose = (cosignatures: readonly Cosignature[]) => readonly Cosignature[]

/** The head with those cosignatures of its witnesses that `choose` takes: one of each. */
const cosigned = async (
  { cosignatures }: HeadPorts,
  { named }: Witnesses,
  { size, note }: StoredHead,
  choose: Choose,
): Promise<CosignedHead> => {
  if (named.length === 0) return { size, note, cosignatures: [] }
  const keys = new Set(named.map(({ key }) => key.vkey))
  const ofHead = await orHalt(cosignatures.of(size))
  const chosen = choose(ofHead.filter(({ key }) => keys.has(key)))
  return { size, note: cosignedNote(note, chosen), cosignatures: chosen }
}

/** The newest head there is, with the newest cosignature of each witness. */
export const newestHead = async (
  ports: HeadPorts,
  witnesses: Witnesses,
): Promise<CosignedHead | undefined> => {
  const newest = await orHalt(ports.tree.newest())
  return newest === undefined ? undefined : cosigned(ports, witnesses, newest, newestOfEach)
}

const headOf = async ({ tree }: HeadPorts, size: number): Promise<StoredHead> => {
  const head = await orHalt(tree.newestUpTo(size))
  if (head?.size === size) return head
  const because = `witnesses cosigned a head of ${size} entries, and it is missing; run verify --full`
  throw new Halt({ tag: 'IntegrityBreach', position: size, because })
}

/** The earliest head that holds the position and has the quorum, with the earliest cosignatures. */
export const headCovering = async (
  ports: HeadPorts,
  witnesses: Witnesses,
  position: number,
): Promise<CosignedHead | undefined> => {
  if (witnesses.named.length === 0) {
    const [head] = await orHalt(ports.tree.after(position - 1, 1))
    return head && { ...head, cosignatures: [] }
  }
  const size = await orHalt(ports.cosignatures.smallest(quorumIn(witnesses), position))
  if (size === undefined) return undefined
  return cosigned(ports, witnesses, await headOf(ports, size), earliestOfEach)
}

/**
 * The newest head without the position that had the quorum at `ts`, the time of the event there, with
 * the cosignatures of then. A later one proves nothing more: when a crash left events unsealed, the
 * head before them may be cosigned after them.
 */
export const headBefore = async (
  ports: HeadPorts,
  witnesses: Witnesses,
  position: number,
  ts: Instant,
): Promise<CosignedHead | undefined> => {
  if (witnesses.named.length === 0) {
    const head = await orHalt(ports.tree.newestUpTo(position - 1))
    return head && { ...head, cosignatures: [] }
  }
  const time = Math.floor((ts + CLOCK_TOLERANCE_MS) / 1_000)
  const upTo = { size: position - 1, time }
  const size = await orHalt(ports.cosignatures.largest(quorumIn(witnesses), upTo))
  if (size === undefined) return undefined
  return cosigned(ports, witnesses, await headOf(ports, size), (all) =>
    newestOfEach(all.filter((one) => one.time <= time)),
  )
}

/** How large the largest head is that can be handed out; 0 if there is none. */
export const largestHead = async (ports: HeadPorts, witnesses: Witnesses): Promise<number> => {
  if (witnesses.named.length === 0) return (await orHalt(ports.tree.newest()))?.size ?? 0
  const upTo = { size: Number.MAX_SAFE_INTEGER, time: Number.MAX_SAFE_INTEGER }
  return (await orHalt(ports.cosignatures.largest(quorumIn(witnesses), upTo))) ?? 0
}

/** The head of this size, if it can be handed out, with the earliest cosignatures. */
export const headOfSize = async (
  ports: HeadPorts,
  witnesses: Witnesses,
  size: number,
): Promise<CosignedHead | undefined> => {
  const head = await headCovering(ports, witnesses, size)
  return head?.size === size ? head : undefined
}
