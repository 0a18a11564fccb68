/** Brings live tables up to the head of the ledger. */
import type { Build, Standing } from '../../../projections/port.ts'
import type { Projection } from '../../../projections/projection.ts'
import { present } from '../../kernel/assert.ts'
import { E, type Either, type TaskEither } from '../../kernel/fp.ts'
import {
  buildOf,
  type Course,
  type FoldFailure,
  foldTogether,
  type OnProgress,
  type ProjectionPorts,
} from './folding.ts'
import { canRead, inForce } from './reader-in-force.ts'
import { catchUpLock, rebuildTogether } from './rebuild.ts'
import type { FoldLimits } from './walk.ts'

/** Small commits: rows get fresh soon, and little is lost with a crash. */
export const CATCH_UP_LIMITS: FoldLimits = {
  pageEvents: 1_000,
  batchEvents: 1_000,
  batchBytes: 16_777_216,
  heldBytes: 1,
  newKeys: 1,
}

/** The table was made by a newer program than this one; this one must not fold into it. */
export type NewerBuild = {
  readonly tag: 'NewerBuild'
  readonly projection: string
  readonly found: Build
  readonly ours: Build
}

export type CatchUpFailure = FoldFailure | NewerBuild

export type CatchUpOptions = { readonly limits?: FoldLimits; readonly onProgress?: OnProgress }

type Outcome = Either<CatchUpFailure, Standing>

/** With the lock held, only a swap or a lost connection lets another runner come first. */
const ATTEMPTS = 5

export const catchUp =
  (ports: ProjectionPorts) =>
  (given: Projection, options: CatchUpOptions = {}): TaskEither<CatchUpFailure, Standing> =>
  async () => {
    const [outcome] = await catchUpTogether(ports)([given], options)()
    return present(outcome, 'one projection comes to one end')
  }

/**
 * Folds what the live tables have not seen, all in one reading of the ledger. A table that is not there,
 * or that an older version of the projection or another reader than the one in force made, is built
 * anew first, with all the others that are. Answers in the order of the projections, whose names differ;
 * one that fails takes no other with it. Any number of runners may do this at once: they take turns,
 * and the later ones find nothing left to do.
 */
export const catchUpTogether =
  (ports: ProjectionPorts) =>
  (given: readonly Projection[], options: CatchUpOptions = {}) =>
  async (): Promise<readonly Outcome[]> => {
    const found: Either<CatchUpFailure, Found>[] = []
    for (const one of given) found.push(await find(ports, one))
    const built = await buildAnew(ports, found, options)
    const head = await ports.ledger.head()()
    if (E.isLeft(head)) return built.map(() => head)
    // Where there is nothing to fold no lock is waited for, nor a connection opened to hold it.
    const behind = built.flatMap((one) =>
      E.isRight(one) && one.right.live.checkpoint < head.right.position
        ? [one.right.projection]
        : [],
    )
    const folded: Outcomes =
      behind.length === 0 ? new Map<string, Outcome>() : await foldWithLocks(ports, behind, options)
    return built.map((one) =>
      E.isLeft(one) ? one : (folded.get(one.right.projection.name) ?? E.right(one.right.live)),
    )
  }

/** A projection bound to its reader in force, and its live table; undefined: to be built anew. */
type Found = { readonly projection: Projection; readonly live: Standing | undefined }

const find = async (
  ports: ProjectionPorts,
  given: Projection,
): Promise<Either<CatchUpFailure, Found>> => {
  const found = await ports.store.live(given)()
  if (E.isLeft(found)) return found
  const live = found.right
  const bound = await inForce(ports, given, live)
  if (E.isLeft(bound)) return bound
  const projection = bound.right
  const ours = buildOf(projection, ports.readers)
  if (live === undefined || isSame(live, ours)) return E.right({ projection, live })
  if (isNewer(live, ours) && !isKnown(ports, projection, live))
    return E.left({ tag: 'NewerBuild', projection: projection.name, found: buildIn(live), ours })
  return E.right({ projection, live: undefined })
}

/** All that are to be built anew, in one reading. */
const buildAnew = async (
  ports: ProjectionPorts,
  found: readonly Either<CatchUpFailure, Found>[],
  { onProgress }: CatchUpOptions,
): Promise<readonly Either<CatchUpFailure, Found & { readonly live: Standing }>[]> => {
  const targets = found.flatMap((one) => {
    if (E.isLeft(one) || one.right.live !== undefined) return []
    const { projection } = one.right
    const ours = buildOf(projection, ports.readers)
    const unless = (live?: Standing): boolean => live !== undefined && isSame(live, ours)
    return [{ projection, unless }]
  })
  const rebuilt =
    targets.length === 0 ? [] : await rebuildTogether(ports)(targets, { onProgress })()
  const outcomes = rebuilt.values()
  return found.map((one) => {
    if (E.isLeft(one)) return one
    const { projection, live } = one.right
    if (live !== undefined) return E.right({ projection, live })
    const outcome = present(outcomes.next().value, 'every target comes to one end')
    return E.isLeft(outcome) ? outcome : E.right({ projection, live: outcome.right.live })
  })
}

type Outcomes = ReadonlyMap<string, Outcome>

const foldWithLocks = async (
  ports: ProjectionPorts,
  projections: readonly Projection[],
  options: CatchUpOptions,
): Promise<Outcomes> => {
  const locks = projections.map(catchUpLock)
  const done = await ports.store.exclusively<never, Outcomes>(locks, async () =>
    E.right(await foldLive(ports, projections, options)),
  )()
  return E.isRight(done) ? done.right : new Map(projections.map(({ name }) => [name, done]))
}

/** Whoever is overtaken is tried again, without the others. */
const foldLive = async (
  ports: ProjectionPorts,
  projections: readonly Projection[],
  { limits = CATCH_UP_LIMITS, onProgress }: CatchUpOptions,
): Promise<Outcomes> => {
  const outcomes = new Map<string, Outcome>()
  let left = projections
  for (let attempt = 0; attempt < ATTEMPTS && left.length > 0; attempt += 1) {
    const courses: Course[] = []
    for (const projection of left) {
      const course = await courseOf(ports, projection)
      if (E.isRight(course)) courses.push(course.right)
      else outcomes.set(projection.name, course)
    }
    const folded = await foldTogether(ports, courses, { limits, onProgress })
    for (const [i, { projection }] of courses.entries())
      outcomes.set(projection.name, present(folded[i], 'every course comes to one end'))
    left = courses.flatMap(({ projection }, i) => (isOvertaken(folded[i]) ? [projection] : []))
  }
  return outcomes
}

const isOvertaken = (outcome: Outcome | undefined): boolean =>
  outcome !== undefined && E.isLeft(outcome) && outcome.left.tag === 'Overtaken'

const courseOf = async (
  ports: ProjectionPorts,
  projection: Projection,
): Promise<Either<CatchUpFailure, Course>> => {
  const live = await ports.store.live(projection)()
  if (E.isLeft(live)) return live
  return live.right !== undefined && isSame(live.right, buildOf(projection, ports.readers))
    ? E.right({ projection, standing: live.right })
    : E.left({ tag: 'Overtaken', projection: projection.name })
}

/** A newer reader that is here as well gave way to an older one by decision. */
const isKnown = (ports: ProjectionPorts, projection: Projection, live: Standing): boolean =>
  live.version === projection.version && canRead(projection, live.reader, ports.readers)

const buildIn = ({ version, reader }: Build): Build => ({ version, reader })

const isSame = (a: Build, b: Build): boolean => a.version === b.version && a.reader === b.reader

const isNewer = (found: Build, ours: Build): boolean =>
  found.version > ours.version ||
  (found.version === ours.version && readerVersion(found) > readerVersion(ours))

/** `ads-txt@2` → 2; no reader → 0. */
const readerVersion = ({ reader }: Build): number =>
  reader === null ? 0 : Number(reader.slice(reader.lastIndexOf('@') + 1))
