/**
 * The one way in which events become rows: page by page from the ledger, batch by batch into the
 * states, commit by commit into a table. Catching up and rebuilding differ only in their limits.
 */
import type { Build, Overtaken, ProjectionStore, Standing } from '../../../projections/port.ts'
import type { Folded, Projection } from '../../../projections/projection.ts'
import type { BodyStore } from '../../capture/port.ts'
import { E, type Either } from '../../kernel/fp.ts'
import type { Recorded } from '../../ledger/entry.ts'
import type { Ledger, ReadFailure } from '../../ledger/port.ts'
import { type Reader, readerLabel } from '../../readers/reader.ts'
import { beginCommit, commitAll, foldBatch, heldStates, type HeldStates } from './held-states.ts'
import { readerOf } from './reader-in-force.ts'
import {
  type PageReadings,
  pageReadings,
  type Read,
  readingAt,
  type ReadingPorts,
  saveReadings,
} from './readings.ts'

export type ProjectionPorts = {
  readonly ledger: Pick<Ledger, 'readAll' | 'head'>
  readonly bodies: Pick<BodyStore, 'get'>
  readonly store: ProjectionStore
  readonly readers: readonly Reader[]
}

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

/** How far a fold has come: positions of the ledger done, of how many there are. */
export type Progress = { readonly position: number; readonly of: number }
export type OnProgress = (progress: Progress) => void

export type FoldFailure = ReadFailure | Overtaken

/** What the code at hand would build. */
export const buildOf = (projection: Projection, readers: readonly Reader[]): Build => {
  const reader = readerOf(projection, readers)
  const label = reader === undefined ? null : readerLabel(reader)
  return { version: projection.version, reader: label }
}

/** Rough share of one event in memory, readings apart. */
const EVENT_BYTES = 500

/**
 * Folds everything after `standing` up to the head as it is when this begins. A `Left` leaves the
 * table whole, at the checkpoint of the last commit.
 */
export const foldToHead = async (
  ports: ProjectionPorts,
  projection: Projection,
  from: { readonly standing: Standing; readonly limits: FoldLimits },
  onProgress?: OnProgress,
): Promise<Either<FoldFailure, Standing>> => {
  const head = await ports.ledger.head()()
  if (E.isLeft(head)) return head
  const states = heldStates(ports.store, projection, from.standing)
  const walk: Walk = { ports, projection, limits: from.limits, states, head: head.right.position }
  const last = await foldPages(walk, onProgress)
  if (E.isLeft(last)) {
    // Whoever tries again must find the table at rest.
    await states.writing
    return last
  }
  // Nothing of interest lies between the last event and the head, which was asked for before.
  return commitAll(states, Math.max(last.right, walk.head))
}

/** One way through the ledger, and what it has come to. */
export type Walk = {
  readonly ports: Omit<ProjectionPorts, 'store'> & ReadingPorts
  readonly projection: Projection
  readonly limits: FoldLimits
  readonly states: HeldStates
  /** For the progress: the head when it began. */
  readonly head: number
}

const readPage = (
  { ports, projection, limits }: Walk,
  after: number,
): Promise<Either<ReadFailure, readonly Recorded[]>> =>
  ports.ledger.readAll({ after, limit: limits.pageEvents, types: projection.interestedIn })()

/** Answers the position of the last event folded. */
export const foldPages = async (
  walk: Walk,
  onProgress?: OnProgress,
): Promise<Either<FoldFailure, number>> => {
  let done: number = walk.states.standing.checkpoint
  let next = readPage(walk, done)
  for (;;) {
    const page = await next
    if (E.isLeft(page)) return page
    const last = page.right.at(-1)
    if (last === undefined) return E.right(done)
    done = last.position
    const full = page.right.length === walk.limits.pageEvents
    // The database looks for the next page while this one is folded.
    if (full) next = readPage(walk, done)
    const folded = await foldPage(walk, page.right)
    if (E.isLeft(folded)) return folded
    onProgress?.({ position: done, of: Math.max(done, walk.head) })
    if (!full) return E.right(done)
  }
}

const foldPage = async (
  walk: Walk,
  events: readonly Recorded[],
): Promise<Either<FoldFailure, void>> => {
  const { batchEvents, batchBytes } = walk.limits
  const readings = readingsOf(walk, events)
  let batch: Folded[] = []
  let bytes = 0
  for (const recorded of events) {
    const read = readings === undefined ? NOT_READ : await readingAt(readings, recorded)
    if (E.isLeft(read)) return read
    batch.push({ recorded, reading: read.right?.reading })
    bytes += EVENT_BYTES + (read.right?.bytes ?? 0)
    if (batch.length < batchEvents && bytes < batchBytes) continue
    const folded = await settle(walk, { batch, bytes, readings })
    if (E.isLeft(folded)) return folded
    batch = []
    bytes = 0
  }
  return settle(walk, { batch, bytes, readings })
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

type Batch = {
  readonly batch: readonly Folded[]
  readonly bytes: number
  readonly readings: PageReadings | undefined
}

/** Folds a batch, and commits when enough is held. */
const settle = async (
  { states, limits }: Walk,
  { batch, bytes, readings }: Batch,
): Promise<Either<FoldFailure, void>> => {
  const last = batch.at(-1)
  if (last === undefined) return E.right(undefined)
  const saved = readings === undefined ? E.right(undefined) : await saveReadings(readings)
  if (E.isLeft(saved)) return saved
  const folded = await foldBatch(states, batch)
  if (E.isLeft(folded)) return folded
  states.bytes += bytes
  return commitWhenDue(states, limits, last.recorded.position)
}

const commitWhenDue = async (
  states: HeldStates,
  limits: FoldLimits,
  position: number,
): Promise<Either<FoldFailure, void>> => {
  const full = states.bytes >= limits.heldBytes
  if (!full && states.newKeys < limits.newKeys) return E.right(undefined)
  const commit = full ? commitAll : beginCommit
  const committed = await commit(states, position)
  return E.isLeft(committed) ? committed : E.right(undefined)
}
