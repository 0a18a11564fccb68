/**
 * What each site's ads.txt says today, and the last good data set where today's answer gives none.
 *
 * ads.txt 1.1 §3.1: 404 means that nothing is declared, at once; after any other error the last good
 * data set stays in force; where there never was one, the state is unknown.
 */
import { canonicalJson, type Json } from '../../src/kernel/canonical-json.ts'
import { formatInstant } from '../../src/kernel/instant.ts'
import type { EventOf } from '../../src/ledger/event.ts'
import type { Fold, Folded } from '../projection.ts'
import { type AdsTxtConclusion, concludeAdsTxt, concludedBy, type Fault } from './conclude.ts'

/** One conclusion of a fetch: where it stands in the ledger, and the exchange it rests on. */
type Seen = {
  readonly position: number
  readonly at: string
  readonly request: number | null
  readonly url: string
  readonly status: number | null
}

export type Good = Seen & {
  readonly state: string
  readonly commit: string | null
  readonly reader: string | null
  readonly records: readonly Json[]
  readonly variables: readonly Json[]
}

type Since = { readonly position: number; readonly at: string }

export type AdsTxtState = {
  readonly site: string
  readonly state: string
  /** When the state took its present word, and when the data set last changed in content. */
  readonly since: Since | null
  readonly changed: Since | null
  readonly seen: Seen | null
  readonly faults: readonly Fault[]
  readonly hint: Json
  readonly good: Good | null
}

const initial = (site: string): AdsTxtState => ({
  site,
  state: 'unknown',
  since: null,
  changed: null,
  seen: null,
  faults: [],
  hint: null,
  good: null,
})

/** What a data set says, whatever the lines it stands on: a comment added changes nothing. */
const contentOf = ({ state, records, variables }: Good): string =>
  canonicalJson([state, records.map(withoutLine), variables.map(withoutLine)])

const withoutLine = (item: Json): Json => {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item
  return Object.fromEntries(Object.entries(item).filter(([key]) => key !== 'line'))
}

const seenOf = (event: EventOf<'FetchConcluded'>, { position, at }: Since): Seen => ({
  position,
  at,
  request: event.request,
  url: event.url,
  status: event.status,
})

const goodOf = (
  seen: Seen,
  { data, reader }: AdsTxtConclusion,
  commit: string | null,
): Good | null => (data === null ? null : { ...seen, ...data, commit, reader })

/** "Keep the last good" means nothing where there is none (ads.txt 1.1 §3.1: "previously found"). */
const wordOf = (conclusion: AdsTxtConclusion, known: boolean): string => {
  const word = conclusion.state
  return word === 'keep_last' || word === 'unknown' ? (known ? 'keep_last' : 'unknown') : word
}

const fold = (state: AdsTxtState, step: Folded): AdsTxtState => {
  const { position, ts } = step.recorded
  const event = concludedBy(step.recorded.event)
  if (event?.purpose !== 'ads-txt') return state
  const now = { position, at: formatInstant(ts) }
  const conclusion = concludeAdsTxt(event, step.reading)
  const seen = seenOf(event, now)
  const fresh = goodOf(seen, conclusion, event.commit)
  const word = wordOf(conclusion, state.good !== null)
  const same = fresh === null || (state.good !== null && contentOf(fresh) === contentOf(state.good))
  return {
    site: state.site,
    state: word,
    since: state.since !== null && word === state.state ? state.since : now,
    changed: same ? state.changed : now,
    seen,
    faults: conclusion.faults,
    hint: conclusion.hint,
    good: fresh ?? state.good,
  }
}

export const adsTxtStateFold: Fold<AdsTxtState> = {
  name: 'ads-txt-state',
  version: 1,
  interestedIn: ['FetchConcluded', 'RequestWithheld'],
  reads: { purpose: 'ads-txt', reader: 'ads-txt' },
  keysOf: ({ event }) => {
    const concluded = concludedBy(event)
    return concluded?.purpose === 'ads-txt' ? [concluded.subject] : []
  },
  initial,
  fold,
}
