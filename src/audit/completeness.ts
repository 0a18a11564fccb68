/** Is anything missing? Numbers without a gap, one end for each request, counts that are the events'. */
import type { Instant } from '../kernel/instant.ts'
import type { Position } from '../kernel/position.ts'
import type { Recorded } from '../ledger/entry.ts'
import { citationsOf } from './citations.ts'
import { CLOSING, type ClosingType, isOf } from './exchange.ts'
import { runBooks, type RunState } from './run-books.ts'
import { typeRegister } from './type-register.ts'

/** What a fault is about. */
export type FaultRule =
  | 'position' // a position missing, or twice
  | 'stream-version' // a place in a stream missing, or twice
  | 'time' // time going back
  | 'log-opened' // a ledger without its beginning, or with two
  | 'citation' // a cited position that is not there, not earlier, or not what it should be
  | 'closing' // a request closed twice, or an end without a request
  | 'run' // events outside a run's beginning and end
  | 'request-number' // a request number missing, or twice
  | 'count' // counts that are not the ledger's

export type Fault = {
  readonly position: Position
  readonly rule: FaultRule
  readonly says: string
}

/** A request without an end. `run` is under way, or its process died and no run has recovered it yet. */
export type OpenRequest = {
  readonly position: Position
  readonly at: Instant
  readonly run: string
  readonly url: string
}

export type Completeness = {
  readonly entries: number
  readonly requests: number
  readonly faults: number
  /** The first FAULTS_LISTED_MAX. */
  readonly list: readonly Fault[]
  readonly runs: readonly RunState[]
  readonly open: readonly OpenRequest[]
}

export const FAULTS_LISTED_MAX = 1_000

type Say = (rule: FaultRule, says: string) => void

type Sent = { readonly at: Instant; readonly run: string; readonly url: string; readonly n: number }

export type CompletenessAudit = {
  readonly take: (recorded: Recorded) => void
  readonly result: () => Completeness
}

export const completenessAudit = (): CompletenessAudit => {
  const list: Fault[] = []
  let faults = 0
  let entries = 0
  let requests = 0
  const order = orderCheck()
  const citations = citationCheck()
  const books = runBooks()
  const open = new Map<Position, Sent>()
  return {
    take: (recorded) => {
      const { position } = recorded
      const say: Say = (rule, says) => {
        faults += 1
        if (list.length < FAULTS_LISTED_MAX) list.push({ position, rule, says })
      }
      entries += 1
      if (recorded.event.type === 'RequestSent') requests += 1
      order(recorded, say)
      citations(recorded, say)
      matchEnds(open, recorded, say)
      books.take(recorded, say)
    },
    result: () => ({
      entries,
      requests,
      faults,
      list,
      runs: books.unfinished(),
      open: [...open].map(([position, { at, run, url }]) => ({ position, at, run, url })),
    }),
  }
}

/** Positions from 1, versions from 1 in each stream, and time that never goes back. */
const orderCheck = (): ((recorded: Recorded, say: Say) => void) => {
  const versions = new Map<string, number>()
  let last = 0
  let time = 0
  return ({ position, stream, version, ts, event }, say) => {
    if (position !== last + 1) say('position', `position ${position} follows position ${last}`)
    last = position
    const expected = (versions.get(stream) ?? 0) + 1
    if (version !== expected)
      say('stream-version', `version ${version} of ${stream} stands where ${expected} belongs`)
    versions.set(stream, version)
    if (ts < time) say('time', `the time is ${time - ts} ms before that of the entry before`)
    time = Math.max(time, ts)
    if ((event.type === 'LogOpened') !== (position === 1))
      say(
        'log-opened',
        position === 1 ? 'the ledger does not begin with LogOpened' : 'the log is opened once more',
      )
  }
}

const citationCheck = (): ((recorded: Recorded, say: Say) => void) => {
  const types = typeRegister()
  return ({ position, event }, say) => {
    for (const { field, position: cited, type } of citationsOf(event)) {
      const found = cited < position ? types.at(cited) : undefined
      if (cited >= position)
        say('citation', `${event.type}.${field} cites position ${cited}, which is not earlier`)
      else if (found === undefined)
        say('citation', `${event.type}.${field} cites position ${cited}, where nothing stands`)
      else if (found !== type)
        say(
          'citation',
          `${event.type}.${field} cites position ${cited}, which is ${found} and not ${type}`,
        )
    }
    types.add(position, event.type)
  }
}

/** Each request is closed once, and by its own number. */
const matchEnds = (open: Map<Position, Sent>, recorded: Recorded, say: Say): void => {
  if (isOf(recorded, 'RequestSent')) {
    const { url, n } = recorded.event
    open.set(recorded.position, { at: recorded.ts, run: recorded.run, url, n })
  }
  if (isOf(recorded, ...CLOSING)) closeOne(open, recorded, say)
}

const closeOne = (
  open: Map<Position, Sent>,
  { event, run }: Recorded<ClosingType>,
  say: Say,
): void => {
  const sent = open.get(event.request)
  open.delete(event.request)
  if (sent === undefined) {
    return say(
      'closing',
      `${event.type} closes position ${event.request}, where no request is open`,
    )
  }
  const by = event.type === 'RequestAbandoned' ? event.sentIn : run
  if (sent.n !== event.n || sent.run !== by || sent.url !== event.url)
    say(
      'closing',
      `${event.type} closes position ${event.request} as no. ${event.n} of ${by}, which is no. ${sent.n} of ${sent.run}`,
    )
}
