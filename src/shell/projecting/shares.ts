/**
 * A rebuild shared out over workers. A projection whose every state is made of the events of one stream
 * is folded part by part, each part by whoever is free; every other one is folded whole by one worker.
 */
import type { Standing } from '../../../projections/port.ts'
import { present } from '../../kernel/assert.ts'
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

/** A shadow to fold, and the parts it is folded by already. */
export type ShadowCourse = Course & { readonly parts: readonly Standing[] }
type Bounded = ShadowCourse & { readonly reach: number }

/** What `foldTogether` does, by any number of workers; a shadow with parts goes on by as many as it has. */
export const foldShared = async (
  ports: ProjectionPorts,
  courses: readonly ShadowCourse[],
  options: PassOptions,
  workers: Workers | undefined,
): Promise<Folded> => {
  const found = await ports.ledger.head()()
  if (E.isLeft(found)) return courses.map(() => found)
  const head = found.right.position
  const ahead = head - Math.min(...courses.map(beginningOf))
  const isAlone = workers === undefined || workers.count < 2 || ahead < workers.from
  const by = isAlone ? aloneWith(ports) : workers
  const parted: Either<FoldFailure, Bounded>[] = []
  for (const course of courses) {
    const bounded = { ...course, reach: Math.min(course.reach ?? head, head) }
    parted.push(isAlone ? E.right(bounded) : await partsFor(ports, bounded, partsOf(courses, by)))
  }
  const open = parted.flatMap((one) => (E.isLeft(one) ? [] : [one.right]))
  const shares = sharesOf(open, options.limits, by.count)
  const folded = await foldShares(shares, by, options.onProgress)
  const joined: Either<FoldFailure, Standing>[] = []
  for (const one of parted)
    joined.push(E.isLeft(one) ? one : await join(ports, one.right, shares, folded))
  return joined
}

/** The least position that is not folded. */
const beginningOf = ({ standing, parts }: ShadowCourse): number =>
  parts.length === 0 ? standing.checkpoint : Math.min(...parts.map(({ checkpoint }) => checkpoint))

const aloneWith = (ports: ProjectionPorts): Workers => ({
  count: 1,
  from: 0,
  fold: ({ courses, limits, part }, onProgress) =>
    foldTogether(ports, courses, { limits, part, onProgress }),
})

const isPartable = ({ projection }: Course): boolean => projection.perStream === true

/** Beside a share that takes how long it takes, smaller ones leave nobody idle at the end. */
const partsOf = (courses: readonly Course[], { count }: Workers): number =>
  courses.every(isPartable) ? count : count * 2

const partsFor = async (
  { store }: ProjectionPorts,
  course: Bounded,
  of: number,
): Promise<Either<FoldFailure, Bounded>> => {
  if (!isPartable(course) || course.parts.length > 0) return E.right(course)
  const parted = await store.partShadow(course.standing, of)()
  return E.isLeft(parted) ? parted : E.right({ ...course, ...parted.right })
}

/** A share, and the courses that what it comes to is for. */
type Queued = { readonly share: Share; readonly of: readonly Bounded[] }

const sharesOf = (
  courses: readonly Bounded[],
  limits: FoldLimits,
  count: number,
): readonly Queued[] => {
  const each = { ...limits, heldBytes: Math.ceil(limits.heldBytes / count) }
  const whole = courses.filter(({ parts }) => parts.length === 0)
  const counts = new Set(courses.map(({ parts }) => parts.length).filter((of) => of > 0))
  const apart = [...counts].flatMap((of) => {
    const alike = courses.filter(({ parts }) => parts.length === of)
    return Array.from({ length: of }, (_, index) => partOf(alike, each, { index, of }))
  })
  if (whole.length === 0) return apart
  return [{ share: { courses: whole, limits: each, part: undefined }, of: whole }, ...apart]
}

const partOf = (of: readonly Bounded[], limits: FoldLimits, part: Part): Queued => {
  const courses = of.map((course) => {
    const standing = present(course.parts[part.index], 'every part has its standing')
    return { ...course, standing }
  })
  return { share: { courses, limits, part }, of }
}

const foldShares = async (
  shares: readonly Queued[],
  { count, fold }: Workers,
  onProgress: OnProgress | undefined,
): Promise<readonly Folded[]> => {
  const folded: Folded[] = []
  const steps = shares.map(({ share }): Progress => ({ position: startOf(share), of: 0 }))
  const waiting = shares.entries()
  const worker = async (): Promise<void> => {
    for (const [i, { share }] of waiting) {
      folded[i] = await fold(share, (progress) => {
        steps[i] = progress
        onProgress?.(averageOf(steps))
      })
    }
  }
  await Promise.all(Array.from({ length: count }, worker))
  return folded
}

const startOf = ({ courses }: Share): number =>
  Math.min(...courses.map(({ standing }) => standing.checkpoint))

/** As if one had gone through the ledger alone. */
const averageOf = (steps: readonly Progress[]): Progress => {
  const sum = steps.reduce((total, { position }) => total + position, 0)
  return { position: Math.floor(sum / steps.length), of: Math.max(...steps.map(({ of }) => of)) }
}

/** The table moves to where it was folded to when all of its parts are in. */
const join = async (
  { store }: ProjectionPorts,
  course: Bounded,
  shares: readonly Queued[],
  folded: readonly Folded[],
): Promise<Either<FoldFailure, Standing>> => {
  const outcomes = shares.flatMap(({ of }, i) => folded[i]?.[of.indexOf(course)] ?? [])
  const failure = outcomes.find(E.isLeft)
  if (failure !== undefined) return failure
  return course.parts.length === 0
    ? present(outcomes[0], 'every course is in a share')
    : store.joinShadow(course.standing, course.reach)()
}
