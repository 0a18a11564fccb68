/**
 * The one way in which events become rows: each page of the ledger is read once, and everybody who
 * folds gets what concerns it. Catching up and rebuilding differ only in their limits.
 */
import type { Build, ProjectionStore, Standing } from '../../../projections/port.ts'
import type { Projection } from '../../../projections/projection.ts'
import type { BodyStore } from '../../capture/port.ts'
import { present } from '../../kernel/assert.ts'
import { E, type Either } from '../../kernel/fp.ts'
import type { Recorded } from '../../ledger/entry.ts'
import type { EventType } from '../../ledger/event.ts'
import type { Follow, Ledger, Part } from '../../ledger/port.ts'
import { type Reader, readerLabel } from '../../readers/reader.ts'
import { commitAll } from './commit-held.ts'
import { heldStates } from './held-states.ts'
import { readerOf } from './reader-in-force.ts'
import { checkpointAt, foldEvents, type FoldLimits, type Walk, type WalkFailure } from './walk.ts'

export type ProjectionPorts = {
  readonly ledger: Pick<Ledger, 'readAll' | 'follow' | 'head'>
  readonly bodies: Pick<BodyStore, 'get'>
  readonly store: ProjectionStore
  readonly readers: readonly Reader[]
}

/** How far a fold has come: positions of the ledger done, of how many there are. */
export type Progress = { readonly position: number; readonly of: number }
export type OnProgress = (progress: Progress) => void

export type FoldFailure = WalkFailure

/** What the code at hand would build. */
export const buildOf = (projection: Projection, readers: readonly Reader[]): Build => {
  const reader = readerOf(projection, readers)
  const label = reader === undefined ? null : readerLabel(reader)
  return { version: projection.version, reader: label }
}

/** A table to fold into. `reach`: the last position to fold; without it the head. */
export type Course = {
  readonly projection: Projection
  readonly standing: Standing
  readonly reach?: number | undefined
}

export type PassOptions = {
  readonly limits: FoldLimits
  /** Only the events of the streams in this part: every standing is of the same part of its table. */
  readonly part?: Part | undefined
  readonly onProgress?: OnProgress | undefined
}

/**
 * Folds for every course what lies after its standing, up to its reach or to the head as it is when
 * this begins. Answers in the order of the courses. A `Left` leaves that table whole, at the
 * checkpoint of its last commit, and the others go on without it.
 */
export const foldTogether = async (
  ports: ProjectionPorts,
  courses: readonly Course[],
  { limits, part, onProgress }: PassOptions,
): Promise<readonly Either<FoldFailure, Standing>[]> => {
  if (courses.length === 0) return []
  const found = await ports.ledger.head()()
  if (E.isLeft(found)) return courses.map(() => found)
  const head = found.right.position
  const lanes = courses.map(({ projection, standing, reach = head }) => {
    const states = heldStates(ports.store, projection, standing)
    return laneOf({ ports, projection, limits, states, head }, Math.min(reach, head))
  })
  await foldLanes(lanes, { ledger: ports.ledger, limits, part, onProgress })
  const done: Either<FoldFailure, Standing>[] = []
  for (const lane of lanes) done.push(await landed(lane))
  return done
}

export const foldToHead = async (
  ports: ProjectionPorts,
  course: Course,
  options: PassOptions,
): Promise<Either<FoldFailure, Standing>> => {
  const [done] = await foldTogether(ports, [course], options)
  return present(done, 'one course comes to one end')
}

/** Everything of interest is folded; what lies behind it up to the reach is of none. */
const landed = async ({ walk, reach, failure }: Lane): Promise<Either<FoldFailure, Standing>> => {
  if (failure === undefined) return commitAll(walk.states, checkpointAt(walk, reach))
  // Whoever tries again must find the table at rest.
  await walk.states.writing
  return failure
}

/** One walk among those that share the pages: it takes the events after `after` up to `reach`. */
type Lane = {
  readonly walk: Walk
  readonly types: ReadonlySet<EventType>
  readonly after: number
  readonly reach: number
  failure: Either<FoldFailure, never> | undefined
}

const laneOf = (walk: Walk, reach: number): Lane => ({
  walk,
  types: new Set(walk.projection.interestedIn),
  after: walk.states.standing.checkpoint,
  reach,
  failure: undefined,
})

/** For one walk along what `follow` gives; answers the position of the last event read. */
export const foldAlong = async (
  walk: Walk,
  follow: Ledger['follow'],
): Promise<Either<FoldFailure, number>> => {
  const lane = laneOf(walk, Number.POSITIVE_INFINITY)
  const last = await foldLanes([lane], { ledger: { follow }, limits: walk.limits })
  return lane.failure ?? E.right(last)
}

type Source = {
  readonly ledger: Pick<Ledger, 'follow'>
  readonly limits: FoldLimits
  readonly part?: Part | undefined
  readonly onProgress?: OnProgress | undefined
}

/** Answers the position of the last event read. */
const foldLanes = async (lanes: readonly Lane[], source: Source): Promise<number> => {
  const head = Math.max(...lanes.map(({ walk }) => walk.head))
  const query = followOf(lanes, source)
  let done = query.after
  for await (const page of source.ledger.follow(query)) {
    if (E.isLeft(page)) {
      for (const lane of lanes) lane.failure ??= page
      return done
    }
    done = page.right.at(-1)?.position ?? done
    for (const lane of lanes) await foldPage(lane, page.right)
    await relieve(lanes, done, source.limits)
    source.onProgress?.({ position: done, of: Math.max(done, head) })
    if (lanes.every(({ failure }) => failure !== undefined)) return done
  }
  return done
}

const followOf = (lanes: readonly Lane[], { limits, part }: Source): Follow => ({
  after: Math.min(...lanes.map(({ after }) => after)),
  to: Math.max(...lanes.map(({ reach }) => reach)),
  limit: limits.pageEvents,
  types: [...new Set(lanes.flatMap(({ types }) => [...types]))],
  ...(part === undefined ? {} : { part }),
})

const foldPage = async (lane: Lane, page: readonly Recorded[]): Promise<void> => {
  if (lane.failure !== undefined) return
  const { types, after, reach, walk } = lane
  const events = page.filter(
    ({ event, position }) => types.has(event.type) && position > after && position <= reach,
  )
  const folded = await foldEvents(walk, events)
  if (E.isLeft(folded)) lane.failure = folded
}

/** All lanes together hold no more than one alone may: who holds the most commits. */
const relieve = async (
  lanes: readonly Lane[],
  done: number,
  { heldBytes }: FoldLimits,
): Promise<void> => {
  const open = lanes.filter(({ failure }) => failure === undefined)
  const held = open.reduce((sum, { walk }) => sum + walk.states.bytes, 0)
  const [most] = open.toSorted((a, b) => b.walk.states.bytes - a.walk.states.bytes)
  if (most === undefined || held < heldBytes) return
  const { walk, reach } = most
  const committed = await commitAll(walk.states, checkpointAt(walk, Math.min(done, reach)))
  if (E.isLeft(committed)) most.failure = committed
}
