/** Projections made again from the whole ledger, beside the live ones, which they then replace. */
import type { ProjectionStore, Standing } from '../../../projections/port.ts'
import type { Projection } from '../../../projections/projection.ts'
import { E, type Either, type TaskEither } from '../../kernel/fp.ts'
import { present } from '../../kernel/assert.ts'
import type { Unavailable } from '../../ledger/port.ts'
import {
  buildOf,
  type FoldFailure,
  foldToHead,
  type OnProgress,
  type Progress,
  type ProjectionPorts,
} from './folding.ts'
import { openShadow } from './left-shadow.ts'
import { foldShared, type Workers } from './shares.ts'
import type { FoldLimits } from './walk.ts'

/** Large commits: nobody reads a shadow, so what counts is how fast it fills. */
export const REBUILD_LIMITS: FoldLimits = {
  pageEvents: 200,
  batchEvents: 200,
  batchBytes: 16_777_216,
  heldBytes: 50_331_648,
  newKeys: 2_000,
}

/** `before`: what it replaced; undefined if there was nothing. */
export type Rebuilt = { readonly live: Standing; readonly before: Standing | undefined }

/** What is asked for one projection. */
export type TargetOptions = {
  /** Asked once the rebuild has its turn: true if by then there is nothing left to do. */
  readonly unless?: (live: Standing | undefined) => boolean
  /**
   * Called when the shadow has got exactly as far as the live table, which stands still meanwhile: what
   * differs then differs by the build, and by nothing that happened since.
   */
  readonly compare?: Compare | undefined
  /** Called before the swap. A crash in between: the next catching up builds anew. */
  readonly adopt?: ((live: Standing | undefined) => TaskEither<FoldFailure, void>) | undefined
  /** Told where it goes on from, if an earlier rebuild was cut off. */
  readonly resumed?: (position: number) => void
  /** Told when all is done, before the next projection is compared or swapped. */
  readonly done?: (rebuilt: Rebuilt) => Promise<void>
}
export type Target = TargetOptions & { readonly projection: Projection }

export type RebuildOptions = {
  readonly limits?: FoldLimits
  readonly onProgress?: OnProgress | undefined
  /** Who folds; without them this program alone. */
  readonly workers?: Workers | undefined
  /** The shadows are dropped, and the live tables stay. */
  readonly keep?: boolean
  /** From nothing: whatever an earlier rebuild left is dropped. */
  readonly anew?: boolean
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
    [rebuildLock(projection)],
    store.exclusively<L | Unavailable, A>([catchUpLock(projection)], task),
  )

export const rebuild =
  (ports: ProjectionPorts) =>
  (
    projection: Projection,
    options: TargetOptions & RebuildOptions = {},
  ): TaskEither<FoldFailure, Rebuilt> =>
  async () => {
    const [outcome] = await rebuildTogether(ports)([{ ...options, projection }], options)()
    return present(outcome, 'one target comes to one outcome')
  }

type Outcome<A> = Either<FoldFailure, A>

/**
 * Rebuilds every target into a shadow, all in one reading of the ledger, and swaps them in one after
 * the other. Readers see an old table until its swap and the new one from then on. The live tables
 * can be caught up meanwhile; only the last step, from the head of then to the head of now, waits
 * for that and is waited for. Answers in the order of the targets, whose names differ; one that
 * fails takes no other with it.
 *
 * A crash leaves every live table as it was or new, and shadows that the next rebuild of the same build
 * goes on with. To be compared a shadow must not be past its live table: such a one is begun anew.
 */
export const rebuildTogether =
  (ports: ProjectionPorts) =>
  (targets: readonly Target[], options: RebuildOptions = {}) =>
  async (): Promise<readonly Outcome<Rebuilt>[]> => {
    const locks = targets.map(({ projection }) => rebuildLock(projection))
    const done = await ports.store.exclusively<never, readonly Outcome<Rebuilt>[]>(
      locks,
      async () => {
        const begun = await inOrder(targets.map(E.right), (target) => begin(ports, target, options))
        const built = await build(ports, begun, options)
        return E.right(await inOrder(built, (one) => finish(ports, one, options)))
      },
    )()
    return E.isLeft(done) ? targets.map(() => done) : done.right
  }

const inOrder = async <A, B>(
  items: readonly Outcome<A>[],
  step: (item: A) => Promise<Outcome<B>>,
): Promise<readonly Outcome<B>[]> => {
  const done: Outcome<B>[] = []
  for (const item of items) done.push(E.isLeft(item) ? item : await step(item.right))
  return done
}

/** No shadow: there is nothing to do. */
type Begun = {
  readonly target: Target
  readonly live: Standing | undefined
  readonly shadow: Standing | undefined
  readonly parts: readonly Standing[]
}

const begin = async (
  ports: ProjectionPorts,
  target: Target,
  { anew = false }: RebuildOptions,
): Promise<Outcome<Begun>> => {
  const { projection, unless, resumed } = target
  const live = await ports.store.live(projection)()
  if (E.isLeft(live)) return live
  const nothing = { target, live: live.right, shadow: undefined, parts: [] }
  if (unless?.(live.right) === true) return E.right(nothing)
  const build = buildOf(projection, ports.readers)
  const atMost = reachOf(nothing)
  const opened = await openShadow(ports.store, { projection, build, anew, atMost })
  if (E.isLeft(opened)) return opened
  const { standing, parts, from } = opened.right
  if (from !== undefined) resumed?.(from)
  return E.right({ ...nothing, shadow: standing, parts })
}

/** What is to be compared goes only as far as its live table has got. */
const reachOf = ({ target, live }: Begun): number | undefined =>
  target.compare === undefined ? undefined : live?.checkpoint

const build = async (
  ports: ProjectionPorts,
  begun: readonly Outcome<Begun>[],
  { limits = REBUILD_LIMITS, onProgress, workers }: RebuildOptions,
): Promise<readonly Outcome<Begun>[]> => {
  const courses = begun.flatMap((one) => {
    if (E.isLeft(one) || one.right.shadow === undefined) return []
    const { target, shadow, parts } = one.right
    return [{ projection: target.projection, standing: shadow, parts, reach: reachOf(one.right) }]
  })
  const folded = [...(await foldShared(ports, courses, { limits, onProgress }, workers))]
  return inOrder(begun, async (one) => {
    if (one.shadow === undefined) return E.right(one)
    const shadow = present(folded.shift(), 'every course comes to one end')
    return E.isLeft(shadow) ? shadow : E.right({ ...one, shadow: shadow.right })
  })
}

/** While whoever folds into the live table waits. */
const finish = async (
  ports: ProjectionPorts,
  { target, live, shadow }: Begun,
  { keep = false }: RebuildOptions,
): Promise<Outcome<Rebuilt>> => {
  const { projection, done } = target
  const finished: Outcome<Rebuilt> =
    shadow === undefined
      ? E.right({ live: present(live, 'nothing to do: it is there'), before: live })
      : await ports.store.exclusively([catchUpLock(projection)], () =>
          replace(ports, target, shadow, keep),
        )()
  if (E.isRight(finished)) await done?.(finished.right)
  return finished
}

const replace = async (
  ports: ProjectionPorts,
  target: Target,
  shadow: Standing,
  keep: boolean,
): Promise<Outcome<Rebuilt>> => {
  const { projection, adopt } = target
  const found = await ports.store.live(projection)()
  if (E.isLeft(found)) return found
  const before = found.right
  const level = await comparedAt(ports, target, { shadow, live: before })
  if (E.isLeft(level)) return level
  if (keep) {
    const dropped = await ports.store.dropShadow(level.right)()
    return E.isLeft(dropped) ? dropped : E.right({ live: before ?? level.right, before })
  }
  const adopted = await (adopt?.(before) ?? NOTHING)()
  if (E.isLeft(adopted)) return adopted
  const course = { projection, standing: level.right }
  const folded = await foldToHead(ports, course, { limits: REBUILD_LIMITS })
  if (E.isLeft(folded)) return folded
  const swapped = await ports.store.swap(projection, folded.right)()
  return E.isLeft(swapped) ? swapped : E.right({ live: swapped.right, before })
}

const NOTHING: TaskEither<never, void> = async () => E.right(undefined)

/** Brings the shadow to where the live table stands by now, and compares; answers the shadow. */
const comparedAt = async (
  ports: ProjectionPorts,
  { projection, compare }: Target,
  { shadow, live }: { readonly shadow: Standing; readonly live: Standing | undefined },
): Promise<Outcome<Standing>> => {
  if (compare === undefined || live === undefined) return E.right(shadow)
  const course = { projection, standing: shadow, reach: live.checkpoint }
  const level = await foldToHead(ports, course, { limits: REBUILD_LIMITS })
  if (E.isLeft(level)) return level
  const compared = await compare(live, level.right)()
  return E.isLeft(compared) ? compared : level
}

/** Positions a second since `from`, and milliseconds until the end at that pace (null before the first step). */
export const paceOf = (
  { position, of }: Progress,
  elapsedMs: number,
  from = 0,
): { readonly perSecond: number | null; readonly remainingMs: number | null } => {
  if (position <= from || elapsedMs <= 0) return { perSecond: null, remainingMs: null }
  const perMs = (position - from) / elapsedMs
  return { perSecond: Math.round(perMs * 1000), remainingMs: Math.ceil((of - position) / perMs) }
}
