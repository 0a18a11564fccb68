/**
 * What changed in a site's ads.txt (PR17): a record broke, went, came, or changed its relationship;
 * the file went or came back.
 *
 * ads.txt 1.1 §3.1: a 404 says that nothing is declared; after any other error, and after no answer,
 * the last good file stands, and nothing has changed. Records are compared from file to file: while
 * there is none, its going is told once, and not again for each record.
 */
import type { EventOf } from '../../src/ledger/event.ts'
import { addingFindings, type Cited, citedBy, type Finding, foundOnce } from '../finding.ts'
import type { Fold, Folded } from '../projection.ts'
import { changesOf, concludeVersion, sentenceOf } from './conclude.ts'

type Version = NonNullable<ReturnType<typeof concludeVersion>>['version']

export type AdsTxtFindingsState = {
  readonly site: string
  readonly last: { readonly cited: Cited; readonly word: string } | null
  readonly file: { readonly cited: Cited; readonly version: Version } | null
  readonly found: readonly Finding[]
}

const FILES = new Set(['ok', 'no_records', 'none_authorised'])

const fold = (state: AdsTxtFindingsState, step: Folded): AdsTxtFindingsState => {
  const { event } = step.recorded
  if (event.type !== 'FetchConcluded' || event.purpose !== 'ads-txt') return state
  const concluded = concludeVersion(event, step.reading)
  if (concluded === null) return state
  const { version } = concluded
  const cited = citedBy(step.recorded, event)
  return {
    ...state,
    last: { cited, word: version.state },
    file: FILES.has(version.state) ? { cited, version } : state.file,
    found: foundOnce(findingsOf(state, { event, cited, ...concluded })),
  }
}

type Fresh = {
  readonly event: EventOf<'FetchConcluded'>
  readonly cited: Cited
  readonly version: Version
  readonly method: string
}

const findingsOf = (
  { last, file }: AdsTxtFindingsState,
  { event, cited, version, method }: Fresh,
): readonly Finding[] => {
  if (last === null) return []
  const { programme, subject: site, night } = event
  const before = { word: last.word, file: file?.version ?? null }
  const { states, contents } = changesOf(before, version)
  const told =
    (since: Cited) =>
    (change: (typeof states)[number]): Finding => ({
      kind: `ads-txt-${change.kind}`,
      programme,
      site,
      night,
      about: change.about,
      concerns: null,
      before: since,
      after: cited,
      method,
      change: change.says,
      says: sentenceOf(site, change),
    })
  return [...states.map(told(last.cited)), ...contents.map(told(file?.cited ?? last.cited))]
}

export const adsTxtFindingsFold: Fold<AdsTxtFindingsState> = {
  name: 'ads-txt-findings',
  version: 2,
  adds: addingFindings,
  // A site is asked for its own file, and what that comes to stands in the stream of the site that was asked first.
  perStream: true,
  interestedIn: ['FetchConcluded'],
  reads: { purpose: 'ads-txt', reader: 'change' },
  keysOf: ({ event }) =>
    event.type === 'FetchConcluded' && event.purpose === 'ads-txt' ? [event.subject] : [],
  initial: (site) => ({ site, last: null, file: null, found: [] }),
  fold,
}
