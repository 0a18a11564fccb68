/** One projection's way through the ledger: page by page, batch by batch, commit by commit. */
import type { Overtaken } from '../../../projections/port.ts'
import type { Projection } from '../../../projections/projection.ts'
import { E, type Either } from '../../kernel/fp.ts'
import type { Recorded } from '../../ledger/entry.ts'
import type { ReadFailure } from '../../ledger/port.ts'
import type { Reader } from '../../readers/reader.ts'
import { beginCommit, commitAll } from './commit-held.ts'
import { foldBatch, type HeldStates, type Step } from './held-states.ts'
import { readerOf } from './reader-in-force.ts'
import {
  type PageReadings,
  pageReadings,
  type Read,
  readingAt,
  type ReadingPorts,
  saveReadings,
} from './readings.ts'

/** Bounds of memory; all at least 1. */
export type FoldLimits = {
  /** Events read from the ledger at a time. */
  readonly pageEvents: number
  /** A batch is folded when it holds so many events, or about so many bytes of them and readings. */
  readonly batchEvents: number
  readonly batchBytes: number
  /** States are held in memory until they may have come to about so many bytes. */
  readonly heldBytes: number
  /**
   * So many states that the table has not got yet are committed while folding goes on. A state that
   * is there already waits: it may change again before the end, and is then written once.
   */
  readonly newKeys: number
}

/** One way through the ledger, and what it has come to. */
export type Walk = {
  readonly ports: ReadingPorts & { readonly readers: readonly Reader[] }
  readonly projection: Projection
  readonly limits: FoldLimits
  readonly states: HeldStates
  /** For the progress: the head when it began. */
  readonly head: number
}

/** Where the table stands once everything up to `position` is committed. */
export const checkpointAt = ({ states }: Walk, position: number): number =>
  Math.max(states.standing.checkpoint, position)

/** What ends one walk, and only this one. */
export type WalkFailure = ReadFailure | Overtaken

/** Rough share of one event in memory, readings apart. */
const EVENT_BYTES = 500

/** Folds events that follow those before. */
export const foldEvents = async (
  walk: Walk,
  events: readonly Recorded[],
): Promise<Either<WalkFailure, void>> => {
  const { batchEvents, batchBytes } = walk.limits
  const readings = readingsOf(walk, events)
  let batch: Step[] = []
  let batchHas = 0
  for (const recorded of events) {
    const read = readings === undefined ? NOT_READ : await readingAt(readings, recorded)
    if (E.isLeft(read)) return read
    const bytes = EVENT_BYTES + (read.right?.bytes ?? 0)
    batch.push({ folded: { recorded, reading: read.right?.reading }, bytes })
    batchHas += bytes
    if (batch.length < batchEvents && batchHas < batchBytes) continue
    const folded = await settle(walk, batch, readings)
    if (E.isLeft(folded)) return folded
    batch = []
    batchHas = 0
  }
  return settle(walk, batch, readings)
}

const NOT_READ: Either<never, Read | undefined> = E.right(undefined)

const readingsOf = (
  { ports, projection, limits }: Walk,
  events: readonly Recorded[],
): PageReadings | undefined => {
  const reader = readerOf(projection, ports.readers)
  if (reader === undefined) return undefined
  return pageReadings(ports, projection, reader, { events, bytesMax: limits.batchBytes })
}

/** Folds a batch, and commits when enough is held. */
const settle = async (
  walk: Walk,
  batch: readonly Step[],
  readings: PageReadings | undefined,
): Promise<Either<WalkFailure, void>> => {
  const { states } = walk
  const last = batch.at(-1)
  if (last === undefined) return E.right(undefined)
  const saved = readings === undefined ? E.right(undefined) : await saveReadings(readings)
  if (E.isLeft(saved)) return saved
  const folded = await foldBatch(states, batch)
  if (E.isLeft(folded)) return folded
  return commitWhenDue(walk, last.folded.recorded.position)
}

const commitWhenDue = async (walk: Walk, position: number): Promise<Either<WalkFailure, void>> => {
  const { states, limits } = walk
  const full = states.bytes >= limits.heldBytes
  if (!full && states.newKeys < limits.newKeys) return E.right(undefined)
  const commit = full ? commitAll : beginCommit
  const committed = await commit(states, checkpointAt(walk, position))
  return E.isLeft(committed) ? committed : E.right(undefined)
}
