import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { AccessLine, ConnectionLine } from '../../../../scripts/rehearsal/access-log.ts'
import {
  compareWithLedger,
  type Comparison,
  type LedgerRequest,
} from '../../../../scripts/rehearsal/compare.ts'
import { instant } from '../../../../src/kernel/instant.ts'

const START = Date.UTC(2031, 0, 1, 1)
const PAUSE_MS = 5_000

type Ask = { readonly at: number; readonly url: string; readonly status: number | null }

const requestOf = ({ at, url, status }: Ask, position: number): LedgerRequest => ({
  position,
  sentAt: START + at,
  closedAt: START + at + 20,
  outcome: status === null ? 'failed' : 'response',
  url,
  subject: new URL(url).hostname,
  purpose: 'ads-txt',
  status,
})

const lineOf = ({ at, url, status }: Ask, connection: number): AccessLine => {
  const { protocol, hostname, pathname } = new URL(url)
  return {
    at: instant(START + at + 5),
    endedAt: instant(START + at + 10),
    host: hostname,
    scheme: protocol === 'https:' ? 'https' : 'http',
    port: 40_000,
    method: 'GET',
    path: pathname,
    httpVersion: '1.1',
    headers: [['Host', hostname]],
    status,
    connection,
    overlapping: false,
  }
}

const connectionOf = ({ at, host, scheme, port, connection }: AccessLine): ConnectionLine => ({
  serial: connection,
  at,
  host,
  scheme,
  port,
  requests: 1,
})

/** Two sites on two nights, a host below one of them, one request that got no answer. */
const ASKS: readonly Ask[] = [
  { at: 0, url: 'https://a.example/robots.txt', status: 200 },
  { at: 0, url: 'https://b.example/robots.txt', status: 404 },
  { at: 6_000, url: 'https://a.example/ads.txt', status: 301 },
  { at: 6_000, url: 'https://b.example/ads.txt', status: null },
  { at: 12_000, url: 'https://www.a.example/robots.txt', status: 200 },
  { at: 18_000, url: 'https://www.a.example/ads.txt', status: 200 },
  { at: 86_400_000, url: 'https://a.example/robots.txt', status: 200 },
  { at: 86_406_000, url: 'https://a.example/ads.txt', status: 200 },
]

const good = () => {
  const log = ASKS.map((ask, index) => lineOf(ask, index + 1))
  const requests = ASKS.map((ask, index) => requestOf(ask, 10 * (index + 1)))
  return { log, requests, connections: log.map(connectionOf), pauseMs: () => PAUSE_MS }
}

const kinds = (comparison: Comparison): readonly string[] =>
  compareWithLedger(comparison).map(({ kind }) => kind)

/** A copy with the item at `index` changed, or left out. */
const changed = <A>(items: readonly A[], index: number, change: Partial<A> | undefined): A[] =>
  items.flatMap((item, i) =>
    i === index ? (change === undefined ? [] : [{ ...item, ...change }]) : [item],
  )

test('an access log and a ledger that agree differ in nothing, whatever order the ledger comes in', () => {
  deepEqual(compareWithLedger(good()), [])
  deepEqual(compareWithLedger({ ...good(), requests: good().requests.toReversed() }), [])
})

test('CL1 a request that the ledger does not have is extra, though the next night has one like it', () => {
  const { log, requests, pauseMs } = good()
  const found = compareWithLedger({ log, requests: changed(requests, 0, undefined), pauseMs })
  deepEqual(
    found.map(({ kind }) => kind),
    ['extra'],
  )
  equal(
    found[0]?.words,
    'GET https://a.example/robots.txt at 2031-01-01T01:00:00.005Z: the ledger has no such request',
  )
})

test('PR1 a path that nobody decided to ask for is extra', () => {
  const { log, requests } = good()
  const stray = lineOf({ at: 30_000, url: 'https://a.example/style.css', status: 200 }, 99)
  deepEqual(kinds({ log: [...log, stray], requests }), ['extra'])
})

test('a second request where the ledger has one is extra', () => {
  const { log, requests } = good()
  const again = log.slice(0, 1).map((line) => ({ ...line, connection: 99 }))
  deepEqual(kinds({ log: [...log, ...again], requests }), ['extra'])
})

test('a line after the closing event of a request is not that request', () => {
  const { log, requests } = good()
  const unseen = changed(log, 3, undefined)
  const stray = lineOf({ at: 30_000, url: 'https://b.example/ads.txt', status: null }, 99)
  deepEqual(kinds({ log: [...unseen, stray], requests }), ['extra'])
})

test('a request over http where the ledger has https is extra, and the other is missing', () => {
  const { log, requests } = good()
  deepEqual(kinds({ log: changed(log, 2, { scheme: 'http' }), requests }), ['extra', 'missing'])
})

test('CL1 a request that a server saw before its RequestSent came early', () => {
  const { log, requests } = good()
  const late = changed(requests, 7, { sentAt: START + 86_406_006 })
  deepEqual(kinds({ log, requests: late }), ['early'])
})

test('an answer that no server gave is missing', () => {
  const { log, requests } = good()
  const found = compareWithLedger({ log: changed(log, 4, undefined), requests })
  deepEqual(
    found.map(({ words }) => words),
    ['https://www.a.example/robots.txt (position 50) was answered, but no server saw it'],
  )
})

test('a request without an answer need not have reached a server', () => {
  const { log, requests } = good()
  deepEqual(kinds({ log: changed(log, 3, undefined), requests }), [])
  const abandoned = changed(requests, 3, { outcome: 'abandoned', closedAt: null })
  deepEqual(kinds({ log: changed(log, 3, undefined), requests: abandoned }), [])
})

test('a line pairs with the answered one of two requests for the same address', () => {
  const twice: readonly Ask[] = [
    { at: 0, url: 'https://a.example/', status: null },
    { at: 6_000, url: 'https://a.example/', status: 200 },
  ]
  const log = twice.slice(1).map(lineOf)
  const requests = twice.map(requestOf)
  deepEqual(kinds({ log, requests }), [])
  const stillOpen = changed(requests, 0, { closedAt: null, outcome: 'abandoned' })
  deepEqual(kinds({ log, requests: stillOpen }), [])
})

test('another status than the one the server sent is a difference', () => {
  const { log, requests } = good()
  deepEqual(kinds({ log, requests: changed(requests, 1, { status: 200 }) }), ['status'])
  deepEqual(kinds({ log: changed(log, 1, { status: null }), requests }), ['status'])
})

test('two requests that a host saw in another order than the ledger are out of order', () => {
  const { log, requests } = good()
  const swapped = changed(changed(requests, 4, { position: 60 }), 5, { position: 50 })
  deepEqual(kinds({ log, requests: swapped }).includes('order'), true)
  const [first, second, ...others] = log
  deepEqual(kinds({ log: first && second ? [second, first, ...others] : [], requests }), [])
})

test('PR6 a request that came while another to the site was open overlaps, by either side', () => {
  const { log, requests } = good()
  deepEqual(kinds({ log: changed(log, 2, { overlapping: true }), requests }), ['overlap'])
  const open = changed(requests, 2, { closedAt: START + 12_001 })
  deepEqual(kinds({ log, requests: open }), ['overlap'])
})

test('PR6 PR8 a pause a millisecond too short is found, over the hosts of a site, from the true end', () => {
  const { log, requests, pauseMs } = good()
  const asked: string[] = []
  // From a.example at 6,010 to www.a.example at 12,005.
  const exact = (ms: number) => (site: string, a: LedgerRequest, b: LedgerRequest) => {
    asked.push(`${site} ${a.position}-${b.position}`)
    return a.position === 30 ? ms : 0
  }
  deepEqual(kinds({ log, requests, pauseMs: exact(5_995) }), [])
  deepEqual(asked, [
    'a.example 10-30',
    'a.example 30-50',
    'a.example 50-60',
    'a.example 60-70',
    'a.example 70-80',
    'b.example 20-40',
  ])
  deepEqual(
    compareWithLedger({ log, requests, pauseMs: exact(5_996) }).map(({ words }) => words),
    [
      'a.example: https://a.example/ads.txt (position 30) and https://www.a.example/robots.txt (position 50): 5995 ms between them, 5996 ms promised',
    ],
  )
  // A server that noticed the end late must not make the pause look shorter than it was.
  const noticedLate = changed(log, 2, { endedAt: instant(START + 12_000), status: null })
  const failed = changed(requests, 2, { outcome: 'failed' as const, status: null })
  deepEqual(kinds({ log: noticedLate, requests: failed, pauseMs }), [])
})

test('a pause after a request that reached no server counts from its closing event', () => {
  const { log, requests } = good()
  const unseen = changed(log, 0, undefined)
  const failed = changed(requests, 0, { outcome: 'failed' as const, status: null })
  // From 20 to 6,005.
  deepEqual(kinds({ log: unseen, requests: failed, pauseMs: () => 5_985 }), [])
  deepEqual(kinds({ log: unseen, requests: failed, pauseMs: () => 5_986 }), ['pause'])
})

test('a connection beyond those that requests needed is found', () => {
  const { log, requests, connections } = good()
  const [first] = connections
  const spare = first === undefined ? [] : [{ ...first, serial: 99, requests: 0 }]
  const found = compareWithLedger({ log, requests, connections: [...connections, ...spare] })
  deepEqual(
    found.map(({ words }) => words),
    ['a.example: 5 connections, 4 requests'],
  )
})
