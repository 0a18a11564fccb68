/**
 * What each advertising system's sellers.json says, by the address at which it is asked for.
 *
 * sellers.json 1.0: after a 404 as after any other error the last good list stands, so that no entry
 * seems to have disappeared because a server failed.
 */
import { formatInstant } from '../../src/kernel/instant.ts'
import { siteOfHost } from '../../src/kernel/site.ts'
import type { Recorded } from '../../src/ledger/entry.ts'
import type { EventOf } from '../../src/ledger/event.ts'
import type { Fold, Folded } from '../projection.ts'
import { concludeSellers, type Fault, type SellerCounts } from './conclude.ts'

export type Seen = {
  readonly position: number
  readonly at: string
  readonly request: number | null
  readonly url: string
  readonly status: number | null
}

export type Good = Seen & {
  readonly commit: string | null
  readonly reader: string | null
  readonly counts: SellerCounts
}

export type SellerState = {
  readonly target: string
  /** Under which name the source lists of the programmes have the address. */
  readonly source: string | null
  readonly position: number
  readonly state: 'unknown' | 'ok' | 'keep_last'
  readonly since: { readonly position: number; readonly at: string } | null
  readonly seen: Seen | null
  readonly faults: readonly Fault[]
  readonly good: Good | null
}

const keysOf = ({ event }: Recorded): readonly string[] => {
  if (event.type === 'SourceListAdopted') return event.sources.map(({ url }) => url)
  return event.type === 'FetchConcluded' && event.purpose === 'sellers-json' ? [event.target] : []
}

const initial = (target: string): SellerState => ({
  target,
  source: null,
  position: 0,
  state: 'unknown',
  since: null,
  seen: null,
  faults: [],
  good: null,
})

const seenOf = (event: EventOf<'FetchConcluded'>, { position, ts }: Recorded): Seen => ({
  position,
  at: formatInstant(ts),
  request: event.request,
  url: event.url,
  status: event.status,
})

const foldConcluded = (
  state: SellerState,
  event: EventOf<'FetchConcluded'>,
  { recorded, reading }: Folded,
): SellerState => {
  const { counts, reader, faults } = concludeSellers(event, reading)
  const seen = seenOf(event, recorded)
  const good = counts === null ? state.good : { ...seen, commit: event.commit, reader, counts }
  const word = counts !== null ? 'ok' : good === null ? 'unknown' : 'keep_last'
  const since =
    state.since !== null && word === state.state
      ? state.since
      : { position: seen.position, at: seen.at }
  return { ...state, position: seen.position, state: word, since, seen, faults, good }
}

export const siteOfTarget = (target: string): string =>
  siteOfHost(URL.parse(target)?.hostname ?? target)

export const sellerStateFold: Fold<SellerState> = {
  name: 'seller-state',
  version: 1,
  interestedIn: ['SourceListAdopted', 'FetchConcluded'],
  reads: { purpose: 'sellers-json', reader: 'sellers-json' },
  keysOf,
  initial,
  fold: (state, step) => {
    const { event, position } = step.recorded
    if (event.type === 'FetchConcluded' && event.purpose === 'sellers-json')
      return foldConcluded(state, event, step)
    if (event.type !== 'SourceListAdopted') return state
    const source = event.sources.find(({ url }) => url === state.target)
    return source === undefined ? state : { ...state, position, source: source.id }
  },
}
