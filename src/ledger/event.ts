/** Every event of the ledger, newest shape; older versions are upcast here, never rewritten. */
import { t } from '../kernel/codec.ts'
import { BodyErased } from './events/body-erased.ts'
import { ClaimPublished } from './events/claim-published.ts'
import { FetchConcluded } from './events/fetch-concluded.ts'
import { HeadTimestamped } from './events/log/head-timestamped.ts'
import { KeyRotated } from './events/log/key-rotated.ts'
import { LogOpened, logOpenedFromV1, LogOpenedV1 } from './events/log/log-opened.ts'
import { NetworkObserved } from './events/network-observed.ts'
import { PathExcluded } from './events/path-excluded.ts'
import { PathReadmitted } from './events/path-readmitted.ts'
import { ProgrammeAdopted } from './events/programme-adopted.ts'
import { ReaderAdopted } from './events/reader-adopted.ts'
import { RedirectDecided } from './events/redirect-decided.ts'
import { RequestAbandoned } from './events/request-abandoned.ts'
import { RequestFailed } from './events/request-failed.ts'
import { RequestSent, requestSentFromV1, RequestSentV1 } from './events/request-sent.ts'
import { RequestWithheld } from './events/request-withheld.ts'
import { ResponseReceived } from './events/response-received.ts'
import { RobotsDecided } from './events/robots-decided.ts'
import { RobotsRead } from './events/robots-read.ts'
import { RunEnded } from './events/run-ended.ts'
import { RunStarted, runStartedFromV1, RunStartedV1 } from './events/run-started.ts'
import { SiteExcluded } from './events/site-excluded.ts'
import { SiteListed } from './events/site-listed.ts'
import { SitePaced } from './events/site-paced.ts'
import { SiteReadmitted } from './events/site-readmitted.ts'
import { SiteResumed } from './events/site-resumed.ts'
import { SiteStopped } from './events/site-stopped.ts'
import { SourceListAdopted } from './events/source-list-adopted.ts'
import { SourceNotRead } from './events/source-not-read.ts'
import { SourceReinstated } from './events/source-reinstated.ts'
import { WitnessesNamed } from './events/log/witnesses-named.ts'

export const EVENTS = [
  LogOpened,
  KeyRotated,
  WitnessesNamed,
  HeadTimestamped,
  ProgrammeAdopted,
  SourceListAdopted,
  RunStarted,
  SiteListed,
  RobotsDecided,
  RequestWithheld,
  RequestSent,
  ResponseReceived,
  RequestFailed,
  RequestAbandoned,
  RedirectDecided,
  RobotsRead,
  FetchConcluded,
  NetworkObserved,
  SiteStopped,
  SiteExcluded,
  SiteReadmitted,
  SiteResumed,
  SitePaced,
  PathExcluded,
  PathReadmitted,
  SourceNotRead,
  SourceReinstated,
  BodyErased,
  ReaderAdopted,
  RunEnded,
  ClaimPublished,
] as const

export type LedgerEvent = t.TypeOf<(typeof EVENTS)[number]['codec']>
export type EventType = LedgerEvent['type']
export type EventOf<T extends EventType> = Extract<LedgerEvent, { readonly type: T }>

/** The closing event of a request: exactly one of these follows each RequestSent. */
export type ClosingEvent = EventOf<'ResponseReceived' | 'RequestFailed' | 'RequestAbandoned'>

/** What a person decided about a site, for every programme. */
export type SiteAct = EventOf<
  | 'SiteExcluded'
  | 'SiteReadmitted'
  | 'SiteResumed'
  | 'SitePaced'
  | 'PathExcluded'
  | 'PathReadmitted'
>

const SITE_ACTS: ReadonlySet<string> = new Set<SiteAct['type']>([
  'SiteExcluded',
  'SiteReadmitted',
  'SiteResumed',
  'SitePaced',
  'PathExcluded',
  'PathReadmitted',
])
export const isSiteAct = (event: LedgerEvent): event is SiteAct => SITE_ACTS.has(event.type)

type EventCodec = t.Type<LedgerEvent, { readonly [field: string]: unknown }>

// Each codec's output is one of the union: what EVENTS says in types, the table says by name.
const newest = new Map<string, EventCodec>(
  EVENTS.map((definition) => [definition.type, definition.codec as unknown as EventCodec]),
)

/**
 * Old shapes: the codec of that version and the step to the newest shape. A list of words
 * may gain words in place (docs/decisions/0064); any other change of shape is a new version.
 */
export type OldVersion = {
  readonly type: string
  readonly v: number
  readonly codec: t.Mixed
  readonly upcast: (old: unknown) => LedgerEvent
}

const oldVersion = <A>(
  definition: { readonly type: string; readonly v: number; readonly codec: t.Type<A, unknown> },
  upcast: (old: A) => LedgerEvent,
): OldVersion => ({
  ...definition,
  // The entry is decoded by this very codec before it is upcast.
  upcast: (old) => upcast(old as A),
})
const older: readonly OldVersion[] = [
  oldVersion(LogOpenedV1, logOpenedFromV1),
  oldVersion(RequestSentV1, requestSentFromV1),
  oldVersion(RunStartedV1, runStartedFromV1),
]

export const codecOf = (type: string): EventCodec | undefined => newest.get(type)
export const olderVersion = (type: string, v: number): OldVersion | undefined =>
  older.find((old) => old.v === v && old.type === type)

const types = new Set<string>(newest.keys())
export const isEventType = (type: string): type is EventType => types.has(type)
