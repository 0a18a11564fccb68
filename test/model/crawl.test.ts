/**
 * Random webs, random crashes, several nights and workers: whatever the servers answer and wherever a
 * process dies, the promises hold in the ledger. The checks know nothing of how the crawler decides.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sha256Hex } from '../../src/kernel/digest.ts'
import { E } from '../../src/kernel/fp.ts'
import { type Instant } from '../../src/kernel/instant.ts'
import { position } from '../../src/kernel/position.ts'
import type { Site } from '../../src/kernel/site.ts'
import { siteOf } from '../../src/kernel/url.ts'
import type { Naming } from '../../src/ledger/events/site-listed.ts'
import type { Recorded } from '../../src/ledger/entry.ts'
import type { EventOf } from '../../src/ledger/event.ts'
import { runStream } from '../../src/ledger/stream.ts'
import { nightAt } from '../../src/plan/night.ts'
import { closeAbandoned } from '../../src/shell/abandon.ts'
import { recover } from '../../src/shell/recover.ts'
import { visitSite } from '../../src/shell/visit.ts'
import { PROJECTIONS } from '../../projections/index.ts'
import { fc } from '../support/property.ts'
import { scatteredKeys } from '../support/scattered-keys.ts'
import { type Script, type Scripted, scriptedWorld, type World } from '../support/scripted.ts'
import { policy } from '../support/site.ts'

const SITES = ['a.example', 'b.example', 'c.example'] as readonly string[] as readonly Site[]
const HOSTS = SITES.flatMap((site) => [site, `www.${site}`])
const ADDRESSES = HOSTS.flatMap((host) =>
  ['/robots.txt', '/ads.txt', '/', '/en/'].map((path) => `https://${host}${path}`),
)

const text = (body: string): Scripted => ({ status: 200, body })
const arbitraryAnswer: fc.Arbitrary<Scripted | 'refused'> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(text('User-agent: *\nDisallow: /private')) },
  { weight: 1, arbitrary: fc.constant(text('User-agent: *\nDisallow: /')) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(1, 20, 30, 31, 90)
      .map((delay) => text(`User-agent: *\nCrawl-delay: ${delay}`)),
  },
  { weight: 2, arbitrary: fc.constantFrom(404, 403, 410, 500, 503).map((status) => ({ status })) },
  { weight: 1, arbitrary: fc.constant('refused' as const) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(429, 503), fc.constantFrom('5', '100', '200000'))
      .map(([status, after]): Scripted => ({ status, headers: [['Retry-After', after]] })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(301, 302, 308), fc.constantFrom(...ADDRESSES))
      .map(([status, to]): Scripted => ({ status, headers: [['Location', to]] })),
  },
)
const arbitraryScript = fc.tuple(...ADDRESSES.map(() => arbitraryAnswer)).map((answers): Script => {
  const script: Script = {}
  for (const [i, address] of ADDRESSES.entries()) script[address] = answers[i] ?? 'refused'
  return script
})

const naming: Naming = {
  source: 'adnet',
  request: position(1),
  index: 0,
  sellerId: '1',
  domain: 'a.example',
}

type Outage = { readonly site: Site; readonly from: number; readonly nights: number }

/** Long enough that a site can fail four times in a row (PR7). */
const arbitraryOutage: fc.Arbitrary<Outage> = fc.record({
  site: fc.constantFrom(...SITES),
  from: fc.integer({ min: 0, max: 2 }),
  nights: fc.integer({ min: 3, max: 7 }),
})
const isDown = ({ site, from, nights }: Outage, night: number, address: string): boolean =>
  new URL(address).hostname.endsWith(site) && night >= from && night < from + nights

class Died extends Error {}

/** What tells later runs whether this one goes on. */
const begin = async (world: World, run: string): Promise<void> => {
  const event: EventOf<'RunStarted'> = {
    type: 'RunStarted',
    v: 2,
    job: null,
    also: [],
    programme: policy.name,
    adopted: position(1),
    night: nightAt(policy.night, world.clock.now()).name,
    kind: 'night',
    sources: sha256Hex(''),
    software: 'crawl-ledger/test',
    node: '24',
    readers: {},
    process: run,
  }
  const append = { stream: runStream(run), expectedVersion: 0, events: [event] as const }
  assert.ok(E.isRight(await world.ledger.append(run, append)()))
}

/** One process: visits all sites at once, and dies at its `dieAt`-th request if it gets that far. */
const process = async (world: World, run: string, dieAt: number): Promise<'ended' | 'died'> => {
  const crawl = world.crawl(run)
  await begin(world, run)
  await recover(crawl)
  let count = 0
  let dead = false
  world.onRequest(() => {
    count += 1
    if (count >= dieAt) dead = true
    if (dead) throw new Died()
    return Promise.resolve()
  })
  const visits = SITES.map((site) =>
    world.clock.track(() => visitSite(crawl, { site, namings: [naming], reader: 'r@1' })),
  )
  const ends = await Promise.allSettled(visits)
  for (const end of ends)
    if (end.status === 'rejected' && !(end.reason instanceof Died)) throw end.reason
  if (dead) world.gone.add(run)
  return dead ? 'died' : 'ended'
}

/** Closes what is still open at the very end, as the next night would. */
const closeAll = async (world: World): Promise<void> => {
  const crawl = world.crawl('run-last')
  for (const site of SITES) {
    const claim = await crawl.ports.claims.claim(site)()
    if (E.isRight(claim) && claim.right !== undefined) {
      await closeAbandoned(crawl, claim.right)
      await crawl.ports.claims.release(claim.right)()
    }
  }
}

type SiteLog = { open: number | undefined; nextAt: Instant | 0; stopped: boolean }

const check = (events: readonly Recorded[], asked: readonly string[]): void => {
  const logs = new Map<Site, SiteLog>()
  const sent: string[] = []
  const onceANight = new Set<string>()
  const unreachable = new Set<string>()
  const closed = new Set<number>()
  let ts = 0
  for (const { event, position, ts: at } of events) {
    assert.ok(at >= ts, 'time never goes back')
    ts = at
    if (event.type === 'RobotsRead' && event.access === 'unreachable')
      unreachable.add(`${event.night} ${event.origin}`)
    if (event.type === 'SiteStopped')
      logs.set(event.site, { ...logOf(logs, event.site), stopped: true })
    if (event.type === 'RequestSent') {
      const log = logOf(logs, siteOf(event.url))
      assert.equal(log.open, undefined, `PR6 two requests open to ${siteOf(event.url)}`)
      assert.ok(at >= log.nextAt, `PR6, PR8, PR9 ${event.url} asked before its time`)
      assert.ok(!log.stopped, `PR7 ${event.url} asked after it was stopped`)
      const key = `${event.night} ${event.url}`
      assert.ok(!onceANight.has(key), `PR5 ${key} asked twice`)
      onceANight.add(key)
      if (event.purpose !== 'robots') {
        assert.ok(
          !unreachable.has(`${event.night} ${new URL(event.url).origin}`),
          `PR10 ${event.url}`,
        )
      }
      assert.ok(
        event.purpose !== 'homepage' || new URL(event.url).pathname === '/',
        'PR1 below the root',
      )
      logs.set(siteOf(event.url), { ...log, open: position })
      sent.push(event.url)
    }
    if (
      event.type === 'ResponseReceived' ||
      event.type === 'RequestFailed' ||
      event.type === 'RequestAbandoned'
    ) {
      assert.ok(!closed.has(event.request), 'CL1 closed twice')
      closed.add(event.request)
      const log = logOf(logs, siteOf(event.url))
      assert.equal(log.open, event.request, 'a closing closes the open request')
      logs.set(siteOf(event.url), { ...log, open: undefined, nextAt: event.next.at })
    }
  }
  assert.deepEqual(
    [...asked].toSorted(),
    sent.toSorted(),
    'CL1 what was asked is what was recorded',
  )
  for (const [site, log] of logs) assert.equal(log.open, undefined, `${site} is left open`)
}

/** Rebuilt stream by stream: wherever redirects lead, a state is made of the events of one. */
const PER_STREAM = PROJECTIONS.filter(({ perStream }) => perStream === true)

const logOf = (logs: ReadonlyMap<Site, SiteLog>, site: Site): SiteLog =>
  logs.get(site) ?? { open: undefined, nextAt: 0, stopped: false }

test('PR1, PR5–PR10, CL1 hold for random webs, crashes and nights', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(arbitraryScript, { minLength: 1, maxLength: 7 }),
      fc.array(arbitraryOutage, { maxLength: 2 }),
      fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 4 }),
      async (nights, outages, deaths) => {
        const world = scriptedWorld({})
        const dying = [...deaths]
        let runs = 0
        for (const [night, script] of nights.entries()) {
          for (const address of ADDRESSES) {
            const down = outages.some((outage) => isDown(outage, night, address))
            world.script[address] = down ? 'refused' : (script[address] ?? 'refused')
          }
          for (let tries = 0; tries < 10; tries += 1) {
            runs += 1
            if ((await process(world, `run-${runs}`, dying.pop() ?? Infinity)) === 'ended') break
          }
          await world.clock.sleepUntil(nightAt(policy.night, world.clock.now()).endsAt)
        }
        await closeAll(world)
        const events = await world.events()
        check(events, world.asked)
        for (const projection of PER_STREAM)
          assert.deepEqual(scatteredKeys(projection, events), [], projection.name)
      },
    ),
  )
})
