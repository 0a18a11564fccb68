/**
 * What of the ledger so far an auditor can look up. Kept once for all judges, and bounded: by sites,
 * by runs, and by what was asked within a day; never by the length of the ledger.
 */
import type { Digest } from '../kernel/digest.ts'
import { E } from '../kernel/fp.ts'
import type { Instant } from '../kernel/instant.ts'
import type { Position } from '../kernel/position.ts'
import type { Site } from '../kernel/site.ts'
import { type HttpUrl, type Origin, originOf, robotsUrlOf } from '../kernel/url.ts'
import type { Recorded } from '../ledger/entry.ts'
import type { EventOf } from '../ledger/event.ts'
import { parsePolicy } from '../programmes/policy-file.ts'
import type { Policy } from '../programmes/policy.ts'
import {
  type Clock,
  CLOSING,
  closedBy,
  type ClosingType,
  type Exchange,
  exchangeOf,
  isOf,
} from './exchange.ts'
import { newReadings, type Reading, type Readings, type Step } from './readings.ts'
import { type Recent, recentOf } from './recent.ts'
import { newSourceLists, type SourceList, type SourceLists } from './source-lists.ts'
import { newTries, type Tries } from './tries.ts'

export type RunFacts = {
  readonly programme: string
  readonly adopted: Position
  readonly night: string
  readonly kind: EventOf<'RunStarted'>['kind']
  /** The one source it is for; null: for the whole list. */
  readonly job: string | null
  /** Websites allowed for it alone. */
  readonly also: readonly Site[]
  readonly sources: Digest
  readonly startedAt: Instant
  readonly ended: boolean
}

export type Past = {
  readonly clock: Clock
  readonly run: (run: string) => RunFacts | undefined
  /**
   * The policy an event of a programme was made under; undefined: the ledger has none. A policy of
   * another version of this program may have parameters that this one does not know.
   */
  readonly policyFor: (run: string, programme: string) => Policy | 'unreadable' | undefined
  /** Open, or sent within the last day. */
  readonly exchange: (request: Position) => Exchange | undefined
  /** The newest exchange with the site, of any programme. */
  readonly lastWith: (site: Site) => Exchange | undefined
  /** Made within the last hour: a request follows its decision at once. */
  readonly decision: (position: Position) => Recorded<'RobotsDecided'> | undefined
  /** The robots.txt that counts for a request, made or withheld. */
  readonly robotsFor: (step: Step) => Reading | undefined
  /** The same address asked before, this night or in this run, as the policy counts. */
  readonly triedBefore: (sent: Recorded<'RequestSent'>) => Exchange | undefined
  /** All addresses to which the origin's robots.txt led this night, its own among them. */
  readonly robotsAddresses: (of: NightOfOrigin) => ReadonlySet<HttpUrl>
  readonly list: (programme: string, digest: Digest) => SourceList | undefined
  /** The source list of a run. */
  readonly sources: (run: string) => SourceList | undefined
  /** The programmes that have run, by their number of requests. */
  readonly programmes: () => ReadonlyMap<string, number>
}

export type NightOfOrigin = {
  readonly programme: string
  readonly origin: Origin
  readonly night: string
}

const DAY_MS = 26 * 3_600_000
const HOUR_MS = 3_600_000

type Memory = {
  clock: Clock
  readonly runs: Map<string, RunFacts>
  readonly policies: Map<Position, Policy | 'unreadable'>
  readonly newestPolicy: Map<string, Position>
  readonly open: Map<Position, Exchange>
  readonly closed: Recent<Position, Exchange>
  readonly last: Map<Site, Exchange>
  readonly decisions: Recent<Position, Recorded<'RobotsDecided'>>
  readonly readings: Readings
  readonly tries: Tries
  readonly chains: Map<string, { readonly night: string; readonly addresses: Set<HttpUrl> }>
  readonly lists: SourceLists
  readonly programmes: Map<string, number>
}

/** `take` adds an event; judges are asked about it before that. */
export const newPast = (): { readonly past: Past; readonly take: (recorded: Recorded) => void } => {
  const memory: Memory = {
    clock: 'system',
    runs: new Map(),
    policies: new Map(),
    newestPolicy: new Map(),
    open: new Map(),
    closed: recentOf(DAY_MS),
    last: new Map(),
    decisions: recentOf(HOUR_MS),
    readings: newReadings(),
    tries: newTries(),
    chains: new Map(),
    lists: newSourceLists(),
    programmes: new Map(),
  }
  return { past: lookUps(memory), take: (recorded) => take(memory, recorded) }
}

const policyFor = (
  memory: Memory,
  run: string,
  programme: string,
): Policy | 'unreadable' | undefined => {
  const facts = memory.runs.get(run)
  const adopted =
    facts?.programme === programme ? facts.adopted : memory.newestPolicy.get(programme)
  return adopted === undefined ? undefined : memory.policies.get(adopted)
}

const readable = (memory: Memory, run: string, programme: string): Policy | undefined => {
  const policy = policyFor(memory, run, programme)
  return policy === 'unreadable' ? undefined : policy
}

const lookUps = (memory: Memory): Past => ({
  get clock() {
    return memory.clock
  },
  run: (run) => memory.runs.get(run),
  policyFor: (run, programme) => policyFor(memory, run, programme),
  exchange: (request) => memory.open.get(request) ?? memory.closed.get(request),
  lastWith: (site) => memory.last.get(site),
  decision: (position) => memory.decisions.get(position),
  robotsFor: (step) => {
    const policy = readable(memory, step.run, step.event.programme)
    return memory.readings.inForce(step, { policy, kind: memory.runs.get(step.run)?.kind })
  },
  triedBefore: (sent) =>
    memory.tries.before(sent, readable(memory, sent.run, sent.event.programme)),
  robotsAddresses: ({ programme, origin, night }) => {
    const chain = memory.chains.get(`${programme} ${origin}`)
    return chain?.night === night ? chain.addresses : new Set([robotsUrlOf(origin)])
  },
  list: (programme, digest) => memory.lists.get(programme, digest),
  sources: (run) => {
    const facts = memory.runs.get(run)
    return facts && memory.lists.get(facts.programme, facts.sources)
  },
  programmes: () => memory.programmes,
})

const take = (memory: Memory, recorded: Recorded): void => {
  if (isOf(recorded, 'RequestSent')) takeSent(memory, recorded)
  else if (isOf(recorded, ...CLOSING)) takeClosing(memory, recorded)
  else if (isOf(recorded, 'RobotsDecided'))
    memory.decisions.set(recorded.position, recorded, recorded.ts)
  else if (isOf(recorded, 'RobotsRead')) memory.readings.take(recorded)
  else if (isOf(recorded, 'RedirectDecided')) takeRedirect(memory, recorded)
  else takeFrame(memory, recorded)
}

/** Events about runs and programmes: a few each night. */
const takeFrame = (memory: Memory, recorded: Recorded): void => {
  const { event, position, run, ts } = recorded
  if (event.type === 'LogOpened') memory.clock = event.clock
  if (event.type === 'ProgrammeAdopted') {
    const policy = parsePolicy(`the policy at position ${position}`, event.policy)
    memory.policies.set(position, E.isRight(policy) ? policy.right : 'unreadable')
    memory.newestPolicy.set(event.programme, position)
  }
  if (event.type === 'SourceListAdopted') memory.lists.take(event)
  if (event.type === 'RunStarted') {
    const { programme } = event
    memory.runs.set(run, { ...event, startedAt: ts, ended: false })
    memory.programmes.set(programme, memory.programmes.get(programme) ?? 0)
  }
  const facts = memory.runs.get(run)
  if (event.type === 'RunEnded' && facts !== undefined)
    memory.runs.set(run, { ...facts, ended: true })
}

const takeSent = (memory: Memory, recorded: Recorded<'RequestSent'>): void => {
  const { programme } = recorded.event
  const policy = readable(memory, recorded.run, programme)
  const exchange = exchangeOf(recorded, memory.tries.before(recorded, policy))
  memory.tries.take(exchange, policy, recorded.ts)
  memory.open.set(exchange.position, exchange)
  memory.last.set(exchange.site, exchange)
  memory.programmes.set(programme, (memory.programmes.get(programme) ?? 0) + 1)
}

const takeClosing = (memory: Memory, recorded: Recorded<ClosingType>): void => {
  const open = memory.open.get(recorded.event.request)
  if (open === undefined) return
  memory.open.delete(open.position)
  const exchange = { ...open, closed: closedBy(open.sentAt, recorded, memory.clock) }
  memory.tries.take(exchange, readable(memory, open.run, open.programme), recorded.ts)
  remember(memory, exchange, recorded.ts)
}

const takeRedirect = (memory: Memory, { event, ts }: Recorded<'RedirectDecided'>): void => {
  const { programme, request, purpose, target, to, verdict } = event
  const exchange = memory.closed.get(request)
  if (exchange === undefined || verdict !== 'follow' || to === null) return
  remember(memory, { ...exchange, followed: to }, ts)
  if (purpose !== 'robots') return
  const origin = originOf(target)
  const key = `${programme} ${origin}`
  const known = memory.chains.get(key)
  const chain =
    known?.night === exchange.night
      ? known
      : { night: exchange.night, addresses: new Set([robotsUrlOf(origin)]) }
  chain.addresses.add(to)
  memory.chains.set(key, chain)
}

const remember = (memory: Memory, exchange: Exchange, now: Instant): void => {
  memory.closed.set(exchange.position, exchange, now)
  if (memory.last.get(exchange.site)?.position === exchange.position)
    memory.last.set(exchange.site, exchange)
}
