/**
 * What the ledger knows of one site that a decision about it needs: a fold over the site's stream.
 * It holds for every programme at once, because a site has one pace, whoever asks.
 */
import type { Digest } from '../kernel/digest.ts'
import { instant, type Instant } from '../kernel/instant.ts'
import type { Position } from '../kernel/position.ts'
import type { Site } from '../kernel/site.ts'
import type { Recorded } from '../ledger/entry.ts'
import { type ClosingEvent, type EventOf, isSiteAct, type SiteAct } from '../ledger/event.ts'
import {
  foldClosingOf,
  foldProgramme,
  foldSentOf,
  newProgramme,
  type ProgrammeState,
} from './programme-state.ts'
import { withoutBody } from './validator.ts'

export type SiteState = {
  readonly site: Site
  readonly version: number
  readonly open: {
    readonly run: string
    readonly position: Position
    readonly sent: EventOf<'RequestSent'>
  } | null
  readonly nextAllowedAt: Instant
  readonly cooldown: { readonly until: Instant; readonly because: string } | null
  readonly excluded: { readonly by: string; readonly at: Instant } | null
  /** A person's slower pace, and from when its next wait counts (PK16, RC25). */
  readonly pace: { readonly seconds: number; readonly by: string } | null
  readonly lastEndedAt: Instant
  /** Paths a person left alone, and who did it. */
  readonly leftAlone: ReadonlyMap<string, string>
  readonly programmes: ReadonlyMap<string, ProgrammeState>
}

export const unknownSite = (site: Site): SiteState => ({
  site,
  version: 0,
  open: null,
  nextAllowedAt: instant(0),
  cooldown: null,
  excluded: null,
  pace: null,
  lastEndedAt: instant(0),
  leftAlone: new Map(),
  programmes: new Map(),
})

export const programmeState = (state: SiteState, programme: string): ProgrammeState =>
  state.programmes.get(programme) ?? newProgramme

/** Total: an event that does not concern the state changes nothing but the version. */
export const foldSite = (state: SiteState, recorded: Recorded): SiteState => {
  const next = foldEvent(state, recorded)
  return { ...next, version: recorded.version }
}

const foldEvent = (state: SiteState, recorded: Recorded): SiteState => {
  const { event } = recorded
  if (isSiteAct(event)) return foldAct(state, event, recorded.ts)
  switch (event.type) {
    case 'RequestSent':
      return foldSent(state, recorded, event)
    case 'ResponseReceived':
    case 'RequestFailed':
    case 'RequestAbandoned':
      return foldClosing(state, event, recorded.ts)
    case 'RobotsRead':
    case 'SiteListed':
    case 'FetchConcluded':
    case 'RequestWithheld':
    case 'SiteStopped':
    case 'SourceNotRead':
    case 'SourceReinstated':
      return change(state, event.programme, (programme) =>
        foldProgramme(programme, event, recorded),
      )
    case 'BodyErased':
      return forgetBody(state, event.commit)
    case 'LogOpened':
    case 'KeyRotated':
    case 'WitnessesNamed':
    case 'HeadTimestamped':
    case 'ProgrammeAdopted':
    case 'SourceListAdopted':
    case 'RunStarted':
    case 'RobotsDecided':
    case 'RedirectDecided':
    case 'NetworkObserved':
    case 'ReaderAdopted':
    case 'RunEnded':
    case 'ClaimPublished':
      return state
  }
}

/** A person's word about the site. */
const foldAct = (state: SiteState, act: SiteAct, at: Instant): SiteState => {
  switch (act.type) {
    case 'SiteExcluded':
      return { ...state, excluded: { by: act.by, at } }
    case 'SiteReadmitted':
      return { ...state, excluded: null }
    case 'SiteResumed':
      return resumeAll(state)
    case 'SitePaced':
      return { ...state, pace: act.seconds === 0 ? null : { seconds: act.seconds, by: act.by } }
    case 'PathExcluded':
      return { ...state, leftAlone: new Map(state.leftAlone).set(act.path, act.by) }
    case 'PathReadmitted': {
      const left = [...state.leftAlone].filter(([path]) => path !== act.path)
      return { ...state, leftAlone: new Map(left) }
    }
  }
}

const change = (
  state: SiteState,
  name: string,
  step: (programme: ProgrammeState) => ProgrammeState,
): SiteState => ({
  ...state,
  programmes: new Map(state.programmes).set(name, step(programmeState(state, name))),
})

const foldSent = (state: SiteState, recorded: Recorded, sent: EventOf<'RequestSent'>): SiteState =>
  change(
    { ...state, open: { run: recorded.run, position: recorded.position, sent } },
    sent.programme,
    (programme) => foldSentOf(programme, recorded, sent),
  )

const foldClosing = (state: SiteState, closing: ClosingEvent, endedAt: Instant): SiteState => {
  const { next } = closing
  const cooldown =
    next.cooldownUntil === null
      ? state.cooldown
      : { until: next.cooldownUntil, because: next.cooldownBecause ?? '' }
  const closed = { ...state, open: null, nextAllowedAt: next.at, lastEndedAt: endedAt, cooldown }
  return change(closed, closing.programme, (programme) => foldClosingOf(programme, closing))
}

/** A 304 would confirm a body that is not there any more: the page is asked for in full. */
const forgetBody = (state: SiteState, commit: Digest): SiteState => ({
  ...state,
  programmes: new Map(
    [...state.programmes].map(([name, programme]) => [
      name,
      { ...programme, validators: withoutBody(programme.validators, commit) },
    ]),
  ),
})

const resumeAll = (state: SiteState): SiteState => ({
  ...state,
  programmes: new Map(
    [...state.programmes].map(([name, programme]) => [
      name,
      { ...programme, stopped: false, failures: [] },
    ]),
  ),
})
