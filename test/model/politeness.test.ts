/**
 * Random policies, random servers, random crashes, two programmes at once on the same few sites, and a
 * person's acts between the nights: whatever happens, no rule of politeness is broken. The rules are
 * said a second time, independently, in `test/support/politeness-rules.ts`, and the auditor says them
 * a third time, from the ledger alone: it names no breach either.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { E } from '../../src/kernel/fp.ts'
import { later } from '../../src/kernel/instant.ts'
import type { Site } from '../../src/kernel/site.ts'
import type { Header } from '../../src/kernel/words.ts'
import { siteOf } from '../../src/kernel/url.ts'
import type { Recorded } from '../../src/ledger/entry.ts'
import type { LedgerEvent } from '../../src/ledger/event.ts'
import { nightAt } from '../../src/plan/night.ts'
import { parsePolicy } from '../../src/programmes/policy-file.ts'
import type { Policy } from '../../src/programmes/policy.ts'
import type { Source } from '../../src/programmes/sources.ts'
import { openLog } from '../../src/shell/adopt.ts'
import { appendFact } from '../../src/shell/append.ts'
import { fetchByHand } from '../../src/shell/by-hand.ts'
import { recover } from '../../src/shell/recover.ts'
import { runNight } from '../../src/shell/run.ts'
import { siteStore } from '../../src/shell/site-store.ts'
import { promisesOf, saidOf } from '../support/audit-world.ts'
import { right } from '../support/either.ts'
import { PolitenessRules, type Ruled } from '../support/politeness-rules.ts'
import { fc } from '../support/property.ts'
import { type FailureWord, type Scripted, scriptedWorld, type World } from '../support/scripted.ts'
import { url } from '../support/site.ts'

const HOSTS = ['a.example', 'www.a.example', 'b.example', 'c.example', 'www.c.example']
const PAGES = ['/', '/new', '/private/one']
const ADDRESSES = HOSTS.flatMap((host) =>
  ['/robots.txt', ...PAGES].map((path) => `https://${host}${path}`),
)
const SITES = [...new Set(HOSTS.map((host) => siteOf(url(`https://${host}/`))))]

const baseFile = new URL('../../src/programmes/public-records-check/policy.json', import.meta.url)
const base = readFileSync(baseFile, 'utf8')

type Json = { readonly [key: string]: unknown }

const seconds = (...of: number[]): fc.Arbitrary<number> => fc.constantFrom(...of)

/** A policy as a person could write one: everything random that a promise has a parameter for. */
const arbitraryPolicy = (name: string): fc.Arbitrary<Policy> =>
  fc
    .record({
      pauseSeconds: seconds(1, 2, 5, 10),
      job: fc.constantFrom('night', 'source'),
      scope: fc.constantFrom('any', 'sources'),
      fresh: fc.constantFrom('night', 'run'),
      hoursAtLeast: seconds(0, 0, 20),
      maxSeconds: seconds(5, 30, 120, 18_000),
      limit: seconds(0, 1, 2, 3),
      on: fc.subarray(['429', '503', '5xx', 'network']),
      retryAfterMaxSeconds: seconds(0, 10, 60),
      waitsSeconds: fc.tuple(seconds(0, 5), seconds(5, 20), seconds(1, 60)),
      strikes: fc.constantFrom(null, 2, 4),
      counts: fc.subarray(['network', 'server-error']),
      statuses: fc.subarray([429, 503]),
      refusal: fc.record({ tls: fc.boolean(), closed: fc.boolean() }),
      filesPerSource: fc.constantFrom(null, 1, 2),
      limitMinutes: fc.constantFrom(null, 1, 3, 600),
      start: fc.constantFrom('01:00', '01:30', '13:00'),
      notRead: fc.constantFrom(
        null,
        { nights: 3, thenEveryDays: 7 },
        { nights: 0, thenEveryDays: 2 },
      ),
      redirects: fc.constantFrom('robots', 'same-site'),
      maxRedirects: seconds(0, 1, 5),
      conditional: fc.boolean(),
      sitesAtOnce: seconds(1, 4),
    })
    .map((given) => {
      const json = JSON.parse(base) as Json & { readonly fetch: { readonly page: Json } }
      const { fetch } = json
      const page = { ...fetch.page, redirects: given.redirects, maxRedirects: given.maxRedirects }
      const text = JSON.stringify({
        ...json,
        name,
        night: { timezone: 'UTC', start: given.start, limitMinutes: given.limitMinutes },
        job: given.job,
        scope: given.scope,
        pauseSeconds: given.pauseSeconds,
        once: { per: given.fresh, hoursAtLeast: given.hoursAtLeast },
        robots: { fresh: given.fresh, byHandHours: null },
        crawlDelay: { maxSeconds: given.maxSeconds },
        retries: {
          limit: given.limit,
          on: given.on,
          retryAfterMaxSeconds: given.retryAfterMaxSeconds,
          waitsSeconds: given.waitsSeconds,
        },
        strikes: { limit: given.strikes, counts: given.counts },
        backOff: { restOfNight: true, honourRetryAfter: true, statuses: given.statuses },
        refusal: given.refusal,
        budget: { filesPerSource: given.filesPerSource },
        notRead: given.notRead,
        sitesAtOnce: given.sitesAtOnce,
        fetch: { ...fetch, page: { ...page, conditional: given.conditional } },
      })
      return right(parsePolicy(name, text))
    })

const arbitrarySources: fc.Arbitrary<readonly Source[]> = fc
  .uniqueArray(
    fc.tuple(fc.constantFrom('s1', 's2'), fc.constantFrom(...HOSTS), fc.constantFrom(...PAGES)),
    {
      minLength: 1,
      maxLength: 4,
      selector: ([, host, path]) => host + path,
    },
  )
  .map((entries) =>
    // A source lies on one site: its id says which.
    entries.map(([id, host, path]) => {
      const address = url(`https://${host}${path}`)
      return { id: `${id}-${siteOf(address)}`, url: address }
    }),
  )

type Reply = Scripted | FailureWord
const robotsText = (body: string): Reply => ({ status: 200, body })
const arbitraryFault: fc.Arbitrary<Reply> = fc.oneof(
  fc.constantFrom<Reply>({ status: 404 }, { status: 500 }, { status: 503 }),
  fc.constantFrom<FailureWord>('refused', 'reset', 'tls', 'silent'),
  fc
    .tuple(fc.constantFrom(429, 503), fc.constantFrom(undefined, '5', '40', '100', '200000'))
    .map(([status, after]): Reply => {
      const headers: Header[] = after === undefined ? [] : [['Retry-After', after]]
      return { status, headers }
    }),
)
const arbitraryRedirect: fc.Arbitrary<Reply> = fc
  .tuple(fc.constantFrom(301, 307), fc.constantFrom(...ADDRESSES, 'http://b.example/new'))
  .map(([status, to]) => ({ status, headers: [['Location', to]] }))
const arbitraryRobots = fc.oneof(
  { weight: 5, arbitrary: fc.constant(robotsText('User-agent: *\nDisallow: /private')) },
  { weight: 1, arbitrary: fc.constant(robotsText('User-agent: *\nDisallow: /')) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(1, 8, 31, 121)
      .map((delay) => robotsText(`User-agent: *\nCrawl-delay: ${delay}`)),
  },
  { weight: 3, arbitrary: arbitraryFault },
  { weight: 1, arbitrary: arbitraryRedirect },
)
const arbitraryPage = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('"one"', '"two"', undefined).map((etag): Reply => ({
      status: 200,
      headers: etag === undefined ? [] : [['ETag', etag]],
      body: 'records',
    })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Reply>({ status: 304 }, { status: 403 }, { status: 401 }),
  },
  { weight: 4, arbitrary: arbitraryFault },
  { weight: 2, arbitrary: arbitraryRedirect },
)
/** What each address answers, one reply after the other, again and again. */
const arbitraryWeb = fc.tuple(
  ...ADDRESSES.map((address) =>
    fc.array(address.endsWith('/robots.txt') ? arbitraryRobots : arbitraryPage, {
      minLength: 1,
      maxLength: 4,
    }),
  ),
)

const arbitraryAct = (
  names: readonly string[],
): fc.Arbitrary<LedgerEvent & { readonly site: Site }> => {
  const person = { v: 1 as const, by: 'A. Person', note: null }
  const site = fc.constantFrom(...SITES)
  const source = fc.record({
    programme: fc.constantFrom(...names),
    site,
    id: fc.constantFrom('s1', 's2'),
  })
  return fc.oneof(
    fc
      .tuple(site, fc.constantFrom('SiteExcluded', 'SiteReadmitted', 'SiteResumed'))
      .map(([on, type]) => ({ type, ...person, site: on })),
    fc.tuple(site, seconds(0, 15, 60)).map(([on, pace]) => ({
      type: 'SitePaced' as const,
      ...person,
      site: on,
      seconds: pace,
    })),
    fc.tuple(site, fc.constantFrom('/new', '/private')).map(([on, path]) => ({
      type: 'PathExcluded' as const,
      ...person,
      site: on,
      path,
    })),
    source.map(({ programme, site: on, id }) => ({
      type: 'SourceNotRead' as const,
      v: 1 as const,
      by: 'A. Person',
      reason: 'it says no',
      programme,
      site: on,
      source: `${id}-${on}`,
    })),
    source.map(({ programme, site: on, id }) => ({
      type: 'SourceReinstated' as const,
      ...person,
      programme,
      site: on,
      source: `${id}-${on}`,
    })),
  )
}

/** Promises about facts, forms and copies of the ledger, and about runs by hand: not met with here. */
const NEVER_JUDGED: ReadonlySet<string> = new Set(
  'PK2 PK5 PK7 RC3 RC4 RC6 RC27 RC28 CL2 CL3 CL4 CL5 CL6'.split(' '),
)

const OPENING = {
  origin: 'simulated.invalid/x',
  clock: 'simulated',
  software: 'test',
  predecessor: null,
} as const

/** Some promises are judged in one history of many: only a long campaign is sure to come across all. */
const MANY = (fc.readConfigureGlobal().numRuns ?? 0) >= 1_000

class Died extends Error {}

type Scene = { readonly world: World; runs: number; readonly requests: { count: number } }

/** One process: a whole night of one programme, or as much of it as it lives. */
const process = async (
  scene: Scene,
  { policy, sources }: Ruled,
  dieAt: number,
): Promise<boolean> => {
  scene.runs += 1
  const run = `run-${scene.runs}`
  const { world } = scene
  let own = 0
  const ports = world.ports(run)
  const fetch: typeof ports.fetch = async (request) => {
    own += 1
    if (own >= dieAt) throw new Died()
    return ports.fetch(request)
  }
  try {
    await world.clock.track(() =>
      runNight(
        { ...ports, fetch },
        {
          run,
          policy,
          policyText: JSON.stringify(policy),
          sources,
          onlySites: undefined,
          onlySources: undefined,
          also: [],
          software: { software: 'test', node: '0', readers: {}, process: run },
          stop: new AbortController().signal,
          progress: () => undefined,
        },
      ),
    )
    return true
  } catch (reason) {
    if (!(reason instanceof Died)) throw reason
    world.gone.add(run)
    return false
  }
}

const act = async (world: World, event: LedgerEvent & { readonly site: Site }): Promise<void> => {
  const writer = { run: 'a-person', ports: world.ports('a-person'), sites: siteStore(world.ledger) }
  await appendFact(writer, event.site, () => [event])
}

/** The web of one night: each address goes through its replies. */
const serve = (world: World, web: readonly (readonly Reply[])[]): void => {
  const turns = new Map<string, number>()
  world.onRequest((address) => {
    const turn = turns.get(address) ?? 0
    turns.set(address, turn + 1)
    const replies = web[ADDRESSES.indexOf(address)] ?? []
    const reply = replies[turn % replies.length]
    if (reply === undefined) delete world.script[address]
    else world.script[address] = reply
    return Promise.resolve()
  })
}

const textsOf = async (world: World): Promise<ReadonlyMap<string, string>> => {
  const texts = new Map<string, string>()
  for (const { commit } of await world.of('RobotsRead')) {
    if (commit === null) continue
    const body = await world.ports('reader').bodies.get(commit)()
    if (E.isRight(body)) texts.set(commit, body.right.toString())
  }
  return texts
}

/** What was asked more often than the ledger says. */
const unrecorded = (asked: readonly string[], events: readonly Recorded[]): readonly string[] => {
  const sent = events.flatMap(({ event }) => (event.type === 'RequestSent' ? [event.url] : []))
  const count = (of: readonly string[], address: string): number =>
    of.filter((one) => one === address).length
  return [...new Set(asked)].filter((address) => count(asked, address) > count(sent, address))
}

const notClosedOnce = (events: readonly Recorded[]): readonly number[] => {
  const closed = events.flatMap(({ event }) =>
    event.type === 'ResponseReceived' ||
    event.type === 'RequestFailed' ||
    event.type === 'RequestAbandoned'
      ? [event.request]
      : [],
  )
  const sent = events.flatMap(({ event, position }) =>
    event.type === 'RequestSent' ? [position] : [],
  )
  return sent.filter((position) => closed.filter((one) => one === position).length !== 1)
}

/**
 * RC1 is broken where a process died so late that the night ended before the next one: what it had
 * not come to yet was not opened, which the auditor tells rightly.
 */
const isOfNightCutOff = (said: string, events: readonly Recorded[]): boolean => {
  const isDead = new Set(
    events.flatMap(({ event, run }) =>
      event.type === 'RunEnded' && event.status === 'abandoned' ? [run] : [],
    ),
  )
  return events.some(
    ({ event, run }) =>
      event.type === 'RunStarted' &&
      isDead.has(run) &&
      said.startsWith('RC1 ') &&
      said.includes(`in the night ${event.night} `),
  )
}

/** Names with a page of their own, so that the auditor holds them to its promises. */
const NAMES = ['pta-karo', 'public-records-check']
const arbitraryNight = fc.record({
  web: arbitraryWeb,
  acts: fc.array(arbitraryAct(NAMES), { maxLength: 2 }),
  deaths: fc.tuple(
    fc.constantFrom(Infinity, Infinity, 1, 2, 3, 5),
    fc.constantFrom(Infinity, Infinity, 1, 2, 4),
  ),
})

test('PR5–PR10, PR15, PK1, PK6, PK8–PK13, PK15, PK16, RC8–RC11, RC13–RC20, RC23, RC25 hold whatever happens', async (t) => {
  const seen = new Map<string, number>()
  const judged = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(...NAMES.map(arbitraryPolicy)),
      fc.tuple(arbitrarySources, arbitrarySources),
      fc.array(arbitraryNight, { minLength: 1, maxLength: 5 }),
      async (policies, lists, nights) => {
        const world = scriptedWorld({})
        await openLog(world.ledger, 'opening', OPENING)
        const scene: Scene = { world, runs: 0, requests: { count: 0 } }
        const ruled = policies.map((policy, i): Ruled => ({ policy, sources: lists[i] ?? [] }))
        for (const { web, acts, deaths } of nights) {
          for (const event of acts) await act(world, event)
          serve(world, web)
          await Promise.all(
            ruled.map(async (one, i) => {
              if (await process(scene, one, deaths[i] ?? Infinity)) return
              await process(scene, one, Infinity)
            }),
          )
          const [first] = ruled
          const ends = nightAt(
            first?.policy.night ?? { timezone: 'UTC', start: '01:00' },
            world.clock.now(),
          )
          await world.clock.sleepUntil(ends.endsAt)
        }
        await recover(world.crawl('the-last'))
        const texts = await textsOf(world)
        const rules = new PolitenessRules(
          new Map(ruled.map((one) => [one.policy.name, one])),
          (commit) => texts.get(commit) ?? '',
        )
        const events = await world.events()
        for (const recorded of events) {
          rules.see(recorded)
          const { type } = recorded.event
          seen.set(type, (seen.get(type) ?? 0) + 1)
          if (recorded.event.type === 'RequestWithheld') {
            const { reason } = recorded.event
            seen.set(reason, (seen.get(reason) ?? 0) + 1)
          }
        }
        assert.deepEqual(rules.breaches, [])
        const audited = await promisesOf(events, world.ports('auditor'))
        const said = saidOf(audited).filter((one) => !isOfNightCutOff(one, events))
        assert.deepEqual(said, [], 'the auditor names no breach')
        for (const { promise, checked } of audited)
          judged.set(promise, (judged.get(promise) ?? 0) + checked)
        assert.deepEqual(unrecorded(world.asked, events), [], 'CL1 all that was asked was recorded')
        assert.deepEqual(notClosedOnce(events), [], 'CL1 each request has one closing event')
      },
    ),
  )
  t.diagnostic(`came across: ${[...seen].map(([what, n]) => `${what} ${n}`).join(', ')}`)
  for (const reason of [
    'cooldown',
    'night-limit',
    'budget',
    'not-read',
    'left-alone',
    'excluded',
  ]) {
    assert.ok((seen.get(reason) ?? 0) > 0, `the histories came across ${reason}`)
  }
  if (!MANY) return
  const idle = [...judged].flatMap(([promise, checked]) => (checked === 0 ? [promise] : []))
  assert.deepEqual(
    idle.filter((promise) => !promise.startsWith('PR') && !NEVER_JUDGED.has(promise)),
    [],
    'the auditor judged each promise that such histories can show',
  )
})

/** One page that a person asks for, on the list or off it. */
const byHand = async (scene: Scene, { policy, sources }: Ruled, address: string): Promise<void> => {
  scene.runs += 1
  const run = `run-${scene.runs}`
  const { world } = scene
  await world.clock.track(() =>
    fetchByHand(world.ports(run), {
      run,
      policy,
      policyText: JSON.stringify(policy),
      url: url(address),
      sources,
      also: policy.scope === 'any' ? [] : [siteOf(url('https://c.example/'))],
      software: { software: 'test', node: '0', readers: {}, process: run },
      stop: new AbortController().signal,
    }),
  )
}

const arbitraryHand = fc.record({
  by: fc.constantFrom(0, 1),
  address: fc.constantFrom(
    ...HOSTS.flatMap((host) => PAGES.map((path) => `https://${host}${path}`)),
  ),
  afterHours: seconds(0, 1, 23, 24, 25, 48),
})

test('PK2, PK7, RC28: runs by hand between the nights keep every promise, as the auditor sees it', async () => {
  const judged = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(...NAMES.map(arbitraryPolicy)),
      fc.tuple(fc.constantFrom(null, 1, 24), fc.constantFrom(null, 24)),
      fc.tuple(arbitrarySources, arbitrarySources),
      fc.array(fc.tuple(arbitraryWeb, fc.boolean(), fc.array(arbitraryHand, { maxLength: 3 })), {
        minLength: 1,
        maxLength: 4,
      }),
      async (policies, hours, lists, steps) => {
        const world = scriptedWorld({})
        await openLog(world.ledger, 'opening', OPENING)
        const scene: Scene = { world, runs: 0, requests: { count: 0 } }
        const ruled = policies.map((given, i): Ruled => {
          const robots = { ...given.robots, byHandHours: hours[i] ?? null }
          return { policy: { ...given, robots }, sources: lists[i] ?? [] }
        })
        for (const [web, isNight, hands] of steps) {
          serve(world, web)
          if (isNight) await Promise.all(ruled.map((one) => process(scene, one, Infinity)))
          for (const { by, address, afterHours } of hands) {
            await world.clock.sleepUntil(later(world.clock.now(), afterHours * 3_600_000))
            const one = ruled[by]
            if (one !== undefined) await byHand(scene, one, address)
          }
        }
        const audited = await promisesOf(await world.events(), world.ports('auditor'))
        // That no night was run for days is how these histories are made, and told rightly (RC1).
        assert.deepEqual(
          saidOf(audited).filter((said) => !said.includes('no night was run between')),
          [],
        )
        for (const { promise, checked } of audited)
          judged.set(promise, (judged.get(promise) ?? 0) + checked)
      },
    ),
  )
  for (const promise of ['PK2', 'PK7', 'RC28'])
    assert.ok(!MANY || (judged.get(promise) ?? 0) > 0, `the auditor judged ${promise}`)
})

test('nothing is left out either: where every server is well, each job reads each of its pages', async () => {
  await fc.assert(
    fc.asyncProperty(
      arbitraryPolicy('first-bot'),
      arbitrarySources,
      fc.integer({ min: 1, max: 3 }),
      async (given, sources, nights) => {
        const night = { ...given.night, limitMinutes: null }
        const budget = { filesPerSource: null }
        const once = { ...given.once, hoursAtLeast: 0 }
        const policy: Policy = { ...given, night, budget, once }
        const world = scriptedWorld({})
        const scene: Scene = { world, runs: 0, requests: { count: 0 } }
        for (const address of ADDRESSES) {
          world.script[address] = { status: 200, body: 'User-agent: *\nDisallow: /elsewhere' }
        }
        for (let i = 0; i < nights; i += 1) {
          await process(scene, { policy, sources }, Infinity)
          await world.clock.sleepUntil(nightAt(policy.night, world.clock.now()).endsAt)
        }
        const sent = (await world.of('RequestSent')).filter(({ purpose }) => purpose === 'page')
        assert.deepEqual(
          sent.map(({ source, url: address }) => `${source} ${address}`).toSorted(),
          Array.from({ length: nights }, () =>
            sources.map(({ id, url: address }) => `${id} ${address}`),
          )
            .flat()
            .toSorted(),
        )
      },
    ),
  )
})
