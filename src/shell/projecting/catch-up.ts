/** Brings a live table up to the head of the ledger. */
import type { Build, Standing } from '../../../projections/port.ts'
import type { Projection } from '../../../projections/projection.ts'
import { E, type Either, type TaskEither } from '../../kernel/fp.ts'
import {
  buildOf,
  type FoldFailure,
  foldToHead,
  type OnProgress,
  type ProjectionPorts,
} from './folding.ts'
import { canRead, inForce } from './reader-in-force.ts'
import { catchUpLock, rebuild } from './rebuild.ts'
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

/** With the lock held, only a swap or a lost connection lets another runner come first. */
const ATTEMPTS = 5

/**
 * Folds what the live table has not seen. A table that is not there, or that an older version of
 * the projection or another reader than the one in force made, is built anew first. Any number of runners may do this at
 * once: they take turns, and the later ones find nothing left to do.
 */
export const catchUp =
  (ports: ProjectionPorts) =>
  (given: Projection, options: CatchUpOptions = {}): TaskEither<CatchUpFailure, Standing> =>
  async () => {
    const found = await ports.store.live(given)()
    if (E.isLeft(found)) return found
    const live = found.right
    const bound = await inForce(ports, given, live)
    if (E.isLeft(bound)) return bound
    const projection = bound.right
    const ours = buildOf(projection, ports.readers)
    if (live !== undefined && isNewer(live, ours) && !isKnown(ports, projection, live))
      return E.left({ tag: 'NewerBuild', projection: projection.name, found: buildIn(live), ours })
    const folding = ports.store.exclusively([catchUpLock(projection)], () =>
      foldLive(ports, projection, options),
    )
    if (live !== undefined && isSame(live, ours)) return unlessLevel(ports, live, folding)
    const rebuilt = await buildAnew(ports, projection, ours, options)
    return E.isLeft(rebuilt) ? rebuilt : folding()
  }

/** Where there is nothing to fold no lock is waited for, nor a connection opened to hold it. */
const unlessLevel = async (
  { ledger }: ProjectionPorts,
  live: Standing,
  folding: TaskEither<FoldFailure, Standing>,
): Promise<Either<FoldFailure, Standing>> => {
  const head = await ledger.head()()
  if (E.isLeft(head)) return head
  return live.checkpoint >= head.right.position ? E.right(live) : folding()
}

const buildAnew = (
  ports: ProjectionPorts,
  projection: Projection,
  ours: Build,
  { onProgress }: CatchUpOptions,
) =>
  rebuild(ports)(projection, {
    unless: (live) => live !== undefined && isSame(live, ours),
    onProgress,
  })()

const foldLive = async (
  ports: ProjectionPorts,
  projection: Projection,
  { limits = CATCH_UP_LIMITS, onProgress }: CatchUpOptions,
): Promise<Either<FoldFailure, Standing>> => {
  const ours = buildOf(projection, ports.readers)
  const overtaken: FoldFailure = { tag: 'Overtaken', projection: projection.name }
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const live = await ports.store.live(projection)()
    if (E.isLeft(live)) return live
    if (live.right === undefined || !isSame(live.right, ours)) return E.left(overtaken)
    const course = { projection, standing: live.right }
    const folded = await foldToHead(ports, course, { limits, onProgress })
    if (E.isRight(folded) || folded.left.tag !== 'Overtaken') return folded
  }
  return E.left(overtaken)
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
