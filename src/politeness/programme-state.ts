/** What one programme knows of one site: the part of `SiteState` that is its own. */
import type { Digest } from '../kernel/digest.ts'
import type { Position } from '../kernel/position.ts'
import type { HttpUrl } from '../kernel/url.ts'
import type { Header } from '../kernel/words.ts'
import type { Recorded } from '../ledger/entry.ts'
import type { ClosingEvent, EventOf } from '../ledger/event.ts'
import type { FetchOutcome } from '../ledger/events/fetch-concluded.ts'
import { askedInNight, type AskedMap, foldClosingIn, foldSentIn } from './asked.ts'
import { copiesOfNight, foldRobotsRead, type Occasion, type RobotsCopies } from './robots-copy.ts'
import { foldSourceAct, foldSourceSent, inNewNight, type Sources } from './source-state.ts'
import { foldValidators, type Validators } from './validator.ts'

/** How reaching the site failed. `server-error` is an answer of 5xx. */
export type Failure = {
  readonly kind: 'network' | 'server-error'
  readonly request: Position
}

/** A fetch that ended, by its first address. */
export type Concluded = {
  readonly night: string
  readonly outcome: FetchOutcome
  readonly request: Position | null
  readonly status: number | null
  readonly commit: Digest | null
  readonly headers: readonly Header[]
  readonly truncated: boolean
}

export type ProgrammeState = {
  readonly stopped: boolean
  /** Failures since the site was last reached, oldest first, at most FAILURES_MAX. */
  readonly failures: readonly Failure[]
  /** By address asked; only the newest night's are kept. */
  readonly asked: AskedMap
  readonly robots: RobotsCopies
  readonly validators: Validators
  readonly sources: Sources
  readonly listed: EventOf<'SiteListed'> | null
  /** By first address, newest last: what a source's file came to, at most GOOD_MAX answers each. */
  readonly answers: ReadonlyMap<HttpUrl, readonly Concluded[]>
  /** The fetches and withholdings of the newest night, by night and by run: none is recorded twice. */
  readonly settled: ReadonlySet<string>
  readonly night: string
}

const FAILURES_MAX = 20
const GOOD_MAX = 5

export const newProgramme: ProgrammeState = {
  stopped: false,
  failures: [],
  asked: new Map(),
  robots: new Map(),
  validators: new Map(),
  sources: new Map(),
  listed: null,
  answers: new Map(),
  settled: new Set(),
  night: '',
}

/** The name of one file's fetch. */
export const fileKey = (purpose: string, target: HttpUrl): string => `${purpose} ${target}`

const inRun = (key: string, run: string): string => `${key} ${run}`

/** Whether a fetch or withholding stands recorded already, for this night or this run. */
export const isSettled = (
  programme: ProgrammeState,
  key: string,
  { policy, night, run }: Pick<Occasion, 'policy' | 'night' | 'run'>,
): boolean =>
  programme.night === night.name &&
  programme.settled.has(policy.once.per === 'run' ? inRun(key, run) : key)

/** What belongs to one night only is dropped when a newer night begins. */
const inNight = (programme: ProgrammeState, night: string): ProgrammeState => {
  if (night <= programme.night) return programme
  // Yesterday's stays one night longer, for the rule of the least hours between two visits.
  return {
    ...programme,
    night,
    asked: askedInNight(programme.asked, programme.night),
    robots: copiesOfNight(programme.robots, programme.night),
    sources: inNewNight(programme.sources),
    settled: new Set(),
  }
}

export const foldSentOf = (
  before: ProgrammeState,
  recorded: Recorded,
  sent: EventOf<'RequestSent'>,
): ProgrammeState => {
  const programme = inNight(before, sent.night)
  return {
    ...programme,
    asked: foldSentIn(programme.asked, recorded, sent),
    sources: foldSourceSent(programme.sources, sent),
  }
}

export const foldClosingOf = (
  programme: ProgrammeState,
  closing: ClosingEvent,
): ProgrammeState => ({
  ...programme,
  failures: failuresAfter(programme.failures, closing),
  asked: foldClosingIn(programme.asked, closing),
  validators:
    closing.type === 'ResponseReceived'
      ? foldValidators(programme.validators, closing)
      : programme.validators,
})

const failuresAfter = (failures: readonly Failure[], closing: ClosingEvent): readonly Failure[] => {
  // Whether an abandoned request reached the site is unknown: it neither counts nor clears.
  if (closing.type === 'RequestAbandoned') return failures
  if (closing.type === 'RequestFailed') {
    if (closing.reason === 'interrupted' || closing.reason === 'address-refused') return failures
    return [...failures, { kind: 'network' as const, request: closing.request }].slice(
      -FAILURES_MAX,
    )
  }
  if (closing.status < 500) return []
  return [...failures, { kind: 'server-error' as const, request: closing.request }].slice(
    -FAILURES_MAX,
  )
}

export type ProgrammeEvent = EventOf<
  | 'RobotsRead'
  | 'SiteListed'
  | 'FetchConcluded'
  | 'RequestWithheld'
  | 'SiteStopped'
  | 'SourceNotRead'
  | 'SourceReinstated'
>

export const foldProgramme = (
  before: ProgrammeState,
  event: ProgrammeEvent,
  { run, ts }: Pick<Recorded, 'run' | 'ts'>,
): ProgrammeState => {
  switch (event.type) {
    case 'SiteListed':
      return { ...before, listed: event }
    case 'SiteStopped':
      return { ...before, stopped: true }
    case 'SourceNotRead':
    case 'SourceReinstated':
      return { ...before, sources: foldSourceAct(before.sources, event) }
    case 'RobotsRead': {
      const programme = inNight(before, event.night)
      return {
        ...programme,
        robots: foldRobotsRead(programme.robots, { read: event, run, at: ts }),
      }
    }
    case 'RequestWithheld': {
      const programme = inNight(before, event.night)
      return settle(programme, fileKey(event.purpose, event.url), run)
    }
    case 'FetchConcluded':
      return foldConcluded(inNight(before, event.night), event, run)
  }
}

const settle = (programme: ProgrammeState, key: string, run: string): ProgrammeState => ({
  ...programme,
  settled: new Set(programme.settled).add(key).add(inRun(key, run)),
})

const foldConcluded = (
  programme: ProgrammeState,
  event: EventOf<'FetchConcluded'>,
  run: string,
): ProgrammeState => {
  const settled = settle(programme, fileKey(event.purpose, event.target), run)
  if (event.purpose !== 'sellers-json' || event.outcome !== 'answered') return settled
  const earlier = programme.answers.get(event.target) ?? []
  const answers = new Map(programme.answers).set(event.target, [...earlier, event].slice(-GOOD_MAX))
  return { ...settled, answers }
}
