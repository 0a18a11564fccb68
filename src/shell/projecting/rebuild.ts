/** A projection made again from the whole ledger, beside the live one, which it then replaces. */
import type { ProjectionStore, Standing } from '../../../projections/port.ts'
import type { Projection } from '../../../projections/projection.ts'
import { E, type Either, type TaskEither } from '../../kernel/fp.ts'
import type { Ledger, Unavailable } from '../../ledger/port.ts'
import {
  buildOf,
  type FoldFailure,
  foldToHead,
  type FoldLimits,
  type OnProgress,
  type Progress,
  type ProjectionPorts,
} from './folding.ts'

/** Large commits: nobody reads a shadow, so what counts is how fast it fills. */
export const REBUILD_LIMITS: FoldLimits = {
  pageEvents: 1_000,
  batchEvents: 1_000,
  batchBytes: 16_777_216,
  heldBytes: 67_108_864,
  newKeys: 2_000,
}

/** `before`: what it replaced; undefined if there was nothing. */
export type Rebuilt = { readonly live: Standing; readonly before: Standing | undefined }

export type RebuildOptions = {
  readonly limits?: FoldLimits
  readonly onProgress?: OnProgress
  /** Asked once the rebuild has its turn: true if by then there is nothing left to do. */
  readonly unless?: (live: Standing | undefined) => boolean
  /**
   * Called when the shadow has got exactly as far as the live table, which stands still meanwhile: what
   * differs then differs by the build, and by nothing that happened since.
   */
  readonly compare?: Compare
  /** Called before the swap. A crash in between: the next catching up builds anew. */
  readonly adopt?: (live: Standing | undefined) => TaskEither<FoldFailure, void>
  /** The shadow is dropped, and the live table stays. */
  readonly keep?: boolean
}

export type Compare = (live: Standing, shadow: Standing) => TaskEither<FoldFailure, void>

/** Whoever folds into the live table holds this. */
export const catchUpLock = (projection: Projection): string => projection.name
const rebuildLock = (projection: Projection): string => `${projection.name}/rebuild`

/** Runs `task` while nobody folds into the live table of `projection`, or into its shadow. */
export const whileNobodyFolds = <L, A>(
  store: Pick<ProjectionStore, 'exclusively'>,
  projection: Projection,
  task: TaskEither<L, A>,
): TaskEither<L | Unavailable, A> =>
  store.exclusively(
    rebuildLock(projection),
    store.exclusively<L | Unavailable, A>(catchUpLock(projection), task),
  )

/**
 * Rebuilds `projection` into a shadow and swaps it in. Readers see the old table until the swap and
 * the new one from then on. The live table can be caught up meanwhile; only the last step, from the
 * head of then to the head of now, waits for that and is waited for.
 *
 * A crash leaves the live table as it was and a shadow that the next rebuild drops.
 */
export const rebuild =
  (ports: ProjectionPorts) =>
  (projection: Projection, options: RebuildOptions = {}): TaskEither<FoldFailure, Rebuilt> =>
    ports.store.exclusively(rebuildLock(projection), async () => {
      const before = await ports.store.live(projection)()
      if (E.isLeft(before)) return before
      const live = before.right
      if (live !== undefined && options.unless?.(live) === true)
        return E.right({ live, before: live })
      const shadow = await build(ports, projection, live, options)
      return E.isLeft(shadow) ? shadow : finish(ports, projection, shadow.right, options)()
    })

const build = async (
  ports: ProjectionPorts,
  projection: Projection,
  live: Standing | undefined,
  { limits = REBUILD_LIMITS, onProgress, compare }: RebuildOptions,
) => {
  const shadow = await ports.store.startShadow(projection, buildOf(projection, ports.readers))()
  if (E.isLeft(shadow)) return shadow
  const reach = compare === undefined || live === undefined ? undefined : live.checkpoint
  const from = { standing: shadow.right, limits }
  return foldToHead(upTo(ports, reach), projection, from, onProgress)
}

/** The ledger as it was at `position`. */
const upTo = (ports: ProjectionPorts, position: number | undefined): ProjectionPorts => {
  if (position === undefined) return ports
  const { ledger } = ports
  const head: Ledger['head'] = () => async () => {
    const found = await ledger.head()()
    return E.isLeft(found)
      ? found
      : E.right({ ...found.right, position: Math.min(found.right.position, position) })
  }
  const readAll: Ledger['readAll'] = (query) => async () => {
    const page = await ledger.readAll(query)()
    return E.isLeft(page) ? page : E.right(page.right.filter((one) => one.position <= position))
  }
  return { ...ports, ledger: { head, readAll } }
}

/** While whoever folds into the live table waits. */
const finish = (
  ports: ProjectionPorts,
  projection: Projection,
  shadow: Standing,
  { compare, adopt, keep = false }: RebuildOptions,
): TaskEither<FoldFailure, Rebuilt> =>
  ports.store.exclusively(catchUpLock(projection), async () => {
    const found = await ports.store.live(projection)()
    if (E.isLeft(found)) return found
    const before = found.right
    const level = await comparedAt(ports, projection, { shadow, live: before, compare })
    if (E.isLeft(level)) return level
    if (keep) {
      const dropped = await ports.store.dropShadow(level.right)()
      return E.isLeft(dropped) ? dropped : E.right({ live: before ?? level.right, before })
    }
    const adopted = await (adopt?.(before) ?? NOTHING)()
    if (E.isLeft(adopted)) return adopted
    const from = { standing: level.right, limits: REBUILD_LIMITS }
    const folded = await foldToHead(ports, projection, from)
    if (E.isLeft(folded)) return folded
    const swapped = await ports.store.swap(projection, folded.right)()
    return E.isLeft(swapped) ? swapped : E.right({ live: swapped.right, before })
  })

const NOTHING: TaskEither<never, void> = async () => E.right(undefined)

type Level = {
  readonly shadow: Standing
  readonly live: Standing | undefined
  readonly compare: Compare | undefined
}

/** Brings the shadow to where the live table stands by now, and compares; answers the shadow. */
const comparedAt = async (
  ports: ProjectionPorts,
  projection: Projection,
  { shadow, live, compare }: Level,
): Promise<Either<FoldFailure, Standing>> => {
  if (compare === undefined || live === undefined) return E.right(shadow)
  const from = { standing: shadow, limits: REBUILD_LIMITS }
  const level = await foldToHead(upTo(ports, live.checkpoint), projection, from)
  if (E.isLeft(level)) return level
  const compared = await compare(live, level.right)()
  return E.isLeft(compared) ? compared : level
}

/** Positions a second, and milliseconds until the end at that pace (null before the first step). */
export const paceOf = (
  { position, of }: Progress,
  elapsedMs: number,
): { readonly perSecond: number | null; readonly remainingMs: number | null } => {
  if (position === 0 || elapsedMs <= 0) return { perSecond: null, remainingMs: null }
  const perMs = position / elapsedMs
  return { perSecond: Math.round(perMs * 1000), remainingMs: Math.ceil((of - position) / perMs) }
}
