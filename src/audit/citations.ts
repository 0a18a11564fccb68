/** Which positions an event cites, and what must stand there. */
import type { Position } from '../kernel/position.ts'
import {
  type EventOf,
  type EventType,
  isEventType,
  isSiteAct,
  type LedgerEvent,
} from '../ledger/event.ts'

export type Citation = {
  readonly field: string
  readonly position: Position
  readonly type: EventType
}

const cites = (
  field: string,
  type: EventType,
  ...positions: readonly (Position | null)[]
): readonly Citation[] =>
  positions.flatMap((position) => (position === null ? [] : [{ field, position, type }]))

const citedBySent = ({ decision, via }: EventOf<'RequestSent'>): readonly Citation[] => [
  ...cites('decision', 'RobotsDecided', decision),
  ...cites('via', 'RequestSent', via),
]

const citedByClaim = ({ cites: cited }: EventOf<'ClaimPublished'>): readonly Citation[] =>
  cited.flatMap(({ position, type }) => (isEventType(type) ? cites('cites', type, position) : []))

const citedByErasure = ({ request, response }: EventOf<'BodyErased'>): readonly Citation[] => [
  ...cites('request', 'RequestSent', request),
  ...cites('response', 'ResponseReceived', response),
]

/** Total: every event type says what it rests on. */
export const citationsOf = (event: LedgerEvent): readonly Citation[] => {
  if (isSiteAct(event)) return []
  switch (event.type) {
    case 'RunStarted':
      return cites('adopted', 'ProgrammeAdopted', event.adopted)
    case 'SiteListed':
      return cites('namedBy', 'RequestSent', ...event.namedBy.map(({ request }) => request))
    case 'RobotsDecided':
      return cites('robots', 'RequestSent', event.robots)
    case 'RequestWithheld':
      return cites('decision', 'RobotsDecided', event.decision)
    case 'RequestSent':
      return citedBySent(event)
    case 'ResponseReceived':
    case 'RequestFailed':
    case 'RequestAbandoned':
    case 'RedirectDecided':
    case 'RobotsRead':
    case 'FetchConcluded':
    case 'NetworkObserved':
      return cites('request', 'RequestSent', event.request)
    case 'BodyErased':
      return citedByErasure(event)
    case 'SiteStopped':
      return cites('requests', 'RequestSent', ...event.requests)
    case 'ClaimPublished':
      return citedByClaim(event)
    case 'LogOpened':
    case 'KeyRotated':
    case 'WitnessesNamed':
    case 'HeadTimestamped':
    case 'ProgrammeAdopted':
    case 'SourceListAdopted':
    case 'SourceNotRead':
    case 'SourceReinstated':
    case 'ReaderAdopted':
    case 'RunEnded':
      return []
  }
}
