/** What a programme knows of one of its sources on a site: a person's word on it, and what it cost. */
import type { EventOf } from '../ledger/event.ts'
import type { NightSpan } from '../plan/night.ts'
import type { Policy } from '../programmes/policy.ts'

export type SourceState = {
  /** A person marked it as not read (RC23). */
  readonly notRead: { readonly by: string; readonly reason: string } | null
  /** Nights with a look at it since then; a look may be at several pages. */
  readonly looks: { readonly count: number; readonly lastNight: string | null }
  /** Files other than robots.txt asked for it in the newest night. */
  readonly files: number
}

export type Sources = ReadonlyMap<string, SourceState>

const noLooks = { count: 0, lastNight: null } as const
export const newSource: SourceState = { notRead: null, looks: noLooks, files: 0 }

export const foldSourceAct = (
  before: Sources,
  act: EventOf<'SourceNotRead' | 'SourceReinstated'>,
): Sources => {
  const source = before.get(act.source) ?? newSource
  const notRead = act.type === 'SourceNotRead' ? { by: act.by, reason: act.reason } : null
  return new Map(before).set(act.source, { ...source, notRead, looks: noLooks })
}

/** Redirect hops and retries belong to the request they follow. */
export const foldSourceSent = (
  sources: Sources,
  { source, purpose, hop, attempt, night }: EventOf<'RequestSent'>,
): Sources => {
  if (source === null || purpose === 'robots' || hop > 0 || attempt > 1) return sources
  const known = sources.get(source) ?? newSource
  const { looks: before } = known
  const begins = purpose === 'probe' && before.lastNight !== night
  const looks = begins ? { count: before.count + 1, lastNight: night } : before
  return new Map(sources).set(source, { ...known, looks, files: known.files + 1 })
}

export const inNewNight = (before: Sources): Sources =>
  new Map([...before].map(([id, source]) => [id, { ...source, files: 0 }]))

const DAY_MS = 86_400_000

/**
 * What is due for a source tonight: to read it, to look whether its no still stands, or nothing. A
 * look that tonight has begun stays a look, so that its redirects and retries can be followed.
 */
export const sourceDuty = (
  { notRead: rule }: Pick<Policy, 'notRead'>,
  night: Pick<NightSpan, 'name'>,
  { notRead, looks }: SourceState,
): 'read' | 'look' | 'rest' => {
  if (notRead === null) return 'read'
  if (rule === null) return 'rest'
  if (looks.lastNight === null || looks.lastNight === night.name) return 'look'
  if (night.name < looks.lastNight) return 'rest'
  if (looks.count < rule.nights) return 'look'
  const days = (Date.parse(night.name) - Date.parse(looks.lastNight)) / DAY_MS
  return days >= rule.thenEveryDays ? 'look' : 'rest'
}
