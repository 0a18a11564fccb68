/** One run of a programme: under which policy, when, and what it says it did. */
import { formatInstant } from '../../src/kernel/instant.ts'
import type { Recorded } from '../../src/ledger/entry.ts'
import type { EventOf } from '../../src/ledger/event.ts'
import type { Fold } from '../projection.ts'

export type Started = {
  readonly position: number
  readonly at: string
  readonly night: string
  readonly kind: 'night' | 'hand'
  readonly adopted: number
  readonly software: string
}

export type Ended = {
  readonly position: number
  readonly at: string
  readonly status: EventOf<'RunEnded'>['status']
  readonly requests: number
  readonly responses: number
  readonly failures: number
  readonly abandoned: number
  readonly withheld: number
  readonly sites: number
}

export type RunSummaryState = {
  readonly run: string
  readonly position: number
  readonly programme: string
  readonly started: Started | null
  readonly ended: Ended | null
}

const startedOf = (event: EventOf<'RunStarted'>, { position, ts }: Recorded): Started => ({
  position,
  at: formatInstant(ts),
  night: event.night,
  kind: event.kind,
  adopted: event.adopted,
  software: event.software,
})

const endedOf = (event: EventOf<'RunEnded'>, { position, ts }: Recorded): Ended => {
  const { status, requests, responses, failures, abandoned, withheld, sites } = event
  const counts = { requests, responses, failures, abandoned, withheld, sites }
  return { position, at: formatInstant(ts), status, ...counts }
}

export const runSummaryFold: Fold<RunSummaryState> = {
  name: 'run-summary',
  version: 1,
  interestedIn: ['RunStarted', 'RunEnded'],
  keysOf: ({ event, run }) =>
    event.type === 'RunStarted' || event.type === 'RunEnded' ? [run] : [],
  initial: (run) => ({ run, position: 0, programme: '', started: null, ended: null }),
  fold: (state, { recorded }) => {
    const { event, position } = recorded
    if (event.type !== 'RunStarted' && event.type !== 'RunEnded') return state
    const { programme } = event
    return event.type === 'RunStarted'
      ? { ...state, position, programme, started: startedOf(event, recorded) }
      : { ...state, position, programme, ended: endedOf(event, recorded) }
  },
}
