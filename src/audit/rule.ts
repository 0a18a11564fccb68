/** How a promise is judged from the ledger: by its own reading of the events, never by the decider's. */
import type { Recorded } from '../ledger/entry.ts'
import type { Policy } from '../programmes/policy.ts'
import type { RobotsFile } from '../robots/read.ts'
import type { PromiseId } from './catalogue.ts'
import { isOf } from './exchange.ts'
import type { Past } from './past.ts'

/** A kept robots.txt: as read once more, or why it cannot be. */
export type Kept =
  | { readonly tag: 'Read'; readonly file: RobotsFile }
  /** The body store does not have it. */
  | { readonly tag: 'Missing' }
  /** A person had it erased, after it was kept: what rests on it cannot be told any more. */
  | { readonly tag: 'Erased' }
  /** Its content coding cannot be undone. */
  | { readonly tag: 'Undecodable' }

export type Scene = {
  /** Everything before the event. */
  readonly past: Past
  /** The policy of the programme the event speaks of; undefined: it speaks of none, or has none. */
  readonly policy: Policy | undefined
  /** The robots.txt that decides about the event, where one was kept (see `keptWanted`). */
  readonly kept: Kept | undefined
}

/**
 * What one event says about a promise: nothing (undefined), that it was kept (an empty list), how it
 * was broken (a sentence each), or that it cannot be told ('unjudged').
 */
export type Finding = readonly string[] | 'unjudged' | undefined

export type Judge = (recorded: Recorded, scene: Scene) => Finding

export type Rule = {
  /** The promises it judges, wholly or in part: a promise may need several rules. */
  readonly promises: readonly PromiseId[]
  /** What it looks at, in a few words, for the report. */
  readonly looksAt: string
  /** A judge with nothing seen yet. Its memory is bounded by sites and by days. */
  readonly begin: () => Judge
}

/** A judge of requests alone, that remembers nothing. */
export const ofRequests =
  (
    judge: (sent: Recorded<'RequestSent'>, scene: Scene & { readonly policy: Policy }) => Finding,
  ): (() => Judge) =>
  () =>
  (recorded, scene) => {
    const { policy } = scene
    return policy !== undefined && isOf(recorded, 'RequestSent')
      ? judge(recorded, { ...scene, policy })
      : undefined
  }

/** The sentences whose condition holds. */
export const wrongs = (
  ...cases: readonly (readonly [boolean, () => string])[]
): readonly string[] => cases.flatMap(([broken, sentence]) => (broken ? [sentence()] : []))
