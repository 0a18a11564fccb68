/**
 * What of the ledger so far an auditor can look up. Kept once for all judges, and bounded: by sites,
 * by runs, and by what was asked within a day; never by the length of the ledger.
 */
import type { Digest } from '../kernel/digest.ts'
import { E } from '../kernel/fp.ts'
import type { Instant } from '../kernel/instant.ts'
import type { Position } from '../kernel/position.ts'
import type { Site } from '../kernel/site.ts'
import { type HttpUrl, type Origin, originOf, robotsUrlOf, siteOf } from '../kernel/url.ts'
import type { Recorded } from '../ledger/entry.ts'
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
import { type Recent, recentOf } from './recent.ts'

export type RunFacts = {
  readonly programme: string
  readonly adopted: Position
  readonly night: string
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
  readonly robots: (programme: string, origin: Origin) => Recorded<'RobotsRead'> | undefined
  /** All addresses to which the origin's robots.txt led this night, its own among them. */
  readonly robotsAddresses: (of: NightOfOrigin) => ReadonlySet<HttpUrl>
  /** The source list of a run. */
  readonly sources: (run: string) => SourceList | undefined
  /** The programmes that have run, by their number of requests. */
  readonly programmes: () => ReadonlyMap<string, number>
}

export type SourceList = {
  readonly byId: ReadonlyMap<string, HttpUrl>
  readonly urls: ReadonlySet<HttpUrl>
  readonly sites: ReadonlySet<Site>
}

export type NightOfOrigin = {
  readonly programme: string
  readonly origin: Origin
  readonly night: string
}

const DAY_MS = 26 * 3_600_000
const HOUR_MS = 3_600_000
/** Of each programme: lists of runs that may still be going on. */
const LISTS_MAX = 8

type List = {
  readonly byId: Map<string, HttpUrl>
  readonly urls: Set<HttpUrl>
  readonly sites: Set<Site>
}

type Memory = {
  clock: Clock
  readonly runs: Map<string, RunFacts>
  readonly policies: Map<Position, Policy | 'unreadable'>
  readonly newestPolicy: Map<string, Position>
  readonly open: Map<Position, Exchange>
  readonly closed: Recent<Position, Exchange>
  readonly last: Map<Site, Exchange>
  readonly decisions: Recent<Position, Recorded<'RobotsDecided'>>
  readonly robots: Map<string, Recorded<'RobotsRead'>>
  readonly chains: Map<string, { readonly night: string; readonly addresses: Set<HttpUrl> }>
  /** By programme, the newest last. */
  readonly lists: Map<string, Map<Digest, List>>
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
    robots: new Map(),
    chains: new Map(),
    lists: new Map(),
    programmes: new Map(),
  }
  return { past: lookUps(memory), take: (recorded) => take(memory, recorded) }
}

const lookUps = (memory: Memory): Past => ({
  get clock() {
    return memory.clock
  },
  run: (run) => memory.runs.get(run),
  policyFor: (run, programme) => {
    const facts = memory.runs.get(run)
    const adopted =
      facts?.programme === programme ? facts.adopted : memory.newestPolicy.get(programme)
    return adopted === undefined ? undefined : memory.policies.get(adopted)
  },
  exchange: (request) => memory.open.get(request) ?? memory.closed.get(request),
  lastWith: (site) => memory.last.get(site),
  decision: (position) => memory.decisions.get(position),
  robots: (programme, origin) => memory.robots.get(`${programme} ${origin}`),
  robotsAddresses: ({ programme, origin, night }) => {
    const chain = memory.chains.get(`${programme} ${origin}`)
    return chain?.night === night ? chain.addresses : new Set([robotsUrlOf(origin)])
  },
  sources: (run) => {
    const facts = memory.runs.get(run)
    return facts && memory.lists.get(facts.programme)?.get(facts.sources)
  },
  programmes: () => memory.programmes,
})

const take = (memory: Memory, recorded: Recorded): void => {
  if (isOf(recorded, 'RequestSent')) takeSent(memory, recorded)
  else if (isOf(recorded, ...CLOSING)) takeClosing(memory, recorded)
  else if (isOf(recorded, 'RobotsDecided'))
    memory.decisions.set(recorded.position, recorded, recorded.ts)
  else if (isOf(recorded, 'RobotsRead'))
    memory.robots.set(`${recorded.event.programme} ${recorded.event.origin}`, recorded)
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
  if (event.type === 'SourceListAdopted') takeSources(memory, event)
  if (event.type === 'RunStarted') {
    const { programme, adopted, night, sources } = event
    memory.runs.set(run, { programme, adopted, night, sources, startedAt: ts, ended: false })
    memory.programmes.set(programme, memory.programmes.get(programme) ?? 0)
  }
  const facts = memory.runs.get(run)
  if (event.type === 'RunEnded' && facts !== undefined)
    memory.runs.set(run, { ...facts, ended: true })
}

const takeSources = (memory: Memory, event: Recorded<'SourceListAdopted'>['event']): void => {
  const { programme, digest, part, sources } = event
  const lists = memory.lists.get(programme) ?? new Map<Digest, List>()
  memory.lists.set(programme, lists)
  const begun = part === 1 ? undefined : lists.get(digest)
  const list: List = begun ?? { byId: new Map(), urls: new Set(), sites: new Set() }
  for (const { id, url } of sources) {
    list.byId.set(id, url)
    list.urls.add(url)
    list.sites.add(siteOf(url))
  }
  lists.delete(digest)
  lists.set(digest, list)
  const oldest = lists.keys().next()
  if (lists.size > LISTS_MAX && oldest.done !== true) lists.delete(oldest.value)
}

const takeSent = (memory: Memory, recorded: Recorded<'RequestSent'>): void => {
  const exchange = exchangeOf(recorded)
  const { programme } = exchange
  memory.open.set(exchange.position, exchange)
  memory.last.set(exchange.site, exchange)
  memory.programmes.set(programme, (memory.programmes.get(programme) ?? 0) + 1)
}

const takeClosing = (memory: Memory, recorded: Recorded<ClosingType>): void => {
  const open = memory.open.get(recorded.event.request)
  if (open === undefined) return
  memory.open.delete(open.position)
  remember(memory, { ...open, closed: closedBy(open.sentAt, recorded, memory.clock) }, recorded.ts)
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
