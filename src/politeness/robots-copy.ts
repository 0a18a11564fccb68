/** A robots.txt as it was read, and whether it may still be gone by (PR2, PK6, PK7, RC14). */
import type { Instant } from '../kernel/instant.ts'
import type { Origin } from '../kernel/url.ts'
import type { EventOf } from '../ledger/event.ts'
import type { NightSpan } from '../plan/night.ts'
import type { Policy } from '../programmes/policy.ts'

export type RobotsCopy = {
  readonly read: EventOf<'RobotsRead'>
  readonly run: string
  readonly at: Instant
}

/** By origin, newest last: jobs that go on at once each have a reading of their own (PK6). */
export type RobotsCopies = ReadonlyMap<Origin, readonly RobotsCopy[]>

/** More jobs than this never go on at once on one site. */
const COPIES_MAX = 300

export const foldRobotsRead = (before: RobotsCopies, copy: RobotsCopy): RobotsCopies => {
  const { origin } = copy.read
  const copies = [...(before.get(origin) ?? []), copy].slice(-COPIES_MAX)
  return new Map(before).set(origin, copies)
}

export const copiesOfNight = (copies: RobotsCopies, night: string): RobotsCopies =>
  new Map(
    [...copies].flatMap(([origin, all]) => {
      const kept = all.filter(({ read }) => read.night === night)
      return kept.length === 0 ? [] : [[origin, kept]]
    }),
  )

/** The newest copy that may be gone by. */
export const freshCopy = (
  copies: RobotsCopies,
  origin: Origin,
  occasion: Occasion,
): RobotsCopy | undefined => copies.get(origin)?.findLast((copy) => isFresh(copy, occasion))

/** Who asks, and when: a night's crawl, or one page that a person asks for. */
export type Occasion = {
  readonly policy: Policy
  readonly night: NightSpan
  readonly run: string
  readonly kind: 'night' | 'hand'
  readonly now: Instant
}

/** From the decision to the first byte some moments pass; no copy may come of age in them. */
const MARGIN_MS = 60_000

/**
 * By hand, a copy of the last hours will do, unless all it says is that the file could not be had.
 * Otherwise the file counts for one night or for one run, as the policy says.
 */
export const isFresh = (
  { read, run, at }: RobotsCopy,
  { policy, night, now, ...occasion }: Occasion,
): boolean => {
  const { fresh, byHandHours } = policy.robots
  if (occasion.kind === 'hand' && byHandHours !== null) {
    const recent = now - at <= byHandHours * 3_600_000 - MARGIN_MS
    return run === occasion.run || (recent && read.access !== 'unreachable')
  }
  return fresh === 'run' ? run === occasion.run : read.night === night.name
}
