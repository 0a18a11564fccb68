/**
 * The servers' access logs against the ledger: did the ledger write down every request, each before
 * it was made, and were the requests made as promised? Pure; both sides use the rehearsal's clock.
 */
import { siteOfHost, type Site } from '../../src/kernel/site.ts'
import type { AccessLine, ConnectionLine } from './access-log.ts'
import { type Difference, difference } from './difference.ts'
import { type Exchange, type LedgerRequest, pairUp } from './pairing.ts'

export type { Difference } from './difference.ts'
export type { LedgerRequest } from './pairing.ts'

export type Comparison = {
  readonly log: readonly AccessLine[]
  readonly requests: readonly LedgerRequest[]
  /** Left out: connections are not compared. */
  readonly connections?: readonly ConnectionLine[]
  /** The shortest pause promised between the end of `earlier` and the start of `later`. */
  readonly pauseMs?: (site: Site, earlier: LedgerRequest, later: LedgerRequest) => number
}

/** Everything in which the two differ, nothing if they agree. */
export const compareWithLedger = (comparison: Comparison): readonly Difference[] => {
  const { log, connections } = comparison
  const requests = [...comparison.requests].sort((a, b) => a.position - b.position)
  const { exchanges, unexplained } = pairUp(log, requests)
  return [
    ...unexplained,
    ...exchanges.flatMap(missingOrOther),
    ...orderOf(log, exchanges),
    ...log.flatMap(overlapSeen),
    ...bySite(exchanges).flatMap(([site, ofSite]) => spacing(site, ofSite, comparison.pauseMs)),
    ...(connections === undefined ? [] : surplus(connections, requests)),
  ]
}

const inLedger = ({ position, url }: LedgerRequest): string => `${url} (position ${position})`

const missingOrOther = ({ request, line }: Exchange): readonly Difference[] => {
  if (request.outcome !== 'response') return []
  if (line === undefined)
    return [difference('missing', `${inLedger(request)} was answered, but no server saw it`)]
  if (line.status === request.status) return []
  const said = `the ledger says ${request.status}, the server sent ${line.status}`
  return [difference('status', `${inLedger(request)}: ${said}`)]
}

/** Per host, in the order of arrival: positions must grow. */
const orderOf = (
  log: readonly AccessLine[],
  exchanges: readonly Exchange[],
): readonly Difference[] => {
  const requestOf = new Map(exchanges.map(({ line, request }) => [line, request]))
  const last = new Map<string, LedgerRequest>()
  return log.flatMap((line) => {
    const request = requestOf.get(line)
    if (request === undefined) return []
    const before = last.get(line.host)
    last.set(line.host, request)
    return before === undefined || before.position < request.position
      ? []
      : [difference('order', `${line.host} saw ${inLedger(before)} before ${inLedger(request)}`)]
  })
}

const overlapSeen = ({ overlapping, host, path, at }: AccessLine): readonly Difference[] =>
  overlapping
    ? [
        difference(
          'overlap',
          `${host}${path} at ${new Date(at).toISOString()}: another request to the site was open`,
        ),
      ]
    : []

const bySite = (exchanges: readonly Exchange[]): readonly (readonly [Site, Exchange[]])[] => [
  ...Map.groupBy(exchanges, ({ request }) => siteOfHost(new URL(request.url).hostname)),
]

/** One request after another, each pair of neighbours: the earlier is over, and long enough ago. */
const spacing = (
  site: Site,
  exchanges: readonly Exchange[],
  pauseMs: Comparison['pauseMs'],
): readonly Difference[] =>
  exchanges.slice(1).flatMap((later, index) => {
    const earlier = exchanges[index]
    if (earlier === undefined) return []
    const [a, b] = [earlier.request, later.request]
    const pair = `${site}: ${inLedger(a)} and ${inLedger(b)}`
    if (a.closedAt !== null && b.sentAt < a.closedAt)
      return [difference('overlap', `${pair} were open at once`)]
    const promised = pauseMs?.(site, a, b) ?? 0
    const pause = startOf(later) - endOf(earlier)
    return pause < promised
      ? [difference('pause', `${pair}: ${pause} ms between them, ${promised} ms promised`)]
      : []
  })

const startOf = ({ request, line }: Exchange): number => line?.at ?? request.sentAt

/**
 * Neither side sees the true end: a server notices late that a client has gone, and the closing
 * event comes after the last byte. The true end is not after either of them.
 */
const endOf = ({ request, line }: Exchange): number => {
  const ends = [request.closedAt, line?.endedAt].filter((end) => typeof end === 'number')
  return ends.length === 0 ? request.sentAt : Math.min(...ends)
}

const surplus = (
  connections: readonly ConnectionLine[],
  requests: readonly LedgerRequest[],
): readonly Difference[] => {
  const asked = Map.groupBy(requests, ({ url }) => new URL(url).hostname)
  return [...Map.groupBy(connections, ({ host }) => host)].flatMap(([host, taken]) => {
    const recorded = asked.get(host)?.length ?? 0
    return taken.length > recorded
      ? [difference('connection', `${host}: ${taken.length} connections, ${recorded} requests`)]
      : []
  })
}
