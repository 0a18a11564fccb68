/**
 * Asks one witness to cosign a head (C2SP tlog-witness): says from which size on the head is proven
 * to have grown, and keeps the cosignature or what the witness held against us. What a witness does
 * is never thrown; what our own database or disk does is.
 */
import { assert } from '../../kernel/assert.ts'
import { E } from '../../kernel/fp.ts'
import type { Instant } from '../../kernel/instant.ts'
import { type HttpUrl, parseHttpUrl } from '../../kernel/url.ts'
import { type Cosignature, isCosignatureOf } from '../../ledger/tlog/cosignature.ts'
import type { Head } from '../../ledger/tlog/head.ts'
import { type Objection, settledBy, withObjection } from '../../ledger/tlog/objection.ts'
import type { StoredHead, TlogPorts } from '../../ledger/tlog/port.ts'
import { consistencySpans } from '../../ledger/tlog/proof.ts'
import type { Witness } from '../../ledger/tlog/witness.ts'
import { readAnswer, type WitnessAnswer } from '../../ledger/tlog/witness-answer.ts'
import { formatGrowthProof } from '../../publish/proof-file.ts'
import { orHalt } from '../halt.ts'
import { spanHash } from './hashes.ts'
import { headIn } from './log-record.ts'

export type AskPorts = Pick<
  TlogPorts,
  'tree' | 'cosignatures' | 'objections' | 'post' | 'now' | 'within'
>

export type Asked =
  /** `at`: when it was asked. */
  | { readonly tag: 'Cosigned'; readonly size: number; readonly at: Instant }
  /** Somebody else had a larger head of this log cosigned meanwhile. */
  | { readonly tag: 'Overtaken' }
  | { readonly tag: 'Objected'; readonly objection: Objection }
  | { readonly tag: 'Unusable'; readonly because: string }

type Asking = {
  readonly ports: AskPorts
  readonly witness: Witness
  readonly head: Head
  readonly note: string
  readonly signal: AbortSignal
  /** When it was begun. */
  readonly at: Instant
}

export const askWitness = async (
  ports: AskPorts,
  witness: Witness,
  { size, note }: StoredHead,
  signal: AbortSignal,
): Promise<Asked> => {
  const head = headIn(`the head of size ${size}`, note)
  const asking = { ports, witness, head, note, signal, at: ports.now() }
  const last = await orHalt(ports.cosignatures.newestBy(witness.key.vkey))
  const old = last === undefined || last.size > size ? 0 : last.size
  const answer = await send(asking, old)
  const corrected = correction(answer, old, size)
  if (corrected === undefined) return conclude(asking, old, answer)
  // It knows better what it holds: an answer of its was lost, or a backup was put back. Once only.
  return conclude(asking, corrected, await send(asking, corrected))
}

/** The size to begin from instead, if that is what the witness says. */
const correction = (answer: WitnessAnswer, old: number, size: number): number | undefined =>
  answer.tag === 'Conflict' &&
  answer.holds !== undefined &&
  answer.holds !== old &&
  answer.holds <= size
    ? answer.holds
    : undefined

/** One POST: the size, the proof from there, the head. */
const send = async (
  { ports, witness, head, note, signal }: Asking,
  old: number,
): Promise<WitnessAnswer> => {
  const proof: Buffer[] = []
  // One after the other: a crawl reads from the same database.
  for (const span of consistencySpans(old, head.size)) proof.push(await spanHash(ports.tree, span))
  const body = Buffer.from(formatGrowthProof({ older: old, proof, checkpoint: note }))
  const posted = { type: 'text/plain; charset=utf-8', body }
  const reply = await ports.post(addCheckpoint(witness), posted, signal)
  if (reply.tag === 'Failure') return { tag: 'Unusable', because: reply.because }
  return readAnswer({ key: witness.key, head, now: ports.now() }, reply)
}

const conclude = async (asking: Asking, old: number, answer: WitnessAnswer): Promise<Asked> => {
  switch (answer.tag) {
    case 'Cosigned':
      await orHalt(asking.ports.cosignatures.add(answer.cosignature))
      await settle(asking)
      return { tag: 'Cosigned', size: asking.head.size, at: asking.at }
    case 'Conflict':
      return concludeConflict(asking, old, answer.holds)
    case 'Unproven':
      return old === 0
        ? {
            tag: 'Unusable',
            because: 'it wants a proof from an empty log, and there is none (422)',
          }
        : object(asking, await kindOfFork(asking, old), old)
    case 'Unusable':
      return answer
  }
}

const concludeConflict = async (
  asking: Asking,
  old: number,
  holds: number | undefined,
): Promise<Asked> => {
  const { ports, head } = asking
  if (holds !== undefined && holds > head.size) {
    const newest = await orHalt(ports.tree.newest())
    if (newest !== undefined && newest.size >= holds) return { tag: 'Overtaken' }
    return object(asking, 'set-back', holds)
  }
  // 409 with our own size: it holds another head of it.
  if (old === head.size && (holds === undefined || holds === old))
    return object(asking, await kindOfFork(asking, old), old)
  return {
    tag: 'Unusable',
    because:
      holds === undefined
        ? 'it holds another size and does not say which (409)'
        : 'it does not agree with itself on the size it holds (409)',
  }
}

/** Whether what it holds against us at `size` can be: not if it cosigned our own head of that size. */
const kindOfFork = async ({ ports, witness }: Asking, size: number): Promise<Objection['kind']> => {
  const ours = await orHalt(ports.tree.newestUpTo(size))
  const signed = await orHalt(ports.cosignatures.of(size))
  const isOwn = (one: Cosignature): boolean =>
    one.key === witness.key.vkey && ours !== undefined && isCosignatureOf(ours.note, one)
  return signed.some(isOwn) ? 'unfounded' : 'forked'
}

const object = async (
  { ports, witness, note }: Asking,
  kind: Objection['kind'],
  holds: number,
): Promise<Asked> => {
  const { vkey } = witness.key
  const at = ports.now()
  const objection = { kind, witness: vkey, at, holds, checkpoint: note, settled: null }
  await orHalt(ports.objections.update((before) => withObjection(before, objection)))
  return { tag: 'Objected', objection }
}

const settle = async ({ ports, witness }: Asking): Promise<void> => {
  const { vkey } = witness.key
  await orHalt(ports.objections.update((before) => settledBy(before, vkey, ports.now())))
}

/** `add-checkpoint` under the prefix of the witness. */
const addCheckpoint = ({ url }: Witness): HttpUrl => {
  const address = parseHttpUrl(`${url.endsWith('/') ? url : `${url}/`}add-checkpoint`)
  assert(E.isRight(address), 'what is below an address is one')
  return address.right
}
