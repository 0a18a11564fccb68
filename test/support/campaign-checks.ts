/**
 * What crawlers that were killed, crowded or cut off must leave behind, checked over the whole ledger
 * and the servers' access log. Pure, and tested with planted faults in campaign-checks.test.ts.
 */
import type { AccessLine } from '../../scripts/rehearsal/access-log.ts'
import { parseProcessIdentity } from '../../src/adapters/system/process-identity.ts'
import { formatInstant } from '../../src/kernel/instant.ts'
import type { Site } from '../../src/kernel/site.ts'
import { type HttpUrl, originOf } from '../../src/kernel/url.ts'
import type { Recorded } from '../../src/ledger/entry.ts'
import type { ClosingEvent, EventOf, EventType } from '../../src/ledger/event.ts'
import { fetchRule, type Policy } from '../../src/programmes/policy.ts'

/** A line of the access log, and the crawlers (process numbers) that can have made the request. */
export type Seen = { readonly line: AccessLine; readonly by: ReadonlySet<number> }

/** A night that a run has completed: what had to be settled in it. */
export type Due = {
  readonly policy: Pick<Policy, 'name' | 'order' | 'fetch'>
  readonly night: string
  readonly sources: readonly HttpUrl[]
  readonly sites: readonly Site[]
}

export type Evidence = {
  /** The whole ledger, from position 1. No run may be under way. */
  readonly recorded: readonly Recorded[]
  /** The whole access log, in the order of arrival. */
  readonly seen: readonly Seen[]
  readonly due: readonly Due[]
  /** Ledger and access log use one clock, so their times can be compared. */
  readonly oneClock: boolean
}

export type Fault = {
  readonly rule:
    | 'unrecorded' // a server saw a request that its crawler had not recorded
    | 'late' // a server saw it before the ledger said it would be sent
    | 'unseen' // the ledger has an answer that no server gave
    | 'unclosed' // a request without exactly one closing event after it
    | 'doubled' // an address asked twice in one night of a programme
    | 'crowded' // two requests open to one site
    | 'hurried' // a request before the site might be asked again
    | 'numbering' // numbers with a gap, counts that are not the ledger's, a run not ended once
    | 'order' // a position or version missing, or time going back
    | 'lost' // something due that was not settled, or settled twice
  readonly words: string
}

const fault = (rule: Fault['rule'], words: string): Fault => ({ rule, words })

/** Every fault, none if all holds. */
export const faultsOf = (evidence: Evidence): readonly Fault[] => {
  const { recorded, seen, oneClock } = evidence
  const exchanges = exchangesOf(recorded)
  const pairs = pairUp(exchanges, seen)
  return [
    ...orderFaults(recorded),
    ...pairs.unrecorded.map((line) => fault('unrecorded', words(line))),
    ...seen.flatMap(({ line }) => (line.overlapping ? [fault('crowded', words(line))] : [])),
    ...pairs.exchanges.flatMap(seenFaults),
    ...exchanges.flatMap(closingFaults),
    ...doubledFaults(exchanges),
    ...paceFaults(recorded),
    ...(oneClock ? clockFaults(pairs.exchanges) : []),
    ...runFaults(recorded),
    ...evidence.due.flatMap((due) => settledFaults(recorded, due)),
  ]
}

const words = ({ at, method, scheme, host, path }: AccessLine): string =>
  `${method} ${scheme}://${host}${path} at ${formatInstant(at)}`

const of = <T extends EventType>(
  recorded: readonly Recorded[],
  ...types: readonly T[]
): readonly Recorded<T>[] => {
  const wanted = new Set<string>(types)
  return recorded.filter((one): one is Recorded<T> => wanted.has(one.event.type))
}

const CLOSING = ['ResponseReceived', 'RequestFailed', 'RequestAbandoned'] as const
type Closing = Recorded<ClosingEvent['type']>

export type Exchange = {
  readonly sent: Recorded<'RequestSent'>
  readonly closings: readonly Closing[]
  /** The number of the process that ran the run. */
  readonly process: number | undefined
}

export const exchangesOf = (recorded: readonly Recorded[]): readonly Exchange[] => {
  const closings = Map.groupBy(of(recorded, ...CLOSING), ({ event }) => event.request)
  const processes = new Map(
    of(recorded, 'RunStarted').map(({ run, event }) => [
      run,
      parseProcessIdentity(event.process)?.pid,
    ]),
  )
  return of(recorded, 'RequestSent').map((sent) => ({
    sent,
    closings: closings.get(sent.position) ?? [],
    process: processes.get(sent.run),
  }))
}

type Paired = Exchange & { readonly line: AccessLine | undefined }

/** Each line with a request for its address by a process that can have made it. */
const pairUp = (
  exchanges: readonly Exchange[],
  seen: readonly Seen[],
): { readonly exchanges: readonly Paired[]; readonly unrecorded: readonly AccessLine[] } => {
  const left = Map.groupBy(exchanges, ({ sent }) => new URL(sent.event.url).href)
  const lines = new Map<Exchange, AccessLine>()
  const unrecorded = seen.flatMap(({ line, by }) => {
    const candidates = left.get(new URL(`${line.scheme}://${line.host}${line.path}`).href) ?? []
    const found = candidates.findIndex(({ process }) => process !== undefined && by.has(process))
    const [exchange] = found < 0 ? [] : candidates.splice(found, 1)
    if (exchange === undefined) return [line]
    lines.set(exchange, line)
    return []
  })
  return {
    exchanges: exchanges.map((exchange) => ({ ...exchange, line: lines.get(exchange) })),
    unrecorded,
  }
}

const named = ({ sent }: Pick<Exchange, 'sent'>): string =>
  `${sent.event.url} (position ${sent.position}, run ${sent.run})`

/** What was answered was seen. What failed or was abandoned may have died before its first byte. */
const seenFaults = (exchange: Paired): readonly Fault[] => {
  const { closings, line } = exchange
  return closings.flatMap(({ event }) => {
    if (event.type !== 'ResponseReceived') return []
    if (line === undefined) return [fault('unseen', `${named(exchange)}: no server saw it`)]
    return line.status === event.status
      ? []
      : [fault('unseen', `${named(exchange)}: ${event.status}, the server sent ${line.status}`)]
  })
}

const closingFaults = (exchange: Exchange): readonly Fault[] => {
  const { sent, closings } = exchange
  const [closing, ...more] = closings
  if (closing === undefined) return [fault('unclosed', `${named(exchange)} is open`)]
  const wrong =
    more.length > 0 ||
    closing.position < sent.position ||
    closing.event.n !== sent.event.n ||
    (closing.event.type === 'RequestAbandoned'
      ? closing.event.sentIn !== sent.run
      : closing.run !== sent.run)
  const list = closings.map(({ event, position }) => `${event.type} at ${position}`).join(', ')
  return wrong ? [fault('unclosed', `${named(exchange)} was closed by ${list}`)] : []
}

const doubledFaults = (exchanges: readonly Exchange[]): readonly Fault[] => {
  const asked = Map.groupBy(
    exchanges,
    ({ sent: { event } }) => `${event.programme} ${event.night} ${event.url}`,
  )
  return [...asked.values()].flatMap((same) =>
    same.length < 2 ? [] : [fault('doubled', same.map(named).join(' and '))],
  )
}

const orderFaults = (recorded: readonly Recorded[]): readonly Fault[] => {
  const versions = new Map<string, number>()
  return recorded.flatMap(({ position, ts, stream, version }, index) => {
    const before = recorded[index - 1]
    const expected = (versions.get(stream) ?? 0) + 1
    versions.set(stream, version)
    return [
      ...(position === index + 1
        ? []
        : [fault('order', `position ${position} is no. ${index + 1}`)]),
      ...(version === expected ? [] : [fault('order', `${stream}: ${version}, not ${expected}`)]),
      ...(before === undefined || before.ts <= ts
        ? []
        : [fault('order', `time goes back at position ${position}`)]),
    ]
  })
}

/** In each site's stream, over all programmes: one request open at a time, each not before its time. */
const paceFaults = (recorded: readonly Recorded[]): readonly Fault[] => {
  const bySite = Map.groupBy(of(recorded, 'RequestSent', ...CLOSING), ({ stream }) => stream)
  return [...bySite.values()].flatMap((events) =>
    events.flatMap(({ event, ts, position, run }, index) => {
      if (event.type !== 'RequestSent') return []
      const what = `${event.url} (position ${position}, run ${run})`
      const before = events[index - 1]
      if (before === undefined) return []
      if (before.event.type === 'RequestSent')
        return [fault('crowded', `${what} while ${before.position} was open`)]
      const { at } = before.event.next
      return ts < at ? [fault('hurried', `${what} before ${formatInstant(at)}`)] : []
    }),
  )
}

/** By the servers' own time: recorded before it came, and after the pause since the one before. */
const clockFaults = (exchanges: readonly Paired[]): readonly Fault[] => {
  const late = exchanges.flatMap((exchange) =>
    exchange.line !== undefined && exchange.line.at < exchange.sent.ts
      ? [fault('late', `${named(exchange)} was seen at ${formatInstant(exchange.line.at)}`)]
      : [],
  )
  const bySite = Map.groupBy(exchanges, ({ sent }) => sent.stream)
  const hurried = [...bySite.values()].flatMap((ofSite) =>
    ofSite.flatMap((later, index) => {
      const earlier = ofSite[index - 1]
      const [closing] = earlier?.closings ?? []
      if (later.line === undefined || earlier === undefined || closing === undefined) return []
      const { floorMs, crawlDelayMs, at } = closing.event.next
      const promised = Math.max(floorMs, crawlDelayMs ?? 0)
      // Neither side sees the true end; it is not after either of them. That a crawler has given up
      // only the crawler sees in time: the pause counts from there.
      const gaveUp = closing.event.type === 'RequestFailed' ? at - promised : Infinity
      const endedAt = Math.min(closing.ts, earlier.line?.endedAt ?? Infinity, gaveUp)
      const pause = later.line.at - endedAt
      return pause < promised
        ? [fault('hurried', `${named(later)}: ${pause} ms after ${named(earlier)}`)]
        : []
    }),
  )
  return [...late, ...hurried]
}

const COUNTED = ['requests', 'responses', 'failures', 'abandoned', 'withheld'] as const
type Counts = Pick<EventOf<'RunEnded'>, (typeof COUNTED)[number]>

const countsOf = (events: readonly Recorded[], abandoned: number): Counts => ({
  requests: of(events, 'RequestSent').length,
  responses: of(events, 'ResponseReceived').length,
  failures: of(events, 'RequestFailed').length,
  abandoned,
  withheld: of(events, 'RequestWithheld').length,
})

/** Of each run: numbers without a gap, one end and nothing after it, the counts of the ledger. */
const runFaults = (recorded: readonly Recorded[]): readonly Fault[] => {
  const byRun = Map.groupBy(recorded, ({ run }) => run)
  const abandoned = Map.groupBy(of(recorded, 'RequestAbandoned'), ({ event }) => event.sentIn)
  return [...byRun].flatMap(([run, events]) => {
    const sent = of(events, 'RequestSent')
    const [started, ...againStarted] = of(events, 'RunStarted')
    const [ended, ...againEnded] = of(events, 'RunEnded')
    const wrong = (what: string): Fault => fault('numbering', `run ${run}: ${what}`)
    if (started === undefined) return sent.length > 0 ? [wrong('requests without a start')] : []
    if (ended === undefined) return [wrong('no end')]
    const counted = countsOf(events, abandoned.get(run)?.length ?? 0)
    return [
      ...(againStarted.length + againEnded.length > 0 ? [wrong('two starts or two ends')] : []),
      ...(ended.position === events.at(-1)?.position ? [] : [wrong('something after its end')]),
      ...sent.flatMap(({ event }, index) =>
        event.n === index + 1 ? [] : [wrong(`number ${event.n} is no. ${index + 1}`)],
      ),
      ...COUNTED.flatMap((name) => {
        const [told, count] = [ended.event[name], counted[name]]
        return told === count ? [] : [wrong(`it tells ${told} ${name}, the ledger has ${count}`)]
      }),
    ]
  })
}

/** Each due file has one end in that night: a conclusion, or the reason why it was not asked. */
const settledFaults = (recorded: readonly Recorded[], due: Due): readonly Fault[] => {
  const ends = Map.groupBy(
    of(recorded, 'RobotsRead', 'FetchConcluded', 'RequestWithheld').filter(
      ({ event }) => event.programme === due.policy.name && event.night === due.night,
    ),
    ({ event }) => endKey(event),
  )
  const settled = (origin: string, purposes: Due['policy']['order']['site'], source?: HttpUrl) => {
    const faults: Fault[] = []
    for (const purpose of purposes) {
      const path = fetchRule(due.policy, purpose).path
      const url = path === null ? source : `${origin}${path}`
      const found = (ends.get(`${purpose} ${url}`) ?? []).filter(isLastWord)
      const what = `${due.policy.name} ${due.night}: ${purpose} ${url}`
      if (found.length !== 1) faults.push(fault('lost', `${what} has ${found.length} ends`))
      // Without robots.txt even being asked for, nothing else is.
      if (purpose === 'robots' && found.every(({ event }) => event.type === 'RequestWithheld'))
        return faults
    }
    return faults
  }
  return [
    ...due.sources.flatMap((url) => settled(originOf(url), due.policy.order.source, url)),
    ...due.sites.flatMap((site) => settled(`https://${site}`, due.policy.order.site)),
  ]
}

type End = Recorded<'RobotsRead' | 'FetchConcluded' | 'RequestWithheld'>

/** What was withheld until a moment of this same night may be asked by a run after that moment. */
const isLastWord = ({ event, position }: End, _: number, all: readonly End[]): boolean => {
  const until = event.type === 'RequestWithheld' ? event.until : null
  return until === null || !all.some((later) => later.position > position && later.ts >= until)
}

const endKey = (event: EventOf<'RobotsRead' | 'FetchConcluded' | 'RequestWithheld'>): string => {
  if (event.type === 'RobotsRead') return `robots ${event.origin}/robots.txt`
  return `${event.purpose} ${event.type === 'FetchConcluded' ? event.target : event.url}`
}
