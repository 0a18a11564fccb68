/**
 * Bugs that other crawlers had in public, asked of this one: whole fetches over a scripted web. Each
 * name carries the thread; docs/known-bugs.md tells what went wrong there and what holds here.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { later } from '../../../src/kernel/instant.ts'
import { position } from '../../../src/kernel/position.ts'
import type { Site } from '../../../src/kernel/site.ts'
import { nightAt } from '../../../src/plan/night.ts'
import type { Crawl } from '../../../src/shell/crawl.ts'
import { fetchFile } from '../../../src/shell/fetch-file.ts'
import { visitSite } from '../../../src/shell/visit.ts'
import { type Script, type Scripted, scriptedWorld, type World } from '../../support/scripted.ts'
import { policy, SITE, url } from '../../support/site.ts'

const ROBOTS = 'https://news.example/robots.txt'
const ADS = 'https://news.example/ads.txt'
const HOME = 'https://news.example/'
const WWW = 'https://www.news.example'

const rules = (...lines: readonly string[]): Scripted => ({ status: 200, body: lines.join('\n') })
const moved = (location: string): Scripted => ({ status: 301, headers: [['Location', location]] })
const page: Scripted = { status: 200, headers: [['Content-Type', 'text/html']], body: '<p>hello' }
const file: Scripted = { status: 200, body: 'adnet.example, 1, DIRECT' }

const visit = async (world: World, crawl = world.crawl(), site: Site = SITE): Promise<void> => {
  const request = position(1)
  const naming = { source: 'adnet', request, index: 0, sellerId: '1', domain: site }
  const listed = { site, namings: [naming], reader: 'sellers-json@1' }
  await world.clock.track(() => visitSite(crawl, listed))
}

/** A world after one night over `script`. */
const nightOver = async (script: Script): Promise<World> => {
  const world = scriptedWorld(script)
  await visit(world)
  return world
}

/** The crawl of the night after the first. */
const nextNight = async (world: World): Promise<Crawl> => {
  const first = world.crawl()
  await world.clock.track(() => world.clock.sleepUntil(later(first.night.endsAt, 1_000)))
  return { ...world.crawl('run-2'), night: nightAt(policy.night, world.clock.now()) }
}

const accessesOf = async (world: World) =>
  (await world.of('RobotsRead')).map(({ origin, access }) => [origin, access])
const withheldIn = async (world: World) =>
  (await world.of('RequestWithheld')).map(({ url: address, reason }) => [address, reason])

const NOTHING_ELSE = [
  [ADS, 'robots-unreachable'],
  [HOME, 'robots-unreachable'],
]

test('crawlee-python#1563: a robots.txt that is a picture is read for what it is, and nothing ends', async () => {
  const picture = '\u0089PNG\r\n\u001a\n\0\0\0\rIHDR\nUser-agent: *\nDisallow: /\n'
  const world = await nightOver({ [ROBOTS]: rules(picture), [ADS]: file, [HOME]: page })
  assert.deepEqual(await accessesOf(world), [['https://news.example', 'rules']])
  assert.deepEqual(world.asked, [ROBOTS, ADS])
  assert.deepEqual(await withheldIn(world), [[HOME, 'robots-disallow']])
})

test('crawlee-python#2065, modelcontextprotocol/servers#3547: the rules in a server error’s page allow nothing', async () => {
  for (const status of [500, 503]) {
    const allowing: Scripted = { status, body: 'User-agent: *\nAllow: /\n' }
    const world = await nightOver({ [ROBOTS]: allowing, [ADS]: file, [HOME]: page })
    assert.deepEqual(world.asked, [ROBOTS])
    assert.deepEqual(await withheldIn(world), NOTHING_ELSE)
  }
})

test('kreuzcrawl#44, brozzler#110: no robots.txt to be had is a visible no, with its reason', async () => {
  const world = await nightOver({ [ROBOTS]: 'refused', [ADS]: file, [HOME]: page })
  assert.deepEqual(world.asked, [ROBOTS])
  const [read] = await world.of('RobotsRead')
  assert.deepEqual([read?.access, read?.because], ['unreachable', 'the connection was refused'])
  assert.deepEqual(await withheldIn(world), NOTHING_ELSE)
})

test('wayback#74, browser#3201: 401, 403 and 404 are no file, and that is recorded as such', async () => {
  for (const status of [401, 403, 404]) {
    const world = await nightOver({ [ROBOTS]: { status }, [ADS]: file, [HOME]: page })
    assert.deepEqual(await accessesOf(world), [['https://news.example', 'unavailable']])
    assert.deepEqual(world.asked, [ROBOTS, ADS, HOME])
  }
})

test('stormcrawler#573, nutch#331: rules read through a redirect are the asker’s, never the other host’s', async () => {
  for (const borrowed of [`${WWW}/u/robots.txt`, `${WWW}/robots.txt?from=news`]) {
    const world = await nightOver({
      [ROBOTS]: moved(borrowed),
      [borrowed]: rules('User-agent: *', 'Allow: /'),
      [`${WWW}/robots.txt`]: rules('User-agent: *', 'Disallow: /'),
      [ADS]: file,
      [HOME]: moved(`${WWW}/`),
      [`${WWW}/`]: page,
    })
    assert.deepEqual(await accessesOf(world), [
      ['https://news.example', 'rules'],
      [WWW, 'rules'],
    ])
    assert.ok(world.asked.includes(`${WWW}/robots.txt`))
    assert.ok(!world.asked.includes(`${WWW}/`))
    assert.equal((await world.of('FetchConcluded')).at(-1)?.because, 'robots-disallow')
  }
})

test('stormcrawler#2077: a robots.txt redirect that is refused is no permission', async () => {
  for (const [location, reason] of [
    ['http://news.example/robots.txt', 'https-to-http'],
    ['file:///etc/passwd', 'bad-location'],
    [ROBOTS, 'loop'],
  ] as const) {
    const world = await nightOver({ [ROBOTS]: moved(location), [ADS]: file, [HOME]: page })
    assert.deepEqual(world.asked, [ROBOTS])
    assert.equal((await world.of('RedirectDecided'))[0]?.reason, reason)
    assert.deepEqual(await accessesOf(world), [['https://news.example', 'unreachable']])
    assert.deepEqual(await withheldIn(world), NOTHING_ELSE)
  }
})

test('wpull#58: each hop of a robots.txt redirect is asked where it leads, five at most', async () => {
  const hop = (n: number): string => `https://h${n}.example/robots.txt`
  const chain = Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [hop(n), moved(hop(n + 1))]))
  const world = await nightOver({ [ROBOTS]: moved(hop(1)), ...chain })
  assert.deepEqual(world.asked, [ROBOTS, hop(1), hop(2), hop(3), hop(4), hop(5)])
  assert.equal((await world.of('RedirectDecided')).at(-1)?.reason, 'too-many-redirects')
  assert.deepEqual(await accessesOf(world), [['https://news.example', 'unreachable']])
})

test('scrapy#2014: nothing is asked while robots.txt is on its way', async () => {
  const world = scriptedWorld({ [ROBOTS]: rules('User-agent: *'), [ADS]: file, [HOME]: page })
  world.onRequest(async (address) => {
    if (address === ROBOTS) return world.clock.sleepUntil(later(world.clock.now(), 2_000))
    assert.equal((await world.of('RobotsRead')).length, 1, address)
  })
  await visit(world)
  assert.deepEqual(world.asked, [ROBOTS, ADS, HOME])
})

test('peated#1193, kreuzcrawl#46: each hop’s own robots.txt is asked first, and its Crawl-delay waited', async () => {
  const world = await nightOver({
    [ROBOTS]: { status: 404 },
    [ADS]: { status: 404 },
    [HOME]: moved(`${WWW}/`),
    [`${WWW}/robots.txt`]: rules('User-agent: *', 'Crawl-delay: 20'),
    [`${WWW}/`]: page,
  })
  assert.deepEqual(world.asked, [ROBOTS, ADS, HOME, `${WWW}/robots.txt`, `${WWW}/`])
  const events = await world.events()
  const before = events.findLast(
    ({ event }) => event.type === 'ResponseReceived' && event.url === `${WWW}/robots.txt`,
  )
  const sent = events.findLast(({ event }) => event.type === 'RequestSent')
  assert.ok(before !== undefined && sent !== undefined)
  assert.ok(sent.ts >= later(before.ts, 20_000))
})

test('kreuzcrawl#43, linkchecker#647: robots.txt is asked on the scheme and the port of the address', async () => {
  const target = 'http://news.example:8081/ads.txt'
  const world = scriptedWorld({
    [ROBOTS]: rules('User-agent: *', 'Allow: /'),
    'http://news.example/robots.txt': rules('User-agent: *', 'Allow: /'),
    'http://news.example:8081/robots.txt': { status: 503 },
    [target]: file,
  })
  const crawl = world.crawl()
  await world.clock.track(() =>
    fetchFile(crawl, { source: null, subject: SITE, purpose: 'ads-txt', target: url(target) }),
  )
  assert.deepEqual(world.asked, ['http://news.example:8081/robots.txt'])
  assert.deepEqual(await accessesOf(world), [['http://news.example:8081', 'unreachable']])
})

test('crawler4j#266, agentdeals#1093: robots.txt is read anew each night and once a night, whatever its headers say', async () => {
  const cached = (body: string): Scripted => ({
    status: 200,
    headers: [
      ['Cache-Control', 'public, max-age=31536000, immutable'],
      ['Age', '4776'],
    ],
    body,
  })
  const world = scriptedWorld({ [ROBOTS]: cached('User-agent: *'), [ADS]: file, [HOME]: page })
  await visit(world)
  await visit(world, world.crawl('run-1b'))
  assert.deepEqual(world.asked, [ROBOTS, ADS, HOME])
  world.script[ROBOTS] = cached('User-agent: *\nDisallow: /')
  await visit(world, await nextNight(world))
  assert.deepEqual(world.asked.slice(3), [ROBOTS, ADS])
})

test('open-seo#311, crawlee#2338: the product token is compared, and the agent’s own group binds', async () => {
  const world = await nightOver({
    [ROBOTS]: rules(
      'User-agent: *',
      'Allow: /',
      `User-agent: ${policy.robotsToken}`,
      'Disallow: /',
    ),
    [ADS]: file,
    [HOME]: page,
  })
  assert.notEqual(policy.robotsToken, policy.userAgent)
  assert.deepEqual(await withheldIn(world), [[HOME, 'robots-disallow']])
  const decided = (await world.of('RobotsDecided')).at(-1)
  assert.deepEqual([decided?.token, decided?.group], [policy.robotsToken, [policy.robotsToken]])
})

test('firecrawl#314: a refusal names the rule, its line and the bytes it was read from', async () => {
  const world = await nightOver({
    [ROBOTS]: rules('User-agent: *', 'Disallow: /private', 'Disallow: /$ # the front page'),
    [ADS]: file,
    [HOME]: page,
  })
  const decided = (await world.of('RobotsDecided')).at(-1)
  assert.deepEqual([decided?.url, decided?.verdict], [HOME, 'deny'])
  assert.deepEqual(decided?.rule, { line: 3, text: 'Disallow: /$', verdict: 'disallow' })
  const [read] = await world.of('RobotsRead')
  assert.match(read?.commit ?? '', /^[0-9a-f]{64}$/)
})

test('stormcrawler#1979: a Crawl-delay above the limit means no visit, not a quicker one', async () => {
  const world = await nightOver({
    [ROBOTS]: rules('User-agent: *', 'Crawl-delay: 3600'),
    [ADS]: file,
    [HOME]: page,
  })
  assert.deepEqual(world.asked, [ROBOTS])
  assert.equal((await world.of('RobotsRead'))[0]?.crawlDelayMs, 3_600_000)
})

test('oobee#790: a 403 is asked once, in that run and in any other of the night', async () => {
  const world = scriptedWorld({ [ROBOTS]: rules(''), [ADS]: { status: 403 }, [HOME]: page })
  await visit(world)
  await visit(world, world.crawl('run-2'))
  assert.deepEqual(world.asked, [ROBOTS, ADS])
  assert.deepEqual((await world.of('RequestWithheld'))[0]?.reason, 'cooldown')
})

test('stormcrawler#784: Retry-After holds for the site, and in a process that begins afterwards', async () => {
  const away: Scripted = { status: 503, headers: [['Retry-After', '90']] }
  const world = scriptedWorld({ [ROBOTS]: rules(''), [ADS]: away, [HOME]: page })
  const crawl = world.crawl()
  await world.clock.track(() =>
    fetchFile(crawl, { source: null, subject: SITE, purpose: 'ads-txt', target: url(ADS) }),
  )
  await visit(world, world.crawl('run-2'))
  const events = await world.events()
  const told = events.find(({ event }) => event.type === 'ResponseReceived' && event.url === ADS)
  const next = told?.event.type === 'ResponseReceived' ? told.event.next : undefined
  assert.ok(told !== undefined && next !== undefined)
  assert.equal(next.retryAfterMs, 90_000)
  assert.ok(next.at >= later(told.ts, 90_000))
  assert.ok(!world.asked.includes(HOME))
  const [withheld] = await world.of('RequestWithheld')
  assert.ok(withheld?.reason === 'cooldown' && (withheld.until ?? 0) >= next.at)
})

test('gpc-web-crawler#51: a browser check served as 200 is a refusal, and nothing is read from it', async () => {
  const check: Scripted = {
    status: 200,
    headers: [['Content-Type', 'text/html']],
    body: '<html><title>Just a moment...</title><p>Checking your browser before you go on.</html>',
  }
  const world = await nightOver({ [ROBOTS]: rules(''), [ADS]: file, [HOME]: check })
  const closing = (await world.of('ResponseReceived')).at(-1)
  assert.equal(closing?.refusal?.kind, 'browser-test')
  assert.notEqual(closing.next.cooldownUntil, null)
  assert.equal((await world.of('NetworkObserved'))[0]?.read, 'refused')
})

test('crawler4j#141: the pace is each site’s own, and sites do not wait for each other', async () => {
  const script = Object.fromEntries(
    ['a.example', 'b.example'].flatMap((site) => [
      [`https://${site}/robots.txt`, rules('')],
      [`https://${site}/ads.txt`, file],
      [`https://${site}/`, page],
    ]),
  )
  const world = scriptedWorld(script)
  const crawl = world.crawl()
  const began = world.clock.now()
  const sites = ['a.example', 'b.example'] as Site[]
  await world.clock.track(() => Promise.all(sites.map((site) => visit(world, crawl, site))))
  assert.equal(world.asked.length, 6)
  // Three files with two pauses between them, for both sites in the same time.
  assert.equal(world.clock.now(), later(began, 2 * policy.pauseSeconds * 1_000))
})
