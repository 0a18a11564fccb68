/** Events one by one, as their codecs allow, and histories as a crawl writes them. */
import { readFileSync } from 'node:fs'
import { EVENTS, type LedgerEvent } from '../../../src/ledger/event.ts'
import type { Recorded } from '../../../src/ledger/entry.ts'
import { siteStream } from '../../../src/ledger/stream.ts'
import { type Ending, History, url } from '../history.ts'
import { fc } from '../property.ts'
import { numbered } from '../recorded-ledger.ts'
import { anyOf } from './codec.ts'
import { anyInstant, anySite } from './kernel.ts'

export const anyEvent: fc.Arbitrary<LedgerEvent> = fc.oneof(
  // The arbitrary of a codec gives what the codec takes for its own.
  ...EVENTS.map(({ codec }) => anyOf(codec) as fc.Arbitrary<LedgerEvent>),
)

/** Unlinked events of every type in a row: what a total fold has to bear. */
export const anyRecorded: fc.Arbitrary<readonly Recorded[]> = fc
  .array(
    fc.record({
      ts: anyInstant,
      stream: anySite.map(siteStream),
      version: fc.integer({ min: 1, max: 1_000_000 }),
      run: fc.string({ maxLength: 64 }),
      event: anyEvent,
    }),
    { maxLength: 60 },
  )
  .map(numbered)

const SITES = ['one.example', 'two.example', 'three.test', 'name.github.io']
const NETWORK = 'https://network.test/sellers.json'

const anySiteName = fc.constantFrom(...SITES)

const ADS_TXT = [
  'ads.example, 1, DIRECT\n',
  '# hello\nads.example, 1, DIRECT\n',
  'ads.example, 1, DIRECT\nother.example 2, RESELLER\n',
  'placeholder.example.com, placeholder, DIRECT, placeholder\n',
  'contact=ads\u0000ops\n',
  '',
  '<html><body>not found</body></html>',
]
const SELLERS = [
  '{"version":"1.0","sellers":[{"seller_id":"1","name":"A","domain":"one.example","seller_type":"PUBLISHER"}]}',
  '{"version":"1.0","sellers":[]}',
  '{"sellers":[{"seller_id":"1","domain":"two.example","seller_type":"BOTH"},{"seller_id":"2"}]}',
  '{"sellers":[{"seller_id":"\\u0000\\ud800","seller_type":"BOTH","is_confidential":1}]}',
  'not json',
]

const anyEnding = (bodies: readonly string[]): fc.Arbitrary<Ending> =>
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        tag: fc.constant('answer' as const),
        status: fc.constantFrom(200, 200, 200, 404, 403, 429, 503),
        body: fc.constantFrom(...bodies),
        type: fc.constantFrom('text/plain', 'text/plain; charset=utf-8', 'text/html'),
      }),
    },
    fc.record({
      tag: fc.constant('failure' as const),
      reason: fc.constantFrom('dns' as const, 'connect-timeout' as const, 'reset' as const),
    }),
    fc.constant({ tag: 'abandoned' as const }),
    fc.constant({ tag: 'open' as const }),
  )

const ROBOTS_TXT = [
  'User-agent: *\nDisallow: /\n',
  'User-agent: *\nDisallow: /private\nCrawl-delay: 2\n',
  'User-agent: * Disallow: /\n',
  'User-agent: PlainReckonerBot\nCrawl-delay: 7\n\nUser-agent: *\nDisallow: /\n',
]

const POLICY = readFileSync(
  new URL('../../../src/programmes/plain-reckoner/policy.json', import.meta.url),
  'utf8',
)

type Step = (history: History) => unknown

const anyFetch: fc.Arbitrary<Step> = fc
  .record({
    site: anySiteName,
    redirects: fc.array(fc.constantFrom(301, 302, 308), { maxLength: 2 }),
    cooldownMs: fc.option(fc.integer({ min: 1, max: 86_400_000 }), { nil: undefined }),
    ending: anyEnding(ADS_TXT),
  })
  .map(({ site, redirects, cooldownMs, ending }) => (history) => {
    const wait = cooldownMs === undefined ? {} : { cooldownMs }
    return history.fetch({ site, purpose: 'ads-txt', redirects, ...wait }, ending)
  })

const anyNetworkFetch: fc.Arbitrary<Step> = anyEnding(SELLERS).map((ending) => (history) => {
  const asked = { site: 'network.test', purpose: 'sellers-json' as const, target: NETWORK }
  return history.fetch(asked, ending)
})

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: anyFetch },
  { weight: 2, arbitrary: anyNetworkFetch },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        anySiteName,
        fc.constantFrom('rules', 'unavailable', 'unreachable'),
        fc.constantFrom(undefined, ...ROBOTS_TXT),
      )
      .map(
        ([site, access, body]): Step =>
          (history) =>
            history.robotsRead(site, access, null, access === 'rules' ? body : undefined),
      ),
  },
  fc
    .tuple(
      anySiteName,
      fc.constantFrom('one', 'two', null),
      fc.constantFrom('read', 'read', 'truncated'),
      fc.option(anySiteName, { nil: undefined }),
    )
    .map(
      ([site, manager, read, landed]): Step =>
        (history) =>
          history.observe(site, manager, { read }, landed),
    ),
  anySiteName.map(
    (site): Step =>
      (history) =>
        history.withhold(site, 'homepage', 'cooldown'),
  ),
  anySiteName.map(
    (site): Step =>
      (history) =>
        history.stop(site, []),
  ),
  fc.tuple(fc.constantFrom('SiteExcluded', 'SiteReadmitted', 'SiteResumed'), anySiteName).map(
    ([type, site]): Step =>
      (history) =>
        history.act(type, site),
  ),
  fc
    .tuple(anySiteName, fc.constantFrom('7', '\u0000'))
    .map(([site, sellerId]): Step => (history) => {
      const request = history.request(
        { site: 'network.test', purpose: 'sellers-json' },
        url(NETWORK),
        0,
        { tag: 'open' },
      )
      history.list(site, [{ source: 'n', request, index: 0, sellerId, domain: site }])
    }),
  fc.constant<Step>((history) => history.adoptSources(['network', NETWORK])),
  fc.integer({ min: 1, max: 5 }).map(
    (n): Step =>
      (history) =>
        history.startRun(`run-${n}`),
  ),
  fc.constant<Step>((history) => history.endRun()),
)

const grown = (steps: readonly Step[]): History => {
  const history = new History()
  history.adoptPolicy(POLICY)
  for (const step of steps) step(history)
  return history
}

const answered = (body: string): Ending => ({ tag: 'answer', status: 200, body })

/** Something that can be told from what came before. */
const anyChange: fc.Arbitrary<Step> = fc.oneof(
  fc
    .tuple(fc.constantFrom('one.example', 'two.example'), fc.constantFrom(...ADS_TXT))
    .map(([site, body]): Step => (history) => {
      history.fetch({ site, purpose: 'ads-txt' }, answered(body))
    }),
  fc.constantFrom(...SELLERS).map((body): Step => (history) => {
    const asked = { site: 'network.test', purpose: 'sellers-json' as const, target: NETWORK }
    history.fetch(asked, answered(body))
  }),
  fc.constantFrom(...ROBOTS_TXT).map((body): Step => (history) => {
    history.robotsRead('one.example', 'rules', null, body)
  }),
  fc
    .tuple(fc.constantFrom('a', 'b', null), fc.constantFrom('one.example', 'two.example'))
    .map(([manager, landed]): Step => (history) => {
      history.observe('one.example', manager, {}, landed)
    }),
)

/** What a crawl may write in some nights: linked requests, closings, conclusions, acts. Some of few sites that change often. */
export const anyHistory: fc.Arbitrary<History> = fc
  .oneof(
    { weight: 2, arbitrary: fc.array(anyStep, { maxLength: 40 }) },
    {
      weight: 1,
      arbitrary: fc.array(fc.oneof({ weight: 5, arbitrary: anyChange }, anyStep), {
        minLength: 10,
        maxLength: 40,
      }),
    },
  )
  .map(grown)
