import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { E } from '../../../src/kernel/fp.ts'
import { type Instant, later } from '../../../src/kernel/instant.ts'
import type { Site } from '../../../src/kernel/site.ts'
import type { Naming } from '../../../src/ledger/events/site-listed.ts'
import { position } from '../../../src/kernel/position.ts'
import { siteStream } from '../../../src/ledger/stream.ts'
import { recover } from '../../../src/shell/recover.ts'
import { visitSite } from '../../../src/shell/visit.ts'
import { type Script, type Scripted, scriptedWorld, type World } from '../../support/scripted.ts'
import { policy, SITE } from '../../support/site.ts'

const ROBOTS = 'https://news.example/robots.txt'
const ADS = 'https://news.example/ads.txt'
const HOME = 'https://news.example/'

const naming: Naming = {
  source: 'adnet',
  request: position(1),
  index: 0,
  sellerId: '1',
  domain: 'news.example',
}
const listed = { site: SITE, namings: [naming], reader: 'sellers-json@1' }
const page: Scripted = {
  status: 200,
  headers: [['Content-Type', 'text/html']],
  body: '<p>hello',
}
const open = (more: Script = {}): Script => ({
  [ROBOTS]: { status: 200, body: 'User-agent: *\nDisallow: /private' },
  [ADS]: { status: 200, body: 'adnet.example, 1, DIRECT' },
  [HOME]: page,
  ...more,
})

const visit = async (world: World, site: Site = SITE, crawl = world.crawl()) => {
  await world.clock.track(() => visitSite(crawl, { ...listed, site }))
  return crawl
}
const types = async (world: World) => (await world.events()).map(({ event }) => event.type)

describe('visitSite', () => {
  test('PR1, PR2 three files in their order, each decided, sent and closed before the next', async () => {
    const world = scriptedWorld(open())
    const crawl = await visit(world)
    assert.deepEqual(world.asked, [ROBOTS, ADS, HOME])
    assert.equal(
      (await types(world)).join(' '),
      [
        'SiteListed',
        'RobotsDecided RequestSent ResponseReceived RobotsRead',
        'RobotsDecided RequestSent ResponseReceived FetchConcluded',
        'RobotsDecided RequestSent ResponseReceived NetworkObserved FetchConcluded',
      ].join(' '),
    )
    assert.deepEqual(crawl.tally.requests, 3)
  })

  test('CL1 when the first byte could leave, RequestSent and its decision stand in the ledger', async () => {
    const world = scriptedWorld(open())
    const seen: string[] = []
    world.onRequest(async (address) => {
      const last = (await world.events()).slice(-2).map(({ event }) => event)
      assert.deepEqual(
        last.map(({ type }) => type),
        ['RobotsDecided', 'RequestSent'],
      )
      seen.push(address)
    })
    await visit(world)
    assert.equal(seen.length, 3)
  })

  test('PR6 the pause lies between the end of one request and the start of the next', async () => {
    const world = scriptedWorld(open())
    await visit(world)
    const times = (await world.events()).filter(({ event }) =>
      ['RequestSent', 'ResponseReceived'].includes(event.type),
    )
    const at = times.map(({ ts }): Instant => ts)
    assert.equal(at.length, 6)
    for (const [sentAt, endedAt] of [
      [2, 1],
      [4, 3],
    ] as const) {
      const ended = at[endedAt]
      assert.ok(
        ended !== undefined && (at[sentAt] ?? 0) >= later(ended, policy.pauseSeconds * 1_000),
      )
    }
  })

  test('PR5 a second visit in the same night asks nothing and records nothing', async () => {
    const world = scriptedWorld(open())
    await visit(world)
    const before = (await world.events()).length
    await visit(world, SITE, world.crawl('run-2'))
    assert.equal(world.asked.length, 3)
    assert.equal((await world.events()).length, before)
  })

  test('PR10 robots.txt refused: both files are withheld, with the decision that says why', async () => {
    const world = scriptedWorld(open({ [ROBOTS]: 'refused' }))
    await visit(world)
    assert.deepEqual(world.asked, [ROBOTS])
    const withheld = await world.of('RequestWithheld')
    assert.deepEqual(
      withheld.map(({ url, reason }) => [url, reason]),
      [
        [ADS, 'robots-unreachable'],
        [HOME, 'robots-unreachable'],
      ],
    )
    assert.ok(withheld.every(({ decision }) => decision !== null))
  })

  test('PR15 a person who excludes the site while a request is open is heard before the next', async () => {
    const world = scriptedWorld(open())
    world.onRequest(async (address) => {
      if (address !== ROBOTS) return
      const version = (await world.events()).filter(
        ({ stream }) => stream === siteStream(SITE),
      ).length
      const event = { type: 'SiteExcluded', v: 1, site: SITE, by: 'A. Person', note: null } as const
      const append = {
        stream: siteStream(SITE),
        expectedVersion: version,
        events: [event] as const,
      }
      assert.ok(E.isRight(await world.ledger.append('act', append)()))
    })
    await visit(world)
    assert.deepEqual(world.asked, [ROBOTS])
    assert.deepEqual((await types(world)).filter((type) => type === 'ResponseReceived').length, 1)
    assert.equal((await world.of('RequestWithheld'))[0]?.reason, 'excluded')
  })

  test('PR12 nothing of the homepage but the answer is kept', async () => {
    const world = scriptedWorld(
      open({
        [HOME]: {
          status: 200,
          headers: [
            ['Content-Type', 'text/html'],
            ['ETag', '"abc"'],
            ['Content-Length', '99'],
          ],
          body: '<script src="//scripts.mediavine.com/tags/x.js"></script>SECRET',
        },
      }),
    )
    await visit(world)
    const [observed] = await world.of('NetworkObserved')
    assert.equal(observed?.manager, 'mediavine')
    const text = JSON.stringify(await world.events())
    assert.ok(!text.includes('SECRET') && !text.includes('"ETag"'))
    const home = (await world.of('ResponseReceived')).find(({ url }) => url === HOME)
    assert.deepEqual(home?.body, { kept: false, reason: 'discarded-by-policy' })
  })
})

describe('redirects', () => {
  const moved = (location: string): Scripted => ({
    status: 301,
    headers: [['Location', location]],
  })

  test('an apex and its www share one robots.txt: asked once, and it serves both', async () => {
    const world = scriptedWorld({
      [ROBOTS]: moved('https://www.news.example/robots.txt'),
      'https://www.news.example/robots.txt': { status: 200, body: 'User-agent: *\nAllow: /' },
      [ADS]: moved('https://www.news.example/ads.txt'),
      'https://www.news.example/ads.txt': { status: 200, body: 'adnet.example, 1, DIRECT' },
      [HOME]: moved('https://www.news.example/'),
      'https://www.news.example/': page,
    })
    await visit(world)
    assert.equal(new Set(world.asked).size, world.asked.length)
    assert.ok(world.asked.includes('https://www.news.example/'))
    const reads = await world.of('RobotsRead')
    assert.deepEqual(
      reads.map(({ origin, access }) => [origin, access]),
      [
        ['https://news.example', 'rules'],
        ['https://www.news.example', 'rules'],
      ],
    )
    assert.equal(reads[0]?.request, reads[1]?.request)
  })

  test('PR1 a homepage that redirects below the root is refused and recorded', async () => {
    const world = scriptedWorld(open({ [HOME]: moved('https://news.example/en/') }))
    await visit(world)
    assert.ok(!world.asked.includes('https://news.example/en/'))
    assert.equal((await world.of('RedirectDecided'))[0]?.reason, 'below-root')
    const told = (await world.of('FetchConcluded')).at(-1)
    assert.deepEqual([told?.outcome, told?.because], ['redirect-refused', 'below-root'])
  })

  test('ads.txt of two sites on one hosted file: the other host’s robots.txt first, the file once', async () => {
    const hosted = 'https://hosted.example/shared/ads.txt'
    const other = 'sports.example' as Site
    const world = scriptedWorld({
      ...open({ [ADS]: moved(hosted) }),
      'https://hosted.example/robots.txt': { status: 200, body: 'User-agent: *\nDisallow: /' },
      [hosted]: { status: 200, body: 'adnet.example, 1, DIRECT' },
      'https://sports.example/robots.txt': { status: 404 },
      'https://sports.example/ads.txt': moved(hosted),
    })
    await visit(world)
    await visit(world, other)
    const atHost = world.asked.filter((address) => address.includes('hosted.example'))
    assert.deepEqual(atHost, ['https://hosted.example/robots.txt', hosted])
    const told = (await world.of('FetchConcluded')).filter(({ purpose }) => purpose === 'ads-txt')
    assert.deepEqual(
      told.map(({ subject, outcome, reused }) => [subject, outcome, reused]),
      [
        [SITE, 'answered', false],
        [other, 'answered', true],
      ],
    )
    assert.equal(told[0]?.request, told[1]?.request)
    assert.equal(told[0]?.commit, told[1]?.commit)
  })

  test('a robots.txt that another visit is still fetching is waited for, and read once', async () => {
    const first = 'a.example' as Site
    const other = 'c.example' as Site
    const world = scriptedWorld({
      'https://a.example/robots.txt': { status: 404 },
      'https://a.example/ads.txt': moved('https://c.example/hosted.txt'),
      'https://c.example/robots.txt': moved('https://b.example/1'),
      'https://b.example/1': moved('https://b.example/2'),
      'https://b.example/2': { status: 200, body: 'User-agent: *\nDisallow: /x' },
      'https://c.example/hosted.txt': { status: 200, body: 'adnet.example, 1, DIRECT' },
    })
    const crawl = world.crawl()
    await Promise.all([visit(world, first, crawl), visit(world, other, crawl)])
    const reads = (await world.of('RobotsRead')).filter(({ origin }) =>
      origin.includes('c.example'),
    )
    assert.deepEqual(
      reads.map(({ access }) => access),
      ['rules'],
    )
    assert.ok(world.asked.includes('https://c.example/hosted.txt'))
  })

  test('PR10 the hosted file’s host has no readable robots.txt: the file is not asked there', async () => {
    const hosted = 'https://hosted.example/ads.txt'
    const world = scriptedWorld({
      ...open({ [ADS]: moved(hosted) }),
      'https://hosted.example/robots.txt': { status: 503 },
    })
    await visit(world)
    assert.ok(!world.asked.includes(hosted))
    const told = (await world.of('FetchConcluded')).find(({ purpose }) => purpose === 'ads-txt')
    assert.deepEqual([told?.outcome, told?.because], ['withheld', 'robots-unreachable'])
  })
})

describe('after a crash', () => {
  /** A first process dies while the answer to `address` is under way. */
  const dieAt = async (world: World, address: string): Promise<void> => {
    class Died extends Error {}
    world.onRequest((asked) => {
      if (asked === address) throw new Died()
      return Promise.resolve()
    })
    await assert.rejects(visit(world, SITE, world.crawl('run-1')), Died)
    world.onRequest(() => Promise.resolve())
    world.gone.add('run-1')
  }

  test('CL1 the open request is closed as abandoned before anything else, and not asked again', async () => {
    const world = scriptedWorld(open())
    await dieAt(world, ADS)
    await visit(world, SITE, world.crawl('run-2'))
    const abandoned = await world.of('RequestAbandoned')
    assert.deepEqual(
      abandoned.map(({ url, sentIn }) => [url, sentIn]),
      [[ADS, 'run-1']],
    )
    assert.deepEqual(world.asked, [ROBOTS, ADS, HOME])
    const told = (await world.of('FetchConcluded')).find(({ purpose }) => purpose === 'ads-txt')
    assert.deepEqual([told?.outcome, told?.because], ['interrupted', 'asked-before'])
  })

  test('PR10 a crash while robots.txt was asked counts as unreachable for the night', async () => {
    const world = scriptedWorld(open())
    await dieAt(world, ROBOTS)
    await visit(world, SITE, world.crawl('run-2'))
    assert.deepEqual(world.asked, [ROBOTS])
    assert.equal((await world.of('RobotsRead'))[0]?.access, 'unreachable')
  })

  test('the dead run itself is ended once, with the counts the ledger gives', async () => {
    const world = scriptedWorld(open())
    const started = {
      type: 'RunStarted',
      v: 2,
      job: null,
      also: [],
      programme: policy.name,
      adopted: position(1),
      night: '2026-11-30',
      kind: 'night',
      sources: 'a'.repeat(64),
      software: 's',
      node: 'n',
      readers: {},
      process: 'run-1',
    } as never
    const append = { stream: 'run-run-1' as never, expectedVersion: 0, events: [started] as const }
    assert.ok(E.isRight(await world.ledger.append('run-1', append)()))
    await dieAt(world, ADS)
    const next = world.crawl('run-2')
    assert.equal(await recover(next), 1)
    assert.equal(await recover(next), 0)
    const [ended] = await world.of('RunEnded')
    assert.deepEqual(
      [ended?.status, ended?.requests, ended?.responses, ended?.abandoned],
      ['abandoned', 2, 1, 1],
    )
  })
})
