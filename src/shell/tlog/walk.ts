import type { BodyFailure, BodyStore } from '../../capture/port.ts'
import { E } from '../../kernel/fp.ts'
import { Chain } from '../../ledger/tlog/chain.ts'
import type { StoredLeaf, TreeStore, Verified } from '../../ledger/tlog/port.ts'
import { Edge } from '../../ledger/tlog/tree.ts'
import type { EventOf } from '../../ledger/event.ts'
import type { Ledger } from '../../ledger/port.ts'
import { Halt } from '../halt.ts'
import { edgeAt } from './hashes.ts'
import type { Milestones } from './milestones.ts'
import { Breach } from './breach.ts'
import type { Tally, VerifyAsked } from './verify-report.ts'

export type WalkPorts = {
  readonly tree: TreeStore
  readonly ledger: Pick<Ledger, 'readStream'>
  readonly bodies: Pick<BodyStore, 'get'>
}

type Way = {
  readonly start: Verified | undefined
  readonly size: number
  readonly tally: Tally
  readonly asked: VerifyAsked
}

/** Small: what is still in use when memory is collected makes the collector ask for more of it. */
const PAGE = 64

type Walked = { readonly position: number; readonly ts: number; readonly interrupted: boolean }

/** Walks from where `start` ends to the end of the ledger. Throws the first Breach. */
export const walk = async (ports: WalkPorts, marks: Milestones, way: Way): Promise<Walked> => {
  const { start, size, asked } = way
  const chain = new Chain(
    start === undefined ? { position: 0, ts: 0 } : { ...start, position: start.size },
  )
  const step = await stepper(ports, marks, way, chain)
  let next = page(ports.tree, chain.position)
  for (;;) {
    const { entries, breach } = await next
    const last = entries.at(-1)
    const more = last !== undefined && breach === undefined && entries.length === PAGE
    // While these are checked, the next ones are on their way.
    if (more) next = page(ports.tree, last.position)
    for (const stored of entries) await step(stored)
    asked.progress(chain.position, Math.max(size, chain.position))
    if (breach !== undefined) throw breach
    const interrupted = asked.stop.aborted
    if (!more || interrupted) return { position: chain.position, ts: chain.ts, interrupted }
  }
}

/** Checks one entry after the other, each against the tree that grew out of those before. */
const stepper = async (
  { tree, ledger, bodies }: WalkPorts,
  marks: Milestones,
  { start, tally }: Way,
  chain: Chain,
): Promise<(stored: StoredLeaf) => Promise<void>> => {
  const edge = start === undefined ? new Edge() : await edgeAt(tree, start.size)
  return async (stored) => {
    const before = start === undefined ? 0 : await versionBefore(ledger, chain, stored)
    const fault = chain.next(stored, before)
    if (fault !== undefined) throw new Breach(stored.position, stored.position, fault)
    edge.append(stored.leaf, marks.completed)
    // Most entries complete nothing: waiting for each would cost more than checking it.
    const reached = marks.reach(edge, chain.ts)
    if (reached !== undefined) await reached
    await checkBody(bodies, stored, tally)
    tally.entries += 1
    tally.bytes += stored.entry.length
  }
}

type Page = { readonly entries: readonly StoredLeaf[]; readonly breach: Breach | undefined }

/** The next entries; up to a damaged one, if there is one among them. Never rejects for damage. */
const page = async (tree: TreeStore, after: number, limit = PAGE): Promise<Page> => {
  const read = await tree.stored(after, limit)()
  if (E.isRight(read)) return { entries: read.right, breach: undefined }
  if (read.left.tag !== 'IntegrityBreach') throw new Halt(read.left)
  const { position, because } = read.left
  const breach = new Breach(position, position, because)
  const sound = position - after - 1
  const before = sound > 0 && sound < limit ? await page(tree, after, sound) : undefined
  return { entries: before?.entries ?? [], breach: before?.breach ?? breach }
}

/** In a chain that was taken up in the middle: the version at which a stream stood there. */
const versionBefore = async (
  ledger: WalkPorts['ledger'],
  chain: Chain,
  { position, recorded: { stream, version } }: StoredLeaf,
): Promise<number> => {
  if (version === 1 || chain.knows(stream)) return 0
  const read = await ledger.readStream(stream, version - 2)()
  if (E.isLeft(read) && read.left.tag === 'Unavailable') throw new Halt(read.left)
  // A stream that cannot be read has no such version: this entry is the one to name.
  const [before] = E.isRight(read) ? read.right : []
  return before?.version === version - 1 && before.position < position ? before.version : 0
}

const checkBody = async (
  bodies: WalkPorts['bodies'],
  { position, recorded: { event } }: StoredLeaf,
  tally: Tally,
): Promise<void> => {
  if (event.type === 'BodyErased') return checkErased(bodies, { position, event }, tally)
  if (event.type !== 'ResponseReceived' || !event.body.kept) return
  const body = await bodies.get(event.body.commit)()
  if (E.isLeft(body) && isErasedAfter(body.left, position)) {
    tally.erased += 1
    return
  }
  tally.bodies += 1
  if (E.isRight(body) && body.right.length === event.body.bytes) return
  if (E.isLeft(body) && body.left.tag === 'Unavailable') throw new Halt(body.left)
  const missing = E.isLeft(body) && body.left.tag === 'BodyMissing'
  throw new Breach(
    position,
    position,
    missing
      ? `the kept body ${event.body.commit} is missing from the body store`
      : `the kept body ${event.body.commit} does not fit its commitment`,
  )
}

const isErasedAfter = (failure: BodyFailure, position: number): boolean =>
  failure.tag === 'BodyErased' && failure.event > position

/** What an event says was erased is gone; a body that is still there is told, and is no breach. */
const checkErased = async (
  bodies: WalkPorts['bodies'],
  { position, event }: { readonly position: number; readonly event: EventOf<'BodyErased'> },
  tally: Tally,
): Promise<void> => {
  const body = await bodies.get(event.commit)()
  if (E.isLeft(body) && body.left.tag === 'Unavailable') throw new Halt(body.left)
  if (E.isLeft(body) && body.left.tag !== 'BodyAltered') return
  tally.stillThere += 1
  tally.firstStillThere ??= position
}
