/**
 * A rebuild shared out over workers. A projection whose every state is made of the events of one stream
 * is folded part by part, each part by whoever is free; every other one is folded whole by one worker.
 */
import type { Standing } from '../../../projections/port.ts'
import { E, type Either } from '../../kernel/fp.ts'
import type { Part } from '../../ledger/port.ts'
import {
  type Course,
  type FoldFailure,
  foldTogether,
  type OnProgress,
  type PassOptions,
  type Progress,
  type ProjectionPorts,
} from './folding.ts'
import type { FoldLimits } from './walk.ts'

/** Shadows, and what to fold into them: one part of the ledger, or all of it. */
export type Share = {
  readonly courses: readonly Course[]
  readonly limits: FoldLimits
  readonly part: Part | undefined
}

type Folded = readonly Either<FoldFailure, Standing>[]

export type Workers = {
  /** So many shares are folded at a time. */
  readonly count: number
  /** A ledger of fewer events is folded right here: a worker takes time to begin. */
  readonly from: number
  /** Folds a share with ports of its own, as `foldTogether` does with what it is given. */
  readonly fold: (share: Share, onProgress: OnProgress) => Promise<Folded>
}

/** What `foldTogether` does, for shadows that nobody has folded into; the same for any number of workers. */
export const foldShared = async (
  ports: ProjectionPorts,
  courses: readonly Course[],
  options: PassOptions,
  workers: Workers | undefined,
): Promise<Folded> => {
  const found = await ports.ledger.head()()
  if (E.isLeft(found)) return courses.map(() => found)
  const head = found.right.position
  if (workers === undefined || workers.count < 2 || head < workers.from)
    return foldTogether(ports, courses, options)
  const bounded = courses.map((course) => ({
    ...course,
    reach: Math.min(course.reach ?? head, head),
  }))
  const shares = sharesOf(bounded, options.limits, workers.count)
  const folded = await foldShares(shares, workers, options.onProgress)
  const joined: Either<FoldFailure, Standing>[] = []
  for (const course of bounded) joined.push(await join(ports, course, shares, folded))
  return joined
}

const sharesOf = (
  courses: readonly Course[],
  limits: FoldLimits,
  count: number,
): readonly Share[] => {
  const each = { ...limits, heldBytes: Math.ceil(limits.heldBytes / count) }
  const apart = courses.filter(({ projection }) => projection.perStream === true)
  const whole = courses.filter(({ projection }) => projection.perStream !== true)
  // Beside a share that takes how long it takes, smaller ones leave nobody idle at the end.
  const of = whole.length === 0 ? count : count * 2
  const parts = apart.length === 0 ? [] : Array.from({ length: of }, (_, index) => ({ index, of }))
  return [
    ...(whole.length === 0 ? [] : [{ courses: whole, limits: each, part: undefined }]),
    ...parts.map((part) => ({ courses: apart, limits: each, part })),
  ]
}

const foldShares = async (
  shares: readonly Share[],
  { count, fold }: Workers,
  onProgress: OnProgress | undefined,
): Promise<readonly Folded[]> => {
  const folded: Folded[] = []
  const steps = shares.map((): Progress => ({ position: 0, of: 0 }))
  const waiting = shares.entries()
  const worker = async (): Promise<void> => {
    for (const [i, share] of waiting) {
      folded[i] = await fold(share, (progress) => {
        steps[i] = progress
        onProgress?.(averageOf(steps))
      })
    }
  }
  await Promise.all(Array.from({ length: count }, worker))
  return folded
}

/** As if one had gone through the ledger alone. */
const averageOf = (steps: readonly Progress[]): Progress => {
  const sum = steps.reduce((total, { position }) => total + position, 0)
  return { position: Math.floor(sum / steps.length), of: Math.max(...steps.map(({ of }) => of)) }
}

/** The table moves to where it was folded to when all of its parts are in. */
const join = async (
  { store }: ProjectionPorts,
  course: Course & { readonly reach: number },
  shares: readonly Share[],
  folded: readonly Folded[],
): Promise<Either<FoldFailure, Standing>> => {
  const { projection, standing, reach } = course
  const outcomes = shares.flatMap(({ courses }, i) => folded[i]?.[courses.indexOf(course)] ?? [])
  const failure = outcomes.find(E.isLeft)
  if (failure !== undefined) return failure
  const [only] = outcomes
  return only !== undefined && projection.perStream !== true
    ? only
    : store.commit(projection, standing, { checkpoint: reach, written: [] })()
}
