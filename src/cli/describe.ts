/** One event in a few words, for tables and pages. Texts from outside are not yet made safe here. */
import { formatInstant } from '../kernel/instant.ts'
import { type EventOf, isSiteAct, type LedgerEvent, type SiteAct } from '../ledger/event.ts'

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`

export const describe = (event: LedgerEvent): string => {
  if (isSiteAct(event)) return describeAct(event)
  switch (event.type) {
    case 'RobotsDecided':
    case 'RequestWithheld':
    case 'RequestSent':
    case 'ResponseReceived':
    case 'RequestFailed':
    case 'RequestAbandoned':
    case 'RedirectDecided':
      return describeRequest(event)
    case 'LogOpened':
    case 'KeyRotated':
    case 'WitnessesNamed':
    case 'HeadTimestamped':
    case 'ProgrammeAdopted':
    case 'SourceListAdopted':
    case 'RunStarted':
    case 'RunEnded':
      return describeRun(event)
    case 'SiteListed':
      return `named by ${count(event.namings, 'seller entry')}`.replace('entrys', 'entries')
    case 'RobotsRead':
      return `${event.origin}: ${event.access} (${event.because})`
    case 'FetchConcluded':
      return `${event.target}: ${event.outcome}${event.status === null ? '' : ` ${event.status}`}${event.because === '' ? '' : ` (${event.because})`}`
    case 'NetworkObserved':
      return `${event.read}: ${event.manager ?? 'no manager'}${event.hosts.length === 0 ? '' : ` by ${event.hosts.join(', ')}`}`
    case 'ClaimPublished':
      return `${event.id} by ${event.by}: ${event.statement}`
    case 'SiteStopped':
      return `not reached ${event.strikes} times in a row`
    case 'SourceNotRead':
    case 'SourceReinstated':
    case 'BodyErased':
      return describeAct(event)
    case 'ReaderAdopted':
      return describeAdoption(event)
  }
}

/** A signed head begins with the origin and the size. */
const followed = (note: string): string => {
  const [origin = '', size = ''] = note.split('\n')
  return `${origin}, which ended with ${size} entries`
}

type OfRun = EventOf<
  | 'LogOpened'
  | 'KeyRotated'
  | 'WitnessesNamed'
  | 'HeadTimestamped'
  | 'ProgrammeAdopted'
  | 'SourceListAdopted'
  | 'RunStarted'
  | 'RunEnded'
>

const describeRun = (event: OfRun): string => {
  switch (event.type) {
    case 'LogOpened':
      return `${event.origin}, ${event.clock} clock${event.predecessor === null ? '' : `, follows ${followed(event.predecessor)}`}`
    case 'KeyRotated':
      return `to ${event.newKey}, by ${event.by}${event.note === null ? '' : `: ${event.note}`}`
    case 'WitnessesNamed':
      return `${event.witnesses.map(({ vkey }) => vkey.split('+')[0]).join(', ') || 'nobody'}, quorum ${event.quorum ?? 'more than half'}, by ${event.by ?? 'a person not named'}${event.note === null ? '' : `: ${event.note}`}`
    case 'HeadTimestamped':
      return `the head of ${event.size} entries, at ${formatInstant(event.time)} by ${event.authority}`
    case 'ProgrammeAdopted':
      return `${event.programme}, policy ${event.policyDigest.slice(0, 12)}`
    case 'SourceListAdopted':
      return `${event.programme}, ${count(event.sources.length, 'source')} (part ${event.part} of ${event.parts})`
    case 'RunStarted':
      return `${event.programme}, ${event.kind === 'hand' ? 'by hand, ' : ''}night ${event.night}${event.job === null ? '' : `, source ${event.job}`}`
    case 'RunEnded':
      return `${event.programme} ${event.status}: ${count(event.requests, 'request')}, ${count(event.sites, 'site')}`
  }
}

type Act = SiteAct | EventOf<'SourceNotRead' | 'SourceReinstated' | 'BodyErased'>

const describeAct = (event: Act): string => {
  const note = 'reason' in event ? event.reason : event.note
  const by = `by ${event.by}${note === null ? '' : `: ${note}`}`
  switch (event.type) {
    case 'SitePaced':
      return event.seconds === 0 ? `no pace of its own, ${by}` : `every ${event.seconds} s, ${by}`
    case 'PathExcluded':
    case 'PathReadmitted':
      return `${event.path} ${by}`
    case 'SourceNotRead':
    case 'SourceReinstated':
      return `${event.programme}, ${event.source} ${by}`
    case 'BodyErased':
      return `the body of position ${event.response} (${event.basis}) ${by}`
    case 'SiteExcluded':
    case 'SiteReadmitted':
    case 'SiteResumed':
      return by
  }
}

const describeAdoption = (event: EventOf<'ReaderAdopted'>): string => {
  const { projection, reader, before, by, reason } = event
  const instead = before === null ? '' : ` instead of ${before}`
  const who = by === null ? '' : `, by ${by}`
  return `${projection} is read with ${reader}${instead}${who}${reason === null ? '' : `: ${reason}`}`
}

type OfRequest = EventOf<
  | 'RobotsDecided'
  | 'RequestWithheld'
  | 'RequestSent'
  | 'ResponseReceived'
  | 'RequestFailed'
  | 'RequestAbandoned'
  | 'RedirectDecided'
>

const describeRequest = (event: OfRequest): string => {
  switch (event.type) {
    case 'RobotsDecided':
      return `${event.verdict} ${event.url} (${event.basis}${event.rule === null ? '' : `, line ${event.rule.line}`})`
    case 'RequestWithheld':
      return `${event.url}: ${event.reason}${event.detail === '' ? '' : ` (${event.detail})`}`
    case 'RequestSent':
      return `#${event.n} GET ${event.url}${event.attempt === 1 ? '' : `, attempt ${event.attempt}`}`
    case 'ResponseReceived':
      return `#${event.n} ${event.status} ${event.url}, next not before ${formatInstant(event.next.at)}`
    case 'RequestFailed':
      return `#${event.n} ${event.reason} ${event.url}`
    case 'RequestAbandoned':
      return `#${event.n} of ${event.sentIn}: ${event.url}`
    case 'RedirectDecided':
      return `${event.verdict} ${event.status} to ${event.to ?? event.location ?? 'nowhere'} (${event.reason})`
  }
}
