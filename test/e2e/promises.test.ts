/**
 * The promises of PROMISES.md after thirty rehearsed nights: what the servers saw, first; what the
 * ledger says, second; and that both say the same.
 */
import { textIn } from '../../projections/finding.ts'
import { fetchRule } from '../../src/programmes/policy.ts'
import { deepEqual, equal, notDeepEqual, ok } from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { FINDINGS, PROJECTIONS, projectionNamed } from '../../projections/index.ts'
import type { Row } from '../../projections/projection.ts'
import type { AccessLine } from '../../scripts/rehearsal/access-log.ts'
import {
  compareWithLedger,
  type Comparison,
  type LedgerRequest,
} from '../../scripts/rehearsal/compare.ts'
import { pairUp } from '../../scripts/rehearsal/pairing.ts'
import type { Reply } from '../../scripts/rehearsal/reply.ts'
import type { HttpFailure } from '../../src/capture/port.ts'
import { present } from '../../src/kernel/assert.ts'
import { instant } from '../../src/kernel/instant.ts'
import { type Site, siteOfDomain, siteOfHost } from '../../src/kernel/site.ts'
import { type HttpUrl, parseHttpUrl, siteOf } from '../../src/kernel/url.ts'
import type { Recorded } from '../../src/ledger/entry.ts'
import type { EventType } from '../../src/ledger/event.ts'
import { secondReader } from '../../src/robots/second-reader.ts'
import { catchUp } from '../../src/shell/projecting/catch-up.ts'
import { historyOf, type Seen } from '../../src/shell/history.ts'
import { rebuild } from '../../src/shell/projecting/rebuild.ts'
import { right } from '../support/either.ts'
import { contentsOf } from '../support/projecting.ts'
import { ACTS, nightOf, NIGHTS, type Rehearsed, rehearsed } from '../support/rehearsed.ts'
import { durability } from '../support/rehearsal-durability.ts'
import { type Closing, closingsOf, eventsOf, requestsOf } from '../support/rehearsal-requests.ts'
import { piecesOf, tracer } from '../support/rehearsal-traces.ts'

const PAUSE_MS = 5_000
const HOUR_MS = 3_600_000
const NETWORKS: ReadonlySet<string> = new Set(['adnet-one.example', 'adnet-two.example'])
const nights = (from: number, to = NIGHTS): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i)
const ALL_NIGHTS = nights(1)

let r: Rehearsed
let log: readonly AccessLine[]
let requests: readonly LedgerRequest[]
let closings: ReadonlyMap<number, Closing[]>
/** The ledger's request that a line of the access log is. */
let requestOf: ReadonlyMap<AccessLine, LedgerRequest>
let byHost: ReadonlyMap<string, readonly AccessLine[]>

before(async () => {
  r = await rehearsed()
  log = r.web.log()
  requests = requestsOf(r.recorded)
  closings = closingsOf(r.recorded)
  const { exchanges } = pairUp(log, requests)
  requestOf = new Map(
    exchanges.flatMap(({ line, request }) => (line === undefined ? [] : [[line, request]])),
  )
  byHost = Map.groupBy(log, ({ host }) => host)
})

const events = <T extends EventType>(type: T): readonly Recorded<T>[] => eventsOf(r.recorded, type)
const linesOf = (host: string): readonly AccessLine[] => byHost.get(host) ?? []
/** The paths a host was asked for in a night, in order. */
const asked = (host: string, night: number): readonly string[] =>
  linesOf(host)
    .filter(({ at }) => nightOf(at) === night)
    .map(({ path }) => path)
/** The nights in which a host was asked for anything, or for this path. */
const nightsOf = (host: string, path?: string): readonly number[] => [
  ...new Set(
    linesOf(host)
      .filter((line) => path === undefined || line.path === path)
      .map(({ at }) => nightOf(at)),
  ),
]
/** The nights in which somebody connected, also if no request followed. */
const connectedNights = (host: string): readonly number[] =>
  r.web
    .connections()
    .filter((connection) => connection.host === host)
    .map(({ at }) => nightOf(at))
const withheld = (site: string, reason: string): readonly string[] =>
  events('RequestWithheld')
    .filter(({ event }) => siteOf(event.url) === site && event.reason === reason)
    .map(({ event, ts }) => `${nightOf(ts)} ${event.purpose}`)
const isPublisher = ({ host }: AccessLine): boolean => !NETWORKS.has(host)
const everyNight = (host: string, paths: readonly string[], on = ALL_NIGHTS): void => {
  for (const night of on) deepEqual(asked(host, night), paths, `${host}, night ${night}`)
}
const ALL = ['/robots.txt', '/ads.txt', '/']
const FILES = ['/robots.txt', '/ads.txt']

/** The body of a reply as it goes over the wire; undefined where none comes to its end. */
const bodyOf = (reply: Reply): Buffer | undefined =>
  reply.tag === 'answer' ? reply.body : undefined
const headerOf = (reply: Reply, name: string): string | undefined =>
  reply.tag === 'answer' || reply.tag === 'drip'
    ? reply.headers.find(([key]) => key.toLowerCase() === name)?.[1]
    : undefined
const statusOf = (reply: Reply): number | null =>
  reply.tag === 'answer' || reply.tag === 'raw' || reply.tag === 'drip' ? reply.status : null
/** Retry-After as a moment; what it means stands in RFC 9110 §10.2.3. */
const retryAt = (reply: Reply, line: AccessLine): number | undefined => {
  const value = headerOf(reply, 'retry-after')
  if (value === undefined) return undefined
  return /^\d+$/.test(value)
    ? present(line.endedAt, 'ended') + 1_000 * Number(value)
    : Date.parse(value)
}
const url = (text: string): HttpUrl => right(parseHttpUrl(text))

/** What this web's sites are promised beside the pause, by what their robots.txt says. */
const CRAWL_DELAYS: ReadonlyMap<string, number> = new Map([['crawl-delay-30.example', 30_000]])
const comparison = (): Comparison => ({
  log,
  requests,
  connections: r.web.connections(),
  pauseMs: (site) => CRAWL_DELAYS.get(site) ?? PAUSE_MS,
})

describe('the access log against the ledger', () => {
  test('line by line over 30 nights: same requests, same order, nothing extra, never too soon', () => {
    equal(r.reports.length, NIGHTS)
    ok(log.length > 250 * NIGHTS, `only ${log.length} lines: this rehearsal shows nothing`)
    deepEqual(compareWithLedger(comparison()), [])
    equal(requestOf.size, log.length, 'every line is a request of the ledger')
    const unseen = requests.filter(({ outcome }) => outcome === 'failed').length
    ok(log.length + unseen >= requests.length)
    for (const line of log) notDeepEqual(line.endedAt, null)
  })

  describe('a planted fault is reported', () => {
    const kinds = (planted: Partial<Comparison>): readonly string[] => [
      ...new Set(compareWithLedger({ ...comparison(), ...planted }).map(({ kind }) => kind)),
    ]
    /** Two requests to one host in one night, in the middle of the rehearsal. */
    const pair = (): readonly [number, number] => {
      const at = log.findIndex(({ host, at }) => host === 'no-rules.example' && nightOf(at) === 15)
      const next = log.findIndex(({ host }, i) => i > at && host === 'no-rules.example')
      return [at, next]
    }
    const line = (index: number): AccessLine => present(log[index], 'a line')

    test('a line the server does not have', () => {
      deepEqual(kinds({ log: log.toSpliced(pair()[0], 1) }), ['missing'])
    })
    test('a request the ledger does not have', () => {
      const [index] = pair()
      deepEqual(kinds({ log: log.toSpliced(index, 0, { ...line(index) }) }), ['extra'])
      deepEqual(kinds({ requests: requests.filter((one) => one !== requestOf.get(line(index))) }), [
        'extra',
        'connection',
      ])
    })
    test('two requests in the other order', () => {
      const [a, b] = pair()
      const swapped = log
        .with(a, { ...line(b), at: line(a).at, endedAt: line(a).endedAt })
        .with(b, { ...line(a), at: line(b).at, endedAt: line(b).endedAt })
      ok(kinds({ log: swapped }).includes('early'))
      const positions = (index: number): number =>
        present(requestOf.get(line(index)), 'a request').position
      const exchanged = requests.map((one) =>
        one.position === positions(a)
          ? { ...one, position: positions(b) }
          : one.position === positions(b)
            ? { ...one, position: positions(a) }
            : one,
      )
      ok(kinds({ requests: exchanged }).includes('order'))
    })
    test('a request that came before the ledger knew of it', () => {
      const [, index] = pair()
      const { at } = line(index)
      deepEqual(kinds({ log: log.with(index, { ...line(index), at: instant(at - 1) }) }), [
        'early',
        'pause',
      ])
    })
    test('a pause that is one millisecond too short', () => {
      const [, index] = pair()
      const request = present(requestOf.get(line(index)), 'a request')
      const sooner = { ...request, sentAt: request.sentAt - 1 }
      const planted = {
        log: log.with(index, { ...line(index), at: instant(line(index).at - 1) }),
        requests: requests.with(requests.indexOf(request), sooner),
      }
      deepEqual(kinds(planted), ['pause'])
    })
    test('another status, two at once, a connection too many', () => {
      const [index] = pair()
      deepEqual(kinds({ log: log.with(index, { ...line(index), status: 503 }) }), ['status'])
      deepEqual(kinds({ log: log.with(index, { ...line(index), overlapping: true }) }), ['overlap'])
      const [first, ...others] = r.web.connections()
      const connection = present(first, 'a connection')
      deepEqual(kinds({ connections: [connection, connection, ...others] }), ['connection'])
    })
  })
})

test('PR1 a publisher is asked for three paths, and beyond them only where a recorded redirect leads', () => {
  const follows = new Set(
    events('RedirectDecided')
      .filter(({ event }) => event.verdict === 'follow')
      .map(({ event, ts }) => `${nightOf(ts)} ${event.request} ${event.to}`),
  )
  const vias = new Map<number, number | null>(
    events('RequestSent').map(({ position, event }) => [position, event.via]),
  )
  const beyond = log.filter((line) => isPublisher(line) && !ALL.includes(line.path))
  ok(beyond.length > 0)
  for (const line of beyond) {
    const request = present(requestOf.get(line), 'a request')
    ok(follows.has(`${nightOf(line.at)} ${vias.get(request.position)} ${request.url}`), request.url)
    notDeepEqual(request.purpose, 'homepage', `${request.url} lies below the root`)
  }
  for (const { host, path, method, scheme } of log) {
    equal(method, 'GET')
    equal(scheme, 'https', `${host} was asked over plain http`)
    if (NETWORKS.has(host)) ok(['/robots.txt', '/sellers.json'].includes(path), path)
  }
  for (const { url, purpose } of requests)
    if (purpose === 'homepage') equal(new URL(url).pathname + new URL(url).search, '/')
})

test('PR1 a homepage that leads below the root or away is refused, and that is recorded', () => {
  const refusals = (site: string): readonly string[] =>
    events('RedirectDecided')
      .filter(({ event }) => event.subject === site && event.verdict === 'refuse')
      .map(({ ts, event }) => `${nightOf(ts)} ${event.reason} ${event.to}`)
  deepEqual(
    refusals('home-en.example'),
    ALL_NIGHTS.map((night) => `${night} below-root https://home-en.example/en/`),
  )
  deepEqual(
    refusals('home-away.example'),
    ALL_NIGHTS.map((night) => `${night} other-site https://third-party.example/`),
  )
  everyNight('home-en.example', ALL)
  everyNight('home-refresh.example', ALL)
  everyNight('www.home-www.example', ['/robots.txt', '/'])
  for (const host of ['never-asked.example', 'middleman.example', 'third-party.example'])
    deepEqual(connectedNights(host), [], `nobody comes to ${host}`)
})

test('PR1 redirects of ads.txt follow the rules of ads.txt 1.1 §3.1', () => {
  const last = (host: string): string | undefined =>
    events('FetchConcluded')
      .filter(({ event }) => event.subject === host && event.purpose === 'ads-txt')
      .map(({ event }) => `${event.outcome} ${event.because || event.status}`)
      .at(-1)
  everyNight('ads-six-hops.example', [
    '/robots.txt',
    '/ads.txt',
    ...[1, 2, 3, 4, 5].map((hop) => `/ads-${hop}.txt`),
    '/',
  ])
  everyNight('ads-three-hops.example', [
    '/robots.txt',
    '/ads.txt',
    ...[1, 2, 3].map((hop) => `/ads-${hop}.txt`),
    '/',
  ])
  const outcomes = {
    'ads-301.example': 'answered 200',
    'ads-302.example': 'answered 200',
    'ads-307.example': 'answered 200',
    'ads-308.example': 'answered 200',
    'ads-three-hops.example': 'answered 200',
    'ads-six-hops.example': 'redirect-refused too-many-redirects',
    'ads-hosted.example': 'answered 200',
    'ads-two-out.example': 'redirect-refused second-hop-outside',
    'ads-downgrade.example': 'redirect-refused https-to-http',
    'ads-loop.example': 'redirect-refused loop',
    'ads-to-file.example': 'redirect-refused bad-location',
    'ads-to-userinfo.example': 'redirect-refused bad-location',
    'ads-two-locations.example': 'redirect-refused ambiguous-location',
    'ads-no-location.example': 'redirect-refused no-location',
  }
  for (const [host, outcome] of Object.entries(outcomes)) equal(last(host), outcome, host)
  const metadata = requests.filter(({ url }) => siteOf(url as HttpUrl) === '169.254.169.254')
  equal(metadata.length, NIGHTS, 'its robots.txt was wanted every night')
  for (const { position } of metadata) {
    const closing = closings.get(position)?.[0]?.event
    ok(closing?.type === 'RequestFailed')
    deepEqual([closing.reason, closing.remote], ['address-refused', null])
  }
  for (const night of ALL_NIGHTS) {
    const paths = asked('hosted-ads.example', night)
    equal(paths[0], '/robots.txt')
    deepEqual(paths.slice(1).toSorted(), ['/ads-hosted.example/ads.txt', '/onward/ads.txt'])
  }
})

test('PR2 robots.txt comes first, on every host in every night', () => {
  const firsts = new Set<string>()
  for (const line of log) {
    const key = `${nightOf(line.at)} ${line.host}`
    // A robots.txt that has moved is still the robots.txt of the host it was asked from.
    if (present(requestOf.get(line), 'a request').purpose === 'robots') {
      if (line.path === '/robots.txt') firsts.add(key)
      continue
    }
    ok(firsts.has(key), `${line.host}${line.path} before robots.txt in night ${nightOf(line.at)}`)
  }
})

/** Whether what the server served as robots.txt that night allows the homepage; undefined: it says nothing. */
const allowsHomepage = (line: AccessLine): boolean | undefined => {
  const reply = r.replyTo(line)
  const status = statusOf(reply)
  if (status !== null && status >= 400 && status <= 499 && status !== 429) return true
  const body = bodyOf(reply)
  if (status !== 200 || body === undefined) return undefined
  const second = secondReader.answer(body, r.policy.robotsToken, url(`https://${line.host}/`))
  return second.tag === 'Decided' ? second.allowed : undefined
}

test('PR3 the homepage is asked for only where that night’s robots.txt allows it', () => {
  const robotsOf = new Map(
    log
      .filter(({ path }) => path === '/robots.txt')
      .map((line) => [`${nightOf(line.at)} ${line.host}`, line]),
  )
  let decided = 0
  for (const line of log.filter((one) => one.path === '/' && isPublisher(one))) {
    const robots = robotsOf.get(`${nightOf(line.at)} ${line.host}`)
    const allows = allowsHomepage(present(robots, `${line.host} without robots.txt`))
    // Another reader judges the file: robots-parser, where it takes one of that size at all.
    if (line.host !== 'robots-huge.example')
      equal(allows, true, `${line.host} in night ${nightOf(line.at)}`)
    decided += 1
  }
  ok(decided > 60 * NIGHTS)
  for (const host of ['blocks-us', 'blocks-all', 'blocks-root', 'robots-five-hops', 'robots-away'])
    deepEqual(nightsOf(`${host}.example`, '/'), [], host)
  deepEqual(nightsOf('www.home-www-blocked.example', '/'), [])
  for (const host of ['welcomes-us', 'blocks-ads', 'robots-403', 'robots-html'])
    everyNight(`${host}.example`, ALL)
  for (const host of ['blocks-us.example', 'blocks-all.example', 'blocks-root.example'])
    deepEqual(
      withheld(host, 'robots-disallow'),
      ALL_NIGHTS.map((night) => `${night} homepage`),
    )
})

test('PR4 robots.txt and ads.txt are read where robots.txt disallows the site', () => {
  for (const host of ['blocks-us.example', 'blocks-all.example', 'blocks-root.example'])
    everyNight(host, FILES)
  everyNight('blocks-ads.example', ALL)
  const exempt = events('RobotsDecided').filter(
    ({ event }) => event.subject === 'blocks-us.example' && event.purpose === 'ads-txt',
  )
  equal(exempt.length, NIGHTS)
  for (const { event } of exempt) deepEqual([event.verdict, event.basis], ['allow', 'exempt'])
})

test('PR5 each file at most once a night, and never again within 20 hours', () => {
  for (const [address, lines] of Map.groupBy(log, ({ host, path }) => host + path)) {
    const inNights = lines.map(({ at }) => nightOf(at))
    equal(new Set(inNights).size, lines.length, `${address} twice in one night`)
    lines.slice(1).forEach(({ at }, i) => {
      ok(at - present(lines[i], 'the line before').at >= 20 * HOUR_MS, address)
    })
  }
  const shared = linesOf('hosted-ads.example').filter(({ path }) => path === '/robots.txt')
  equal(shared.length, NIGHTS, 'two sites lead to one host: its robots.txt is asked once a night')
})

test('PR6 one request at a time to a site, with the pause after each', () => {
  let pairs = 0
  for (const [site, lines] of Map.groupBy(log, ({ host }) => siteOfHost(host))) {
    lines.slice(1).forEach((line, i) => {
      const earlier = present(lines[i], 'the line before')
      const closed = present(requestOf.get(earlier)?.closedAt, 'closed')
      // A server notices late that a client gave up: then the ledger knows better.
      const ended = Math.min(closed, present(earlier.endedAt, 'ended'))
      ok(line.at - ended >= PAUSE_MS, `${site}: ${earlier.path} and ${line.path} too close`)
      equal(line.overlapping, false, site)
      pairs += 1
    })
  }
  ok(pairs > 200 * NIGHTS)
})

describe('PR7 four failures in a row stop a site for good', () => {
  const stops = (): readonly string[] =>
    events('SiteStopped').map(({ event, ts }) => `${event.site} ${nightOf(ts)}`)

  test('PR7 a site that is down for four nights is never asked again until a person resumes it', () => {
    const { host, after } = ACTS.resumed
    deepEqual(new Set(connectedNights(host)), new Set([...nights(1, 5), ...nights(after + 1)]))
    deepEqual(
      connectedNights(host).filter((night) => night >= 2 && night <= 5),
      [2, 3, 4, 5],
    )
    everyNight(host, ALL, [1, ...nights(after + 1)])
    everyNight(host, [], nights(2, after))
    const stop = present(
      events('SiteStopped').find(({ event }) => event.site === host),
      'a SiteStopped',
    )
    deepEqual(
      stop.event.requests.map((request) => closings.get(request)?.[0]?.event.type),
      Array.from({ length: 4 }, () => 'RequestFailed'),
    )
    deepEqual(withheld(host, 'stopped-after-failures'), [
      '5 ads-txt',
      '5 homepage',
      ...nights(6, after).map((night) => `${night} robots`),
    ])
  })

  test('PR7 so it goes for every kind of not being reached, server errors included', () => {
    deepEqual(stops().toSorted(), [
      'busy-six.example 5',
      'down-four.example 5',
      'refused.example 4',
      'reset.example 4',
      'robots-500.example 4',
      'tls-expired.example 4',
      'tls-wrong-name.example 4',
    ])
    for (const host of ['reset.example', 'tls-expired.example', 'tls-wrong-name.example'])
      deepEqual(connectedNights(host), [1, 2, 3, 4], host)
    deepEqual(nightsOf('robots-500.example'), [1, 2, 3, 4])
    deepEqual(nightsOf('busy-six.example'), [1, 2, 3, 4, 5])
    const refused = requests.filter(({ subject }) => subject === 'refused.example')
    deepEqual(
      refused.map(({ sentAt }) => nightOf(sentAt)),
      [1, 2, 3, 4],
    )
  })

  test('PR7 a site that comes back in time, or goes up and down, is not stopped', () => {
    everyNight('down-three.example', ALL, [1, ...nights(5)])
    everyNight('flapping.example', ALL, [1, 5, ...nights(9)])
    deepEqual(new Set(connectedNights('flapping.example')), new Set(ALL_NIGHTS))
    for (const host of ['ads-500.example', 'home-500.example', 'reset-midway.example'])
      deepEqual(nightsOf(host), ALL_NIGHTS, host)
  })
})

test('PR8 a Crawl-delay is waited in full; over 30 s nothing is asked after robots.txt', () => {
  for (const [host, delayMs] of [
    ['crawl-delay-5.example', 5_000],
    ['crawl-delay-30.example', 30_000],
  ] as const) {
    everyNight(host, ALL)
    const lines = linesOf(host)
    lines.slice(1).forEach(({ at }, i) => {
      ok(at - present(present(lines[i], 'a line').endedAt, 'ended') >= delayMs, host)
    })
  }
  for (const host of ['crawl-delay-31.example', 'crawl-delay-60.example']) {
    everyNight(host, ['/robots.txt'])
    deepEqual(
      withheld(host, 'crawl-delay-too-long'),
      ALL_NIGHTS.flatMap((night) => [`${night} ads-txt`, `${night} homepage`]),
    )
  }
})

test('PR9 after 429 nothing more that night, and Retry-After is waited in full across nights', () => {
  const told = log.filter(
    (line) =>
      line.status === 429 || (line.status === 503 && retryAt(r.replyTo(line), line) !== undefined),
  )
  ok(told.length > 10)
  for (const line of told) {
    const until = retryAt(r.replyTo(line), line) ?? 0
    const site = siteOfHost(line.host)
    const next = log.find((later) => later.at > line.at && siteOfHost(later.host) === site)
    const { at } = present(next, `${site} is asked again`)
    ok(nightOf(at) > nightOf(line.at), `${line.host} again in night ${nightOf(line.at)}`)
    ok(at >= until, `${line.host} before its Retry-After was over`)
  }
  const nextNight = (host: string, after: number): number | undefined =>
    nightsOf(host).find((night) => night > after)
  equal(nextNight('robots-429.example', 2), 3)
  equal(nextNight('robots-429-date.example', 2), 3)
  for (const host of ['robots-429-days.example', 'home-429.example']) {
    ok(!nightsOf(host).includes(3), `${host} asked for two days`)
    everyNight(host, ALL, nights(5))
    ok(withheld(host, 'cooldown').includes('3 robots'))
  }
  deepEqual(asked('ads-429.example', 2), FILES)
  everyNight('ads-429.example', ALL, nights(4))
})

test('PR10 where robots.txt cannot be had, nothing else is asked that night, and the next night begins anew', () => {
  const unreachable = events('RobotsRead').filter(
    ({ event }) => event.access === 'unreachable' && event.because !== '',
  )
  ok(unreachable.length > 60)
  for (const { event, ts } of unreachable) {
    const { hostname } = new URL(event.origin)
    const others = log.filter(
      (line) =>
        line.host === hostname && nightOf(line.at) === nightOf(ts) && line.path !== '/robots.txt',
    )
    // What a chain of redirects passed through is robots.txt too.
    deepEqual(
      others.filter((line) => requestOf.get(line)?.purpose !== 'robots').map(({ path }) => path),
      [],
      `${hostname} in night ${nightOf(ts)}`,
    )
  }
  for (const [host, from, to] of [
    ['robots-503.example', 2, 4],
    ['robots-503-later.example', 2, 4],
    ['robots-silent.example', 2, 3],
    ['robots-reset.example', 2, 3],
    ['robots-429.example', 2, 3],
  ] as const) {
    everyNight(host, ['/robots.txt'], nights(from, to))
    everyNight(host, ALL, [1, ...nights(to + 1)])
  }
  for (const [host, from, to] of [
    ['silent-door.example', 2, 3],
    ['down-three.example', 2, 4],
    ['tls-renewed.example', 2, 3],
  ] as const) {
    const inOutage = connectedNights(host).filter((night) => night >= from && night <= to)
    deepEqual(inOutage, nights(from, to), `${host} is tried once a night`)
    everyNight(host, [], nights(from, to))
    everyNight(host, ALL, [1, ...nights(to + 1)])
  }
})

test('PR11 robots.txt, ads.txt and sellers.json are kept byte for byte as served', async () => {
  const seen: (readonly [Reply, Buffer])[] = []
  for (const [line, { position }] of requestOf) {
    const closing = closings.get(position)?.[0]?.event
    if (closing?.type !== 'ResponseReceived' || closing.purpose === 'homepage') continue
    const { body, purpose } = closing
    ok(body.kept, `${line.host}${line.path} was answered and not kept`)
    const reply = r.replyTo(line)
    const sent = present(bodyOf(reply), `${line.host}${line.path}: a body`)
    const stored = right(await r.opened.bodies.get(body.commit)())
    const limit = fetchRule(r.policy, purpose).maxBytes
    ok(stored.equals(sent.subarray(0, limit)), `${line.host}${line.path}: other bytes`)
    deepEqual([body.truncated, body.bytes], [sent.length > limit, stored.length])
    seen.push([reply, stored])
  }
  const count = (is: (reply: Reply, stored: Buffer) => boolean): number =>
    seen.filter(([reply, stored]) => is(reply, stored)).length
  ok(seen.length > 200 * NIGHTS)
  const isCut = (reply: Reply, stored: Buffer): boolean =>
    (bodyOf(reply)?.length ?? 0) > stored.length
  equal(count(isCut), 2 * NIGHTS, 'robots-huge and ads-huge are cut')
  ok(count((reply) => headerOf(reply, 'content-encoding') !== undefined) >= 3 * NIGHTS)
  ok(count((reply) => [301, 302, 307, 308].includes(statusOf(reply) ?? 0)) >= 10 * NIGHTS)
  ok(count((_, stored) => stored.length === 0) >= 2 * NIGHTS, 'empty ones too')
})

describe('PR12 the homepage is never kept', () => {
  /** So long a piece of a secret is nowhere by chance, and so long a one of a digest. */
  const SECRET_PIECE = 12
  const DIGEST_PIECE = 16
  const encodings = (bytes: Buffer): readonly Buffer[] => [
    bytes,
    Buffer.from(bytes.toString('hex')),
    // The three ways in which base64 can cut the bytes.
    ...[0, 1, 2].map((at) => Buffer.from(bytes.subarray(at).toString('base64'))),
  ]
  /** The homepages of the first night and the last: as served, as far as read, and decoded. */
  const homepages = (): readonly Buffer[] =>
    log
      .filter((line) => requestOf.get(line)?.purpose === 'homepage')
      .filter(({ at }) => [1, NIGHTS].includes(nightOf(at)))
      .map((line) => r.replyTo(line))
      .flatMap((reply) => {
        const body = bodyOf(reply)
        if (body === undefined || body.length === 0) return []
        const read = body.subarray(0, fetchRule(r.policy, 'homepage').maxBytes)
        const isGzip = headerOf(reply, 'content-encoding') === 'gzip'
        return [body, read, ...(isGzip ? [gunzipSync(body)] : [])]
      })
  const digestsOf = (body: Buffer): readonly Buffer[] =>
    ['sha256', 'sha1', 'md5'].map((algorithm) => createHash(algorithm).update(body).digest())
  /** All pieces of a secret; of what is longer or written in another way, enough to notice it. */
  const forbidden = (): readonly Buffer[] => {
    const secrets = r.web.secrets.map((secret) => Buffer.from(secret))
    return [
      ...secrets.flatMap((secret) => piecesOf(secret, SECRET_PIECE)),
      ...[...secrets, ...homepages().flatMap(digestsOf)]
        .flatMap(encodings)
        .flatMap((bytes) => piecesOf(bytes, DIGEST_PIECE, DIGEST_PIECE)),
    ]
  }

  test('PR12 no piece of a homepage’s secret, nor of a digest of its body, stands in any file', async () => {
    const told = homepages().filter((body) => r.web.secrets.some((secret) => body.includes(secret)))
    ok(told.length > 100, 'the secrets were told')
    const { traces, bytes } = await tracer(forbidden()).inDirectory(r.data)
    deepEqual(traces, [])
    ok(bytes > 100_000_000, 'bodies, tables, write-ahead log: all of it was read')
    const served = present(
      bodyOf(r.replyTo(present(linesOf('no-rules.example')[1], 'ads.txt'))),
      '',
    )
    const piece = served.subarray(served.length - 20)
    const control = await tracer([piece]).inDirectory(r.data)
    ok(control.traces.length > 0, 'the same search finds what is kept')
  })

  test('PR12 nor in any row, state or entry, however the database packs it', async () => {
    const search = tracer(forbidden())
    const found = (text: string): string | undefined =>
      search.inBytes(Buffer.from(text))?.toString('latin1')
    for (const { event } of r.recorded) equal(found(JSON.stringify(event)), undefined)
    for (const projection of PROJECTIONS) {
      const { states, rows } = await contentsOf(r.opened.store, projection)
      for (const text of [...states.map((state) => JSON.stringify(state)), ...rows])
        equal(found(text), undefined)
    }
  })

  test('PR12 its event carries no header derived from the body, its observation a few host names', () => {
    const answers = events('ResponseReceived').filter(({ event }) => event.purpose === 'homepage')
    ok(answers.length > 70 * NIGHTS)
    for (const { event } of answers) {
      deepEqual(event.body, { kept: false, reason: 'discarded-by-policy' })
      for (const [name, value] of event.headers) {
        const derived = /etag|length|digest|md5|range|last-modified|^link$/i.test(name)
        ok(!derived, `${event.url}: ${name}`)
        if (/cookie/i.test(name)) equal(value, '(not recorded)')
      }
    }
    for (const { event } of events('NetworkObserved')) {
      const said = JSON.stringify([event.manager, event.exchange, event.hosts])
      ok(said.length <= 200, said)
      for (const host of event.hosts) notDeepEqual(siteOfDomain(host), undefined)
    }
  })
})

test('PR13 every request carries the same five headers and nothing about anybody', () => {
  const cookies = log.filter((line) => headerOf(r.replyTo(line), 'set-cookie') !== undefined)
  ok(cookies.length > 50 * NIGHTS, 'cookies were offered')
  const accept = new Map([
    ['robots', 'text/plain, */*;q=0.1'],
    ['ads-txt', 'text/plain, */*;q=0.1'],
    ['sellers-json', 'application/json, */*;q=0.1'],
    ['homepage', 'text/html, application/xhtml+xml;q=0.9, */*;q=0.1'],
  ])
  const agent = 'PlainReckonerBot/1.0 (+mailto:contact@plainreckoner.com)'
  for (const line of log) {
    const { purpose } = present(requestOf.get(line), 'a request')
    deepEqual(line.headers, [
      ['host', line.host],
      ['connection', 'close'],
      ['user-agent', agent],
      ['accept', accept.get(purpose)],
      ['accept-encoding', 'gzip, br'],
    ])
    ok(!line.path.includes('?'), line.path)
  }
})

test('PR14 a group for the agent that says Disallow: / stops page reading in the same night', () => {
  everyNight('shuts-the-door.example', FILES, nights(4, 7))
  everyNight('shuts-the-door.example', ALL, [...nights(1, 3), ...nights(8)])
  deepEqual(
    withheld('shuts-the-door.example', 'robots-disallow'),
    nights(4, 7).map((night) => `${night} homepage`),
  )
  const rulings = events('RobotsDecided').filter(
    ({ event }) => event.subject === 'shuts-the-door.example' && event.verdict === 'deny',
  )
  for (const { event } of rulings) {
    deepEqual(
      event.group.map((token) => token.toLowerCase()),
      ['plainreckonerbot'],
    )
    deepEqual(event.rule, { line: 2, text: 'Disallow: /', verdict: 'disallow' })
  }
})

describe('PR15 a person’s exclusion holds until a person lifts it', () => {
  const positionOf = (type: 'SiteExcluded' | 'SiteReadmitted', host: string): number =>
    present(
      events(type).find(({ event }) => event.site === host),
      type,
    ).position

  test('PR15 nothing automated undoes it: not a new listing, a rebuild, a new policy, a restart', () => {
    const { host, excludedAfter, readmittedAfter } = ACTS.leaver
    deepEqual(
      new Set(connectedNights(host)),
      new Set([...nights(1, excludedAfter), ...nights(readmittedAfter + 1)]),
    )
    everyNight(host, ALL, [...nights(1, excludedAfter), ...nights(readmittedAfter + 1)])
    const out = positionOf('SiteExcluded', host)
    const back = positionOf('SiteReadmitted', host)
    const between = r.recorded.filter(({ position }) => position > out && position < back)
    equal(eventsOf(between, 'ProgrammeAdopted').length, 1, 'the policy was loaded anew meanwhile')
    deepEqual(
      eventsOf(between, 'SiteListed').filter(({ event }) => event.site === host),
      [],
    )
    const relisted = events('SiteListed').filter(({ event }) => event.site === host)
    deepEqual(
      relisted.map(({ event }) => event.namedBy.map(({ source }) => source)),
      [['adnet-one'], ['adnet-two']],
    )
    // Dropped by one network after night 11 and named by the other from night 14 on.
    deepEqual(
      withheld(host, 'excluded'),
      [...nights(9, 11), ...nights(14, 20)].map((night) => `${night} robots`),
    )
  })

  test('PR15 it holds from the moment of the act, between two requests of one night', () => {
    const { host, duringNight } = ACTS.abrupt
    everyNight(host, ALL, nights(1, duringNight - 1))
    everyNight(host, ['/robots.txt'], [duringNight])
    everyNight(host, [], nights(duringNight + 1))
    equal(new Set(connectedNights(host)).size, duringNight)
    const excluded = positionOf('SiteExcluded', host)
    const after = requests.filter(
      ({ position, subject }) => subject === host && position > excluded,
    )
    deepEqual(after, [])
    const open = present(
      requests.findLast(({ subject }) => subject === host),
      'its last request',
    )
    const closing = present(closings.get(open.position)?.[0], 'its closing event')
    ok(open.position < excluded && excluded < closing.position, 'it fell into an open request')
  })
})

test('PR16 every publisher that was asked is traced to the seller entries that named it', async () => {
  const listed = events('SiteListed')
  const bodies = new Map<number, { readonly sellers: readonly Record<string, unknown>[] }>()
  const sellersOf = async (request: number) => {
    const known = bodies.get(request)
    if (known !== undefined) return known
    const closing = closings.get(request)?.[0]?.event
    ok(closing?.type === 'ResponseReceived' && closing.body.kept, 'a kept sellers.json')
    ok(NETWORKS.has(siteOf(closing.url)) && new URL(closing.url).pathname === '/sellers.json')
    const body = right(await r.opened.bodies.get(closing.body.commit)())
    const read = JSON.parse(body.toString('utf8')) as { sellers: Record<string, unknown>[] }
    bodies.set(request, read)
    return read
  }
  for (const { event, position } of listed) {
    equal(event.namings, event.namedBy.length)
    for (const { request, index, sellerId, domain } of event.namedBy) {
      ok(request < position)
      const entry = present((await sellersOf(request)).sellers[index], `entry ${index}`)
      deepEqual([entry['seller_id'], String(entry['domain']).toLowerCase()], [sellerId, domain])
      ok(['PUBLISHER', 'BOTH'].includes(String(entry['seller_type'])))
      equal(siteOfDomain(domain), event.site)
    }
  }
  const since = new Map(listed.toReversed().map(({ event, position }) => [event.site, position]))
  for (const line of log.filter(isPublisher)) {
    const { subject, position } = present(requestOf.get(line), 'a request')
    if (NETWORKS.has(subject)) continue
    const naming = present(since.get(subject as Site), `${subject} is on the list`)
    ok(naming < position, `${subject} was asked before it was listed`)
  }
  const spelled = (site: string): readonly string[] =>
    present(
      listed.find(({ event }) => event.site === site),
      site,
    ).event.namedBy.map(({ domain }) => domain)
  deepEqual(spelled('by-subdomain.example'), ['news.by-subdomain.example'])
  deepEqual(spelled('shouted-name.example'), ['shouted-name.example'])
  equal(spelled('in-both-lists.example').length, 3)
  deepEqual(nightsOf('joins-late.example'), nights(3))
  deepEqual(nightsOf('leaves-the-list.example'), nights(1, 5))
})

const rowsOf = async (name: string): Promise<readonly Row[]> => {
  const projection = present(projectionNamed(name), name)
  right(await catchUp(r.opened)(projection)())
  return (await contentsOf(r.opened.store, projection)).rows.map((row) => JSON.parse(row) as Row)
}

describe('PR17 what can be published stands in the ledger with its date and its captures', () => {
  const historyFor = async (site: string, file: 'ads.txt' | 'robots.txt') => {
    const all: Seen[] = []
    for await (const seen of historyOf(r.opened, siteOfHost(site), file)) all.push(seen)
    return all
  }
  const changes = async (site: string, file: 'ads.txt' | 'robots.txt') =>
    (await historyFor(site, file))
      .filter(({ change }) => change === 'first' || change === 'changed')
      .map(({ at }) => nightOf(at))

  test('PR17 each change of a file, in the night it came, with the bytes before and after', async () => {
    deepEqual(await changes('no-rules.example', 'ads.txt'), [1])
    deepEqual(await changes('line-breaks.example', 'ads.txt'), [1, 3, 6])
    deepEqual(await changes('turns-reseller.example', 'ads.txt'), [1, 4])
    deepEqual(await changes('shuts-the-door.example', 'robots.txt'), [1, 4, 8])
    const seen = await historyFor('line-breaks.example', 'ads.txt')
    equal(seen.length, NIGHTS)
    const textAt = async (night: number): Promise<string> => {
      const one = present(
        seen.find(({ at }) => nightOf(at) === night),
        'seen that night',
      )
      const closing = closings.get(present(one.request, 'a request'))?.[0]?.event
      ok(closing?.type === 'ResponseReceived' && closing.body.kept)
      return right(await r.opened.bodies.get(closing.body.commit)()).toString('utf8')
    }
    const [whole, broken] = [await textAt(2), await textAt(3)]
    deepEqual(await textAt(6), whole)
    const line = (text: string): string => present(text.split('\n')[2], 'the third line')
    equal(line(whole).replace(',', ''), line(broken))
  })

  test('PR17 an ads.txt that vanished, and came back', async () => {
    const seen = await historyFor('file-vanishes.example', 'ads.txt')
    const outcomes = Map.groupBy(seen, ({ outcome }) => outcome)
    deepEqual(
      [...outcomes].map(([outcome, those]) => [outcome, those.map(({ at }) => nightOf(at))]),
      [
        ['answered (200)', [1, 2, ...nights(6)]],
        ['answered (404)', [3, 4, 5]],
      ],
    )
  })

  test('PR17 the ad network of a homepage, and the night it was another', () => {
    const managers = events('NetworkObserved')
      .filter(({ event }) => event.subject === 'changes-manager.example')
      .map(({ event, ts }) => [nightOf(ts), event.manager])
    deepEqual(
      managers,
      ALL_NIGHTS.map((night) => [night, night < 5 ? 'mediavine' : 'raptive']),
    )
  })

  test('PR17 a seller entry that disappeared, in two captures of the network’s file', async () => {
    const sellers = async (night: number): Promise<string> => {
      const line = present(
        linesOf('adnet-two.example').find(
          ({ path, at }) => path === '/sellers.json' && nightOf(at) === night,
        ),
        'a line',
      )
      const closing = closings.get(present(requestOf.get(line), 'a request').position)?.[0]?.event
      ok(closing?.type === 'ResponseReceived' && closing.body.kept)
      return right(await r.opened.bodies.get(closing.body.commit)()).toString('utf8')
    }
    ok((await sellers(5)).includes('leaves-the-list.example'))
    ok(!(await sellers(6)).includes('leaves-the-list.example'))
    // An error of the network says nothing about who is listed: the last good file counts.
    deepEqual(nightsOf('both-roles.example'), ALL_NIGHTS)
  })

  test('PR17 the findings of all nights: each once, with its method and both captures', async () => {
    const rows = await Promise.all(FINDINGS.map(({ name }) => rowsOf(name)))
    const found = rows.flat().sort((a, b) => a.position - b.position)
    const told = found.map((row) => {
      const night = String(nightAt(row['at'])).padStart(2, '0')
      return `${night} ${textIn(row, 'kind')} ${textIn(row, 'concerns') || textIn(row, 'site')}`
    })
    // Sites are visited beside each other: within a night the order is nobody's promise.
    deepEqual(told.sort(), [
      '03 ads-txt-record-broke line-breaks.example',
      '03 ads-txt-state file-vanishes.example',
      '03 seller-appeared joins-late.example',
      '04 ads-txt-relationship turns-reseller.example',
      '04 robots-blocks shuts-the-door.example',
      '05 network-changed changes-manager.example',
      '06 ads-txt-fault-gone line-breaks.example',
      '06 ads-txt-record-added line-breaks.example',
      '06 ads-txt-state file-vanishes.example',
      '06 seller-disappeared leaves-the-list.example',
      '08 robots-unblocks shuts-the-door.example',
      '12 seller-disappeared asks-to-leave.example',
      '14 seller-appeared asks-to-leave.example',
    ])
    const conclusions = new Set(['RobotsRead', 'FetchConcluded', 'NetworkObserved'])
    for (const row of found) {
      ok(textIn(row, 'method').includes('@'))
      for (const position of [row['before_position'], row.position]) {
        const cited = present(r.recorded[Number(position) - 1], 'an event')
        ok(cited.position === position && conclusions.has(cited.event.type))
      }
      ok(Number(row['before_position']) < row.position)
    }
  })

  test('PR17 the projections name the state, since when, and the capture it rests on', async () => {
    const ads = new Map((await rowsOf('ads-txt-state')).map((row) => [row['site'], row]))
    const stateOf = (site: string) => [
      ads.get(site)?.['state'],
      nightAt(ads.get(site)?.['since_at']),
    ]
    deepEqual(stateOf('no-rules.example'), ['ok', 1])
    deepEqual(stateOf('file-vanishes.example'), ['ok', 6])
    equal(nightAt(ads.get('turns-reseller.example')?.['changed_at']), 4)
    const robots = new Map((await rowsOf('robots-state')).map((row) => [row['origin'], row]))
    const back = present(robots.get('https://robots-503.example'), 'a row')
    deepEqual(
      [back['access'], nightAt(back['since_at']), back['previous_access']],
      ['rules', 5, 'unreachable'],
    )
  })

  const nightAt = (cell: unknown): number => nightOf(Date.parse(String(cell)))

  test('PR17 counts of every night, equal to what the servers counted', async () => {
    const runs = await rowsOf('run-summary')
    const nightly = runs.filter((row) => row['status'] !== 'running')
    equal(nightly.length, NIGHTS)
    for (const row of nightly) {
      const night = nightAt(row['started_at'])
      const lines = log.filter(({ at }) => nightOf(at) === night)
      equal(row['responses'], lines.filter((line) => isAnswered(line)).length)
      equal(row['requests'], requests.filter(({ sentAt }) => nightOf(sentAt) === night).length)
      equal(row['status'], 'completed')
    }
  })
  const isAnswered = (line: AccessLine): boolean => requestOf.get(line)?.outcome === 'response'
})

describe('CL1 everything is an event, durable before the next step', () => {
  test('CL1 RequestSent is durable before the request leaves, and stands before its closing event', () => {
    deepEqual(r.unwritten, [])
    for (const [line, { position, sentAt }] of requestOf) {
      ok(sentAt <= line.at)
      const [closing, ...others] = closings.get(position) ?? []
      ok(closing !== undefined && others.length === 0, 'exactly one closing event')
      ok(position < closing.position)
    }
    equal(closings.size, requests.length)
  })

  test('CL1 a request that left before its RequestSent was durable would have been noticed', async () => {
    const unwritten: string[] = []
    const early = durability(r.opened.ledger).watch(async () => failure, unwritten)
    const limits = { totalMs: 1, connectMs: 1, bodyBytes: 1 }
    await early({ url: url('https://no-rules.example/'), headers: [], limits })
    deepEqual(unwritten, ['https://no-rules.example/'])
  })
  const failure: HttpFailure = {
    tag: 'Failure',
    reason: 'other',
    code: '',
    remote: null,
    timing: { connectMs: null, firstByteMs: null, totalMs: 0 },
  }

  test('CL1 the decision stands before the request, the redirect before the next hop', () => {
    const positions = new Map(r.recorded.map((one) => [one.position, one.event]))
    const follows = new Map(
      events('RedirectDecided').map(({ event, position }) => [event.request, { event, position }]),
    )
    let hops = 0
    for (const { event, position } of events('RequestSent')) {
      const decision = positions.get(event.decision)
      ok(event.decision < position && decision?.type === 'RobotsDecided')
      deepEqual([decision.url, decision.verdict], [event.url, 'allow'])
      if (event.via === null) continue
      const led = present(follows.get(event.via), 'a RedirectDecided')
      ok(led.position < event.decision && led.event.to === event.url)
      hops += 1
    }
    ok(hops > 10 * NIGHTS)
  })

  test('CL1 positions and times never go back, request numbers have no gap, counts are those of the events', () => {
    let before = { position: 0, ts: 0 }
    for (const { position, ts } of r.recorded) {
      equal(position, before.position + 1)
      ok(ts >= before.ts)
      before = { position, ts }
    }
    const byRun = Map.groupBy(r.recorded, ({ run }) => run)
    const ends = events('RunEnded')
    equal(ends.length, NIGHTS)
    for (const { run, event } of ends) {
      const own = present(byRun.get(run), run)
      const numbers = eventsOf(own, 'RequestSent').map((sent) => sent.event.n)
      deepEqual(
        numbers,
        numbers.map((_, i) => i + 1),
      )
      deepEqual(
        [event.requests, event.responses, event.failures, event.abandoned, event.withheld],
        [
          numbers.length,
          eventsOf(own, 'ResponseReceived').length,
          eventsOf(own, 'RequestFailed').length,
          0,
          eventsOf(own, 'RequestWithheld').length,
        ],
      )
    }
  })

  test('CL1 a file that two sites lead to is asked once, and neither takes it for interrupted', () => {
    const cut = r.recorded.filter(
      ({ event }) =>
        (event.type === 'FetchConcluded' && event.outcome === 'interrupted') ||
        (event.type === 'RobotsRead' && /interrupted/.test(event.because)),
    )
    deepEqual(cut, [])
  })
})

test('CL2 request-log is the access log, and site-cooldown what each site is owed', async () => {
  const rows = await rowsOf('request-log')
  equal(rows.length, requests.length)
  const byRequest = new Map(rows.map((row) => [row['request'], row]))
  for (const [line, { position }] of requestOf) {
    const row = present(byRequest.get(position), 'a row')
    equal(row['url'], `https://${line.host}${line.path}`)
    if (row['outcome'] === 'response') equal(row['status'], line.status)
  }
  const sites = new Map((await rowsOf('site-cooldown')).map((row) => [row['site'], row]))
  const excluded = [...sites].filter(([, row]) => row['excluded'] === true).map(([site]) => site)
  deepEqual(excluded, [ACTS.abrupt.host])
  const stopped = [...sites]
    .filter(([, row]) => Array.isArray(row['stopped']) && row['stopped'].length > 0)
    .map(([site]) => site)
  equal(stopped.length, 6, 'seven were stopped, one was resumed')
  for (const [, row] of sites) equal(row['open_request'], null, 'no site is stuck')
})

test('CL5 every projection rebuilt from history equals the one kept up to date, and nobody is asked', async () => {
  equal(r.linesAroundRebuild[0], r.linesAroundRebuild[1])
  const connectionsBefore = r.web.connections().length
  for (const projection of PROJECTIONS) {
    right(await catchUp(r.opened)(projection)())
    const kept = await contentsOf(r.opened.store, projection)
    ok(kept.rows.length > 0, projection.name)
    const { live, before } = right(await rebuild(r.opened)(projection)())
    notDeepEqual(live.generation, before?.generation)
    deepEqual(await contentsOf(r.opened.store, projection), kept, projection.name)
  }
  equal(r.web.log().length, log.length)
  equal(r.web.connections().length, connectionsBefore)
})
