/** The campaign's checks find nothing wrong with a night that died and was finished, and find every planted fault. */
import { deepEqual, ok } from 'node:assert/strict'
import { before, test } from 'node:test'
import type { AccessLine } from '../../../scripts/rehearsal/access-log.ts'
import { memoryBodyStore } from '../../../src/adapters/memory/bodies.ts'
import { type ClaimRows, memoryClaims } from '../../../src/adapters/memory/claims.ts'
import { memoryLedger } from '../../../src/adapters/memory/ledger.ts'
import { simulatedClock } from '../../../src/adapters/system/simulated-clock.ts'
import type { Fetcher } from '../../../src/capture/port.ts'
import { instant, later } from '../../../src/kernel/instant.ts'
import { position } from '../../../src/kernel/position.ts'
import type { Recorded } from '../../../src/ledger/entry.ts'
import type { EventType } from '../../../src/ledger/event.ts'
import { runNight } from '../../../src/shell/run.ts'
import { siteOf } from '../../../src/kernel/url.ts'
import { type Evidence, type Fault, faultsOf, type Seen } from '../../support/campaign-checks.ts'
import { right } from '../../support/either.ts'
import { policy, policyText, url } from '../../support/site.ts'

const SOURCE = url('https://adnet.example/sellers.json')
const SELLERS = JSON.stringify({
  version: '1.0',
  sellers: ['one.example', 'two.example'].map((domain, index) => ({
    seller_id: `${index}`,
    seller_type: 'PUBLISHER',
    name: domain,
    domain,
  })),
})
const SITES = [siteOf(url('https://one.example/')), siteOf(url('https://two.example/'))]
const [FIRST, SECOND] = [101, 102]
/** The first process dies while this is open. */
const DEADLY = 'https://two.example/ads.txt'

const lineOf = (address: string, at: number): AccessLine => {
  const { hostname, pathname } = new URL(address)
  return {
    at: instant(at),
    endedAt: instant(at),
    host: hostname,
    scheme: 'https',
    port: 1_000,
    method: 'GET',
    path: pathname,
    httpVersion: '1.1',
    headers: [],
    status: 200,
    connection: 1,
    overlapping: false,
  }
}

/** A night in which one process died with a request open, finished by a second one. */
const deadAndFinished = async (): Promise<Evidence> => {
  const clock = simulatedClock(instant(Date.UTC(2031, 0, 1, 1, 30)))
  const rows: ClaimRows = new Map()
  const ledger = memoryLedger(clock, rows)
  const bodies = memoryBodyStore((size) => Buffer.alloc(size, 7))
  const seen: Seen[] = []
  const night = (pid: number, fetch: Fetcher) => {
    const process = `host/boot/${pid}/1`
    const isGone = (other: string): boolean => other !== process
    const claims = memoryClaims({ holder: process, isGone }, rows)
    return runNight(
      { ledger, bodies, claims, fetch, clock, isGone },
      {
        run: `run-${pid}`,
        policy,
        policyText,
        sources: [{ id: 'adnet', url: SOURCE }],
        onlySites: undefined,
        onlySources: undefined,
        also: [],
        software: { software: 'test', node: '0', readers: {}, process },
        stop: new AbortController().signal,
        progress: () => undefined,
      },
    )
  }
  const answering =
    (pid: number, dying: boolean): Fetcher =>
    async ({ url }) => {
      seen.push({ line: lineOf(url, clock.now()), by: new Set([pid]) })
      if (dying && url === DEADLY) throw new Error('the process dies')
      return {
        tag: 'Answer',
        status: 200,
        headers: [['Content-Type', 'text/plain']],
        body: Buffer.from(url === SOURCE ? SELLERS : '', 'utf8'),
        truncated: false,
        remote: null,
        tls: null,
        timing: { connectMs: 1, firstByteMs: 1, totalMs: 1 },
      }
    }
  const died = await night(FIRST, answering(FIRST, true)).catch(() => 'died')
  deepEqual(died, 'died')
  await night(SECOND, answering(SECOND, false))
  return {
    recorded: right(await ledger.readAll({ after: 0, limit: 10_000 })()),
    seen,
    due: [{ policy, night: '2031-01-01', sources: [SOURCE], sites: SITES }],
    oneClock: true,
  }
}

let good: Evidence
before(async () => {
  good = await deadAndFinished()
})

test('a night that died and was finished has no fault', () => {
  deepEqual(faultsOf(good), [])
  const types = new Set(good.recorded.map(({ event }) => event.type))
  ok(types.has('RequestAbandoned'))
  ok(good.seen.length >= 8)
})

/** Which rules are broken. */
const rulesOf = (evidence: Evidence): readonly Fault['rule'][] => [
  ...new Set(faultsOf(evidence).map(({ rule }) => rule)),
]

const isOf =
  (type: EventType, count = 0) =>
  (recorded: Recorded): boolean =>
    recorded.event.type === type && (count -= 1) < 0

/** Numbers positions and versions anew, so that only what was planted is wrong. */
const renumbered = (events: readonly Recorded[]): readonly Recorded[] => {
  const moved = new Map(events.map(({ position }, index) => [position, positionAt(index)]))
  const versions = new Map<string, number>()
  return events.map((recorded, index) => {
    const version = (versions.get(recorded.stream) ?? 0) + 1
    versions.set(recorded.stream, version)
    const { event } = recorded
    const request = 'request' in event && event.request !== null ? moved.get(event.request) : null
    const renamed = request === null || request === undefined ? event : { ...event, request }
    return { ...recorded, version, position: positionAt(index), event: renamed }
  })
}
const positionAt = (index: number) => position(index + 1)

const without = (pick: (recorded: Recorded) => boolean): Evidence => {
  const found = good.recorded.find(pick)
  ok(found !== undefined)
  return { ...good, recorded: renumbered(good.recorded.filter((one) => one !== found)) }
}

const changed = (
  pick: (recorded: Recorded) => boolean,
  change: (recorded: Recorded) => Recorded,
): Evidence => {
  const found = good.recorded.find(pick)
  ok(found !== undefined)
  const recorded = good.recorded.map((one) => (one === found ? change(one) : one))
  return { ...good, recorded }
}

const withEvent = (recorded: Recorded, change: object): Recorded => ({
  ...recorded,
  event: { ...recorded.event, ...change },
})

const withLine = (index: number, change: Partial<AccessLine>): Evidence => ({
  ...good,
  seen: good.seen.map(({ line, by }, i) => ({
    by,
    line: i === index ? { ...line, ...change } : line,
  })),
})

test('unrecorded: a line without its RequestSent, by whomever', () => {
  const extra: Seen = { line: lineOf('https://one.example/extra', 0), by: new Set([SECOND]) }
  deepEqual(rulesOf({ ...good, seen: [...good.seen, extra] }), ['unrecorded'])
  const twice = [...good.seen, ...good.seen.slice(0, 1)]
  deepEqual(rulesOf({ ...good, seen: twice }), ['unrecorded'])
})

test('unrecorded: a request that only a later process recorded', () => {
  const seen = good.seen.map((one) =>
    one.line.path === '/ads.txt' && one.line.host === 'two.example'
      ? { ...one, by: new Set([SECOND]) }
      : one,
  )
  deepEqual(rulesOf({ ...good, seen }), ['unrecorded'])
})

test('unrecorded and more: a RequestSent that is not in the ledger', () => {
  const rules = rulesOf(without(isOf('RequestSent', 2)))
  ok(rules.includes('unrecorded') && rules.includes('numbering'), rules.join())
})

test('unseen: an answer no server gave, or another one', () => {
  deepEqual(rulesOf({ ...good, seen: good.seen.slice(1) }), ['unseen'])
  deepEqual(rulesOf(withLine(0, { status: 500 })), ['unseen'])
})

test('an abandoned request may have died before its first byte', () => {
  const seen = good.seen.filter(({ line }) => `https://${line.host}${line.path}` !== DEADLY)
  ok(seen.length < good.seen.length)
  deepEqual(rulesOf({ ...good, seen }), [])
})

test('unclosed: a request left open, closed twice, or closed by another run', () => {
  ok(rulesOf(without(isOf('RequestAbandoned'))).includes('unclosed'))
  const again = good.recorded.find(isOf('ResponseReceived'))
  ok(again !== undefined)
  const recorded = renumbered([...good.recorded, again])
  ok(rulesOf({ ...good, recorded }).includes('unclosed'))
  const stolen = changed(isOf('RequestAbandoned'), (one) => withEvent(one, { sentIn: 'run-9' }))
  ok(rulesOf(stolen).includes('unclosed'))
})

test('doubled: an address asked twice in a night', () => {
  const isRobots = ({ event }: Recorded): boolean =>
    event.type === 'RequestSent' && event.url === 'https://one.example/robots.txt'
  const evidence = changed(
    ({ event }) => event.type === 'RequestSent' && event.url === 'https://one.example/ads.txt',
    (one) => withEvent(one, { url: 'https://one.example/robots.txt' }),
  )
  ok(evidence.recorded.filter(isRobots).length === 2)
  ok(rulesOf(evidence).includes('doubled'))
})

test('crowded: another request open to the site, by the server or by the ledger', () => {
  deepEqual(rulesOf(withLine(3, { overlapping: true })), ['crowded'])
  ok(rulesOf(without(isOf('ResponseReceived', 2))).includes('crowded'))
})

test('hurried: before the time the ledger gave, or too soon by the server’s own clock', () => {
  const isHomepage = ({ event }: Recorded): boolean =>
    event.type === 'RequestSent' && event.url === 'https://one.example/'
  const early = changed(isHomepage, (one) => ({ ...one, ts: instant(one.ts - 1) }))
  ok(rulesOf(early).includes('hurried'))
  const index = good.seen.findIndex(({ line }) => line.host === 'one.example' && line.path === '/')
  const at = good.seen[index]?.line.at
  ok(at !== undefined)
  const soon = withLine(index, { at: instant(at - 1) })
  deepEqual(rulesOf(soon), ['late', 'hurried'])
  // By two clocks neither can be told.
  deepEqual(rulesOf({ ...soon, oneClock: false }), [])
})

test('numbering: a gap, a wrong count, a missing end, something after the end', () => {
  const isSecond = ({ event, run }: Recorded): boolean =>
    event.type === 'RequestSent' && run === `run-${SECOND}`
  ok(rulesOf(changed(isSecond, (one) => withEvent(one, { n: 7 }))).includes('numbering'))
  for (const name of ['requests', 'responses', 'failures', 'abandoned', 'withheld'])
    deepEqual(rulesOf(changed(isOf('RunEnded'), (one) => withEvent(one, { [name]: 99 }))), [
      'numbering',
    ])
  deepEqual(rulesOf(without(isOf('RunEnded'))), ['numbering'])
  const end = good.recorded.find(isOf('RunEnded'))
  ok(end !== undefined)
  const recorded = renumbered([...good.recorded, end])
  deepEqual(rulesOf({ ...good, recorded }).includes('numbering'), true)
})

test('order: a missing position, a missing version, time going back', () => {
  const gap = good.recorded.filter(({ position }) => position !== 5)
  ok(rulesOf({ ...good, recorded: gap }).includes('order'))
  const isListed = isOf('SiteListed')
  deepEqual(rulesOf(changed(isListed, (one) => ({ ...one, version: 9 }))), ['order'])
  deepEqual(rulesOf(changed(isListed, (one) => ({ ...one, ts: later(one.ts, 9e6) }))), ['order'])
})

test('lost: a site, a file or a source that was not settled, or settled twice', () => {
  const [due] = good.due
  ok(due !== undefined)
  const third = siteOf(url('https://three.example/'))
  deepEqual(rulesOf({ ...good, due: [{ ...due, sites: [...SITES, third] }] }), ['lost'])
  const source = url('https://other.example/sellers.json')
  deepEqual(rulesOf({ ...good, due: [{ ...due, sources: [SOURCE, source] }] }), ['lost'])
  ok(rulesOf(without(isOf('FetchConcluded', 1))).includes('lost'))
  ok(rulesOf({ ...good, due: [{ ...due, night: '2031-01-02' }] }).includes('lost'))
  const twice = good.recorded.find(isOf('FetchConcluded', 1))
  ok(twice !== undefined)
  ok(rulesOf({ ...good, recorded: renumbered([...good.recorded, twice]) }).includes('lost'))
})
