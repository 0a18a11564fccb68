/** A projection made again from the whole ledger, beside the live one, which it then replaces. */
import type { ProjectionStore, Standing } from '../../../projections/port.ts'
import type { Projection } from '../../../projections/projection.ts'
import { E, type TaskEither } from '../../kernel/fp.ts'
import type { Unavailable } from '../../ledger/port.ts'
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
}

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
      const shadow = await build(ports, projection, options)
      if (E.isLeft(shadow)) return shadow
      const swapped = await swapIn(ports, projection, shadow.right)()
      return E.isLeft(swapped) ? swapped : E.right({ live: swapped.right, before: live })
    })

const build = async (
  ports: ProjectionPorts,
  projection: Projection,
  { limits = REBUILD_LIMITS, onProgress }: RebuildOptions,
) => {
  const shadow = await ports.store.startShadow(projection, buildOf(projection, ports.readers))()
  if (E.isLeft(shadow)) return shadow
  return foldToHead(ports, projection, { standing: shadow.right, limits }, onProgress)
}

const swapIn = (
  ports: ProjectionPorts,
  projection: Projection,
  shadow: Standing,
): TaskEither<FoldFailure, Standing> =>
  ports.store.exclusively(catchUpLock(projection), async () => {
    const from = { standing: shadow, limits: REBUILD_LIMITS }
    const folded = await foldToHead(ports, projection, from)
    return E.isLeft(folded) ? folded : ports.store.swap(projection, folded.right)()
  })

/** Positions a second, and milliseconds until the end at that pace (null before the first step). */
export const paceOf = (
  { position, of }: Progress,
  elapsedMs: number,
): { readonly perSecond: number | null; readonly remainingMs: number | null } => {
  if (position === 0 || elapsedMs <= 0) return { perSecond: null, remainingMs: null }
  const perMs = position / elapsedMs
  return { perSecond: Math.round(perMs * 1000), remainingMs: Math.ceil((of - position) / perMs) }
}
