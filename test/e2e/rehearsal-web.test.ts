import { deepEqual, equal, match, notDeepEqual, ok } from 'node:assert/strict'
import { connect } from 'node:net'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { CATALOGUE } from '../../scripts/rehearsal/catalogue/index.ts'
import { networkHosts } from '../../scripts/rehearsal/networks.ts'
import { publisher } from '../../scripts/rehearsal/publisher.ts'
import { plainText } from '../../scripts/rehearsal/reply.ts'
import { type RehearsalWeb, startRehearsalWeb } from '../../scripts/rehearsal/web.ts'
import { simulatedClock } from '../../src/adapters/system/simulated-clock.ts'
import { instant } from '../../src/kernel/instant.ts'
import { siteOfHost } from '../../src/kernel/site.ts'
import { type Got, get, type Patience, portFor } from '../support/plain-client.ts'

const START = Date.UTC(2031, 0, 1, 1)
const newClock = () => simulatedClock(instant(START))

type Check = RegExp | ((got: Got) => void)
/** On these nights, this address gives this outcome. */
type Row = readonly [nights: readonly number[], path: string, outcome: string, check?: Check]

const header = (got: Got, name: string): string | undefined =>
  got.headers.find(([key]) => key.toLowerCase() === name)?.[1]
const has =
  (name: string, value: string | undefined): Check =>
  (got) =>
    equal(header(got, name), value)
const bytes =
  (least: number): Check =>
  ({ body }) =>
    ok(body.length >= least, `${body.length} bytes`)

const RECORDS = /^adnet-one\.example, \d{8}, DIRECT$/m
const OPEN = /^User-agent: \*\nDisallow: \/private\/\n$/
const SHUT = /^User-agent: \*\nDisallow: \/\n$/
const SECRET = /secret-[0-9a-f]{24}/

const robots = (nights: readonly number[], outcome: string, check?: Check): Row =>
  check === undefined ? [nights, '/robots.txt', outcome] : [nights, '/robots.txt', outcome, check]
const ads = (nights: readonly number[], outcome: string, check?: Check): Row =>
  check === undefined ? [nights, '/ads.txt', outcome] : [nights, '/ads.txt', outcome, check]
const home = (nights: readonly number[], outcome: string, check?: Check): Row =>
  check === undefined ? [nights, '/', outcome] : [nights, '/', outcome, check]

const works: readonly Row[] = [
  robots([1, 9], '200', OPEN),
  ads([1, 9], '200', RECORDS),
  home([1, 9], '200', SECRET),
  [[1], '/about', '404'],
]
const crawlDelay = (seconds: number): readonly Row[] => [
  robots([1, 3], '200', new RegExp(`^Crawl-delay: ${seconds}$`, 'm')),
]
/** Four hosts, one status each: the apex leads to www, www has the file. */
const apex = (host: string, status: number): readonly Row[] => [
  ads([1, 2], `${status} https://www.${host}/ads.txt`),
]
const doorOf = (
  shut: string,
  nights: readonly number[],
  open: readonly number[],
): readonly Row[] => [robots(nights, shut), ads(nights, shut), robots(open, '200')]
const manager = (host: string): Check => new RegExp(`src=["']?[^<>]*${host.replaceAll('.', '\\.')}`)

const TABLE: Readonly<Record<string, readonly Row[]>> = {
  'steady-press.example': [
    robots(
      [1, 8],
      '200',
      /^User-agent: GreedyBot\nDisallow: \/\n\nUser-agent: \*\nDisallow: \/private\/\n/,
    ),
    ads([1, 8], '200', RECORDS),
    home([1, 8], '200', manager('scripts.mediavine.com')),
  ],
  'plain-daily.test': [robots([1], '404'), home([1], '200', /ads\.adthrive\.com/)],
  'no-rules.example': [robots([1], '200', /^$/), home([1], '200', manager('www.ezojs.com'))],
  'shouted-name.example': [...works, home([1], '200', manager('monu.delivery'))],
  'by-subdomain.example': [...works, home([1], '200', manager('a.pub.network'))],
  'rehearsal-press.github.io': works,
  'in-both-lists.example': works,
  'no-manager.example': [home([1], '200', manager('securepubads.g.doubleclick.net'))],
  'both-roles.example': works,
  'middleman.example': works,
  'never-asked.example': works,
  'leaves-the-list.example': works,
  'joins-late.example': works,
  'line-breaks.example': [
    ads([1, 2, 6], '200', RECORDS),
    ads([3, 5], '200', /^adnet-one\.example \d{8}, DIRECT$/m),
  ],
  'turns-reseller.example': [
    ads([1, 3], '200', RECORDS),
    ads([4, 12], '200', /^adnet-one\.example, \d{8}, RESELLER$/m),
  ],
  'file-vanishes.example': [ads([1, 2, 6], '200', RECORDS), ads([3, 5], '404')],
  'shuts-the-door.example': [
    robots([1, 3, 8], '200', /^User-agent: \*\nAllow: \/\n$/),
    robots([4, 7], '200', /^User-agent: PlainReckonerBot\nDisallow: \/\n/),
  ],
  'changes-manager.example': [
    home([1, 4], '200', manager('scripts.mediavine.com')),
    home([5, 12], '200', /ads\.adthrive\.com/),
  ],

  'blocks-us.example': [robots([1, 5], '200', /\n\nUser-agent: PlainReckonerBot\nDisallow: \/\n$/)],
  'welcomes-us.example': [
    robots(
      [1, 5],
      '200',
      /^User-agent: \*\nDisallow: \/\n\nUser-agent: plainreckonerbot\nDisallow:\n$/,
    ),
  ],
  'blocks-all.example': [robots([1, 5], '200', SHUT)],
  'blocks-root.example': [robots([1, 5], '200', /^Disallow: \/\$$/m)],
  'blocks-ads.example': [robots([1, 5], '200', /^Disallow: \/ads$/m), ads([1], '200', RECORDS)],
  'crawl-delay-5.example': crawlDelay(5),
  'crawl-delay-30.example': crawlDelay(30),
  'crawl-delay-31.example': crawlDelay(31),
  'crawl-delay-60.example': crawlDelay(60),
  'robots-html.example': [robots([1], '200', has('content-type', 'text/html; charset=utf-8'))],
  'robots-huge.example': [
    robots([1], '200', bytes(2_097_153)),
    robots([1], '200', /\nDisallow: \/\n$/),
  ],
  'robots-403.example': [robots([1, 4], '403')],
  'robots-429.example': [
    robots([1, 4], '200', OPEN),
    robots([2, 3], '429', has('retry-after', undefined)),
  ],
  'robots-429-seconds.example': [
    robots([1, 4], '200', OPEN),
    robots([2, 3], '429', has('retry-after', '120')),
  ],
  'robots-429-date.example': [
    robots([1, 3], '200', OPEN),
    robots([2], '429', has('retry-after', 'Wed, 01 Jan 2031 07:00:00 GMT')),
  ],
  'robots-429-days.example': [
    robots([1, 3], '200', OPEN),
    robots([2], '429', has('retry-after', '172800')),
  ],
  'robots-500.example': [robots([1, 12], '500')],
  'robots-503.example': [
    robots([1, 5], '200', OPEN),
    robots([2, 4], '503', has('retry-after', undefined)),
  ],
  'robots-503-later.example': [
    robots([1, 5], '200', OPEN),
    robots([2, 4], '503', has('retry-after', '3600')),
  ],
  'robots-silent.example': [robots([1, 4], '200', OPEN), robots([2, 3], 'gave up')],
  'robots-reset.example': [robots([1, 4], '200', OPEN), robots([2, 3], 'reset')],
  'robots-five-hops.example': [
    robots([1], '302 /robots-1.txt'),
    [[1], '/robots-4.txt', '302 /robots-5.txt'],
    [[1], '/robots-5.txt', '200', SHUT],
    [[1], '/elsewhere', '404'],
  ],
  'robots-six-hops.example': [
    robots([1], '302 /robots-1.txt'),
    [[1], '/robots-5.txt', '302 /robots-6.txt'],
    [[1], '/robots-6.txt', '200', SHUT],
  ],
  'robots-away.example': [robots([1], '301 https://robots-elsewhere.example/hosted-robots.txt')],
  'robots-elsewhere.example': [
    [[1], '/hosted-robots.txt', '200', SHUT],
    [[1], '/other', '404'],
  ],
  'robots-loop.example': [robots([1], '302 /robots.txt')],

  'refused.example': doorOf('refused', [1, 2, 9], []),
  'reset.example': doorOf('reset', [1, 2, 9], []),
  'silent-door.example': doorOf('gave up', [2, 3], [1, 4]),
  'down-four.example': doorOf('reset', [2, 3, 4, 5], [1, 6]),
  'down-three.example': doorOf('reset', [2, 3, 4], [1, 5]),
  'flapping.example': doorOf('reset', [2, 4, 6, 8], [1, 5, 9]),
  'tls-wrong-name.example': doorOf('ERR_TLS_CERT_ALTNAME_INVALID', [1, 2, 9], []),
  'tls-expired.example': doorOf('CERT_HAS_EXPIRED', [1, 2, 9], []),
  'tls-renewed.example': doorOf('CERT_HAS_EXPIRED', [2, 3], [1, 4]),
  'busy-six.example': [
    robots([1, 8], '200'),
    robots([2, 7], '503'),
    ads([1, 8], '200'),
    ads([2, 7], '503'),
    home([2, 7], '503'),
    home([1, 8], '200'),
  ],
  'cut-short.example': [ads([1, 3], 'cut short after 200', RECORDS)],
  'reset-midway.example': [robots([1], '200'), ads([1, 3], 'reset')],
  'not-http.example': [ads([1, 3], 'HPE_INVALID_CONSTANT')],
  'huge-head.example': [ads([1, 3], 'HPE_HEADER_OVERFLOW')],

  'ads-429.example': [ads([1, 4], '200', RECORDS), ads([2, 3], '429', has('retry-after', '90'))],
  'ads-503.example': [ads([1, 4], '200', RECORDS), ads([2, 3], '503', has('retry-after', '600'))],
  'ads-500.example': [ads([1, 7], '200', RECORDS), ads([2, 6], '500')],
  'ads-403.example': [ads([1, 4], '200', RECORDS), ads([2, 3], '403')],
  'ads-410.example': [ads([1, 9], '410')],
  'ads-silent.example': [ads([1, 4], '200', RECORDS), ads([2, 3], 'gave up')],
  'ads-drip.example': [
    ads([1, 4], '200', RECORDS),
    ads([2, 3], 'gave up after 200', ({ body }) => match(body.toString(), /^# ?a?$/)),
  ],
  'ads-soft-404.example': [ads([1], '200', /not found/i)],
  'ads-html-type.example': [
    ads([1], '200', has('content-type', 'text/html; charset=utf-8')),
    ads([1], '200', RECORDS),
  ],
  'ads-no-type.example': [
    ads([1], '200', has('content-type', undefined)),
    ads([1], '200', RECORDS),
  ],
  'ads-gzip.example': [
    ads([1], '200', has('content-encoding', 'gzip')),
    ads([1], '200', ({ body }) => match(gunzipSync(body).toString(), RECORDS)),
  ],
  'ads-brotli.example': [
    ads([1], '200', has('content-encoding', 'br')),
    ads([1], '200', ({ body }) => match(brotliDecompressSync(body).toString(), RECORDS)),
  ],
  'ads-bomb.example': [
    ads([1], '200', ({ body }) => {
      ok(body.length < 100_000)
      equal(gunzipSync(body).length, 64_000_000)
    }),
  ],
  'ads-chunked.example': [
    ads([1], '200', has('transfer-encoding', 'chunked')),
    ads([1], '200', has('content-length', undefined)),
    ads([1], '200', RECORDS),
  ],
  'ads-close.example': [
    ads([1], '200', has('transfer-encoding', undefined)),
    ads([1], '200', has('content-length', undefined)),
    ads([1], '200', RECORDS),
  ],
  'ads-empty.example': [ads([1], '200', /^$/)],
  'ads-1252.example': [
    ads([1], '200', has('content-type', 'text/plain; charset=windows-1252')),
    ads([1], '200', ({ body }) => match(body.toString('latin1'), /^# Café Zürich/)),
  ],
  'ads-huge.example': [ads([1], '200', bytes(5_242_881))],

  'hosted-ads.example': [
    [[1], '/ads-hosted.example/ads.txt', '200', /^OWNERDOMAIN=ads-hosted\.example$/m],
    [[1], '/onward/ads.txt', '302 https://third-party.example/ads.txt'],
    [[1], '/else', '404'],
  ],
  'third-party.example': works,
  'ads-301.example': apex('ads-301.example', 301),
  'www.ads-301.example': works,
  'ads-302.example': apex('ads-302.example', 302),
  'www.ads-302.example': works,
  'ads-307.example': apex('ads-307.example', 307),
  'www.ads-307.example': works,
  'ads-308.example': apex('ads-308.example', 308),
  'www.ads-308.example': works,
  'ads-three-hops.example': [
    ads([1], '302 /ads-1.txt'),
    [[1], '/ads-2.txt', '302 /ads-3.txt'],
    [[1], '/ads-3.txt', '200', RECORDS],
    [[1], '/ads-4.txt', '404'],
    [[1], '/other', '404'],
  ],
  'ads-six-hops.example': [
    ads([1], '302 /ads-1.txt'),
    [[1], '/ads-5.txt', '302 /ads-6.txt'],
    [[1], '/ads-6.txt', '200', RECORDS],
  ],
  'ads-hosted.example': [ads([1], '302 https://hosted-ads.example/ads-hosted.example/ads.txt')],
  'ads-two-out.example': [ads([1], '302 https://hosted-ads.example/onward/ads.txt')],
  'ads-downgrade.example': [ads([1], '302 http://ads-downgrade.example/ads.txt')],
  'ads-loop.example': [ads([1], '302 /ads.txt')],
  'ads-to-file.example': [ads([1], '302 file:///etc/passwd')],
  'ads-to-metadata.example': [ads([1], '302 https://169.254.169.254/latest/meta-data/')],
  'ads-to-userinfo.example': [
    ads([1], '302 https://someone:secret@hosted-ads.example/ads-to-userinfo.example/ads.txt'),
  ],
  'ads-two-locations.example': [
    ads(
      [1],
      '302 https://hosted-ads.example/ads-two-locations.example/ads.txt https://third-party.example/ads.txt',
    ),
  ],
  'ads-no-location.example': [ads([1], '302')],

  'home-www.example': [home([1], '301 https://www.home-www.example/')],
  'www.home-www.example': [home([1], '200', manager('www.ezojs.com'))],
  'home-www-blocked.example': [home([1], '301 https://www.home-www-blocked.example/')],
  'www.home-www-blocked.example': [robots([1], '200', SHUT), home([1], '200', SECRET)],
  'home-en.example': [home([1], '302 /en/'), [[1], '/en/', '200'], [[1], '/de/', '404']],
  'home-away.example': [home([1], '302 https://third-party.example/')],
  'home-refresh.example': [
    home([1], '200', /<meta http-equiv="refresh" content="0; url=\/en\/">/),
    [[1], '/en/', '404'],
  ],
  'home-captcha.example': [home([1, 4], '200', /CAPTCHA/)],
  'home-captcha-403.example': [home([1, 4], '403', /CAPTCHA/)],
  'home-403.example': [home([1, 6], '200', SECRET), home([2, 5], '403')],
  'home-429.example': [home([1, 3], '200', SECRET), home([2], '429', has('retry-after', '172800'))],
  'home-500.example': [home([1, 7], '200', SECRET), home([2, 6], '500')],
  'home-gzip.example': [
    home([1], '200', has('content-encoding', 'gzip')),
    home([1], '200', ({ body }) => match(gunzipSync(body).toString(), /a\.pub\.network/)),
  ],
  'home-chunked.example': [
    home([1], '200', has('transfer-encoding', 'chunked')),
    home([1], '200', manager('monu.delivery')),
  ],
  'home-huge.example': [home([1], '200', bytes(5_242_881)), home([1], '200', SECRET)],
  'home-empty.example': [home([1], '200', /^$/)],

  'adnet-one.example': [robots([1], '200', OPEN), [[1, 9], '/sellers.json', '200', /"sellers"/]],
  'adnet-two.example': [
    robots([1], '200', OPEN),
    [[1, 8, 10], '/sellers.json', '200', /"sellers"/],
    [[9], '/sellers.json', '500'],
  ],
}

/** Long enough for a server to answer if it means to, once the request has come to it. */
const SILENCE_MS = 100

/** Aborts when the host has kept a new request, or a new connection without one, for a while. */
const whenSilent = (web: RehearsalWeb, host: string): AbortSignal => {
  const gone = new AbortController()
  const last = web.connections().length
  const silent = (): boolean =>
    web.log().some((line) => line.host === host && line.endedAt === null) ||
    web
      .connections()
      .some((line) => line.serial > last && line.host === host && line.requests === 0)
  void (async () => {
    while (!silent()) await pause(5)
    await pause(SILENCE_MS)
    if (silent()) gone.abort()
  })()
  return gone.signal
}

const checkRow = async (web: RehearsalWeb, host: string, row: Row): Promise<void> => {
  const [, path, outcome, check] = row
  const patience: Readonly<Record<string, () => Patience>> = {
    'gave up': () => whenSilent(web, host),
    'gave up after 200': () => 'first-byte',
  }
  const got = await get(web, `https://${host}${path}`, patience[outcome]?.())
  equal(got.outcome, outcome, `${host}${path}`)
  if (check instanceof RegExp) match(got.body.toString(), check, `${host}${path}`)
  else check?.(got)
}

describe('every host does what the table says, night for night', () => {
  let web: RehearsalWeb
  before(async () => {
    web = await startRehearsalWeb({ clock: newClock(), seed: 7 })
  })
  after(() => web.close())

  const rows = Object.entries(TABLE).flatMap(([host, ofHost]) =>
    ofHost.map((row) => ({ host, row })),
  )
  const nights = [...new Set(rows.flatMap(({ row: [on] }) => on))].sort((a, b) => a - b)
  for (const night of nights)
    test(`night ${night}`, async () => {
      web.startNight(night - 1)
      const tonight = rows.filter(({ row: [on] }) => on.includes(night))
      await Promise.all(
        [...Map.groupBy(tonight, ({ host }) => siteOfHost(host)).values()].map(async (ofSite) => {
          for (const { host, row } of ofSite) await checkRow(web, host, row)
        }),
      )
    })

  test('the access log has every request of this table once, and nothing else', async () => {
    for (let count = 0; count < 20; count += 1) await turn()
    const asked = rows.flatMap(({ host, row: [on, path, outcome] }) =>
      on.map(() => ({ host, path, outcome })),
    )
    // What ends before a request is read leaves a connection, or not even that.
    const unread = ({ host, outcome }: { host: string; outcome: string }): boolean =>
      /refused|ERR_TLS|CERT_/.test(outcome) ||
      (/reset|gave up/.test(outcome) && /^(reset\.|silent-door|down-|flapping)/.test(host))
    const line = (status: number | null, host: string, path: string): string =>
      `${host}${path} ${status}`
    const expected = asked
      .filter((one) => !unread(one))
      .map(({ host, path, outcome }) => {
        const head = outcome === 'HPE_HEADER_OVERFLOW' ? '200' : /\b\d{3}\b/.exec(outcome)?.[0]
        return line(head === undefined ? null : Number(head), host, path)
      })
    const seen = web.log().map(({ status, host, path }) => line(status, host, path))
    deepEqual(seen.sort(), expected.sort())
    const idle = web.connections().filter(({ requests }) => requests === 0)
    deepEqual(
      idle.map(({ host }) => host).sort(),
      asked
        .filter((one) => unread(one) && one.outcome !== 'refused')
        .map(({ host }) => host)
        .sort(),
    )
    for (const entry of web.log()) {
      equal(entry.scheme, 'https')
      equal(entry.method, 'GET')
      equal(entry.httpVersion, '1.1')
      equal(entry.overlapping, false, `${entry.host}${entry.path}`)
      notDeepEqual(entry.endedAt, null, `${entry.host}${entry.path} is still open`)
    }
  })

  test('every host of the catalogue stands in this table', () => {
    const hosts = [...CATALOGUE, ...networkHosts(CATALOGUE)].map(({ host }) => host)
    deepEqual(Object.keys(TABLE).sort(), [...hosts].sort())
    equal(new Set(hosts).size, hosts.length)
  })
})

const few = [
  publisher({ host: 'one.example', about: 'Works.' }),
  publisher({ host: 'www.one.example', about: 'Works.', listed: false }),
  publisher({ host: 'two.example', about: 'Never answers.', robots: () => ({ tag: 'silence' }) }),
]

const withWeb = async (
  use: (web: RehearsalWeb, clock: ReturnType<typeof newClock>) => Promise<void>,
  seed = 1,
): Promise<void> => {
  const clock = newClock()
  const web = await startRehearsalWeb({ clock, seed, publishers: few })
  try {
    await use(web, clock)
  } finally {
    await web.close()
  }
}

test('a request is logged as it came, at the moment of the rehearsal’s clock', () =>
  withWeb(async (web, clock) => {
    await clock.track(() => clock.sleepUntil(instant(START + 86_400_000)))
    const got = await get(web, 'https://one.example/ads.txt?x=1')
    equal(got.outcome, '404')
    equal(header(got, 'date'), 'Thu, 02 Jan 2031 01:00:00 GMT')
    const [line] = web.log()
    deepEqual(line, {
      at: START + 86_400_000,
      endedAt: START + 86_400_000,
      host: 'one.example',
      scheme: 'https',
      port: portFor(web, new URL('https://one.example/')),
      method: 'GET',
      path: '/ads.txt?x=1',
      httpVersion: '1.1',
      headers: [
        ['Host', 'one.example'],
        ['X-Asked-By', 'plain client'],
        ['Connection', 'close'],
      ],
      status: 404,
      connection: 1,
      overlapping: false,
    })
  }))

test('plain http leads to https, path and query with it', () =>
  withWeb(async (web) => {
    const { outcome } = await get(web, 'http://one.example/ads.txt?x=1')
    equal(outcome, '301 https://one.example/ads.txt?x=1')
    deepEqual(
      web.log().map(({ scheme, status }) => [scheme, status]),
      [['http', 301]],
    )
  }))

test('PR6 a request that comes while another to the same site is open is marked, whatever its host', () =>
  withWeb(async (web) => {
    const patience = new AbortController()
    const open = get(web, 'https://two.example/robots.txt', patience.signal)
    while (web.log().length === 0) await turn()
    equal(web.log()[0]?.endedAt, null)
    await get(web, 'https://one.example/')
    await get(web, 'https://www.one.example/')
    await get(web, 'https://two.example/ads.txt')
    deepEqual(
      web.log().map(({ host, path, overlapping }) => `${host}${path} ${overlapping}`),
      [
        'two.example/robots.txt false',
        'one.example/ false',
        'www.one.example/ false',
        'two.example/ads.txt true',
      ],
    )
    patience.abort()
    equal((await open).outcome, 'gave up')
    while (web.log()[0]?.endedAt === null) await turn()
    await get(web, 'https://two.example/ads.txt')
    equal(web.log().at(-1)?.overlapping, false)
  }))

test('a connection without a request is logged, and so is one that sends no HTTP', () =>
  withWeb(async (web) => {
    const port = portFor(web, new URL('http://one.example/'))
    for (const bytes of ['', 'nonsense\r\n\r\n']) {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      socket.end(bytes)
      await once(socket.resume(), 'close')
    }
    deepEqual(web.log(), [])
    deepEqual(
      web
        .connections()
        .map(({ serial, host, scheme, requests }) => [serial, host, scheme, requests]),
      [
        [1, 'one.example', 'http', 0],
        [2, 'one.example', 'http', 0],
      ],
    )
  }))

test('whatever host the web does not have can be led to the trap, which logs who comes', () =>
  withWeb(async (web) => {
    deepEqual(
      web.trapRules.map((rule) => rule.replace(/\d+$/, 'PORT')),
      ['*:80=127.0.0.1:PORT', '*:443=127.0.0.1:PORT'],
    )
    const trap = web.trapRules.map((rule) => rule.replace('*', 'anywhere.example'))
    const { outcome } = await get({ ...web, resolveRules: trap }, 'http://anywhere.example/x')
    equal(outcome, '301 https://*/x')
    deepEqual(
      web.log().map(({ host, path }) => [host, path]),
      [['*', '/x']],
    )
  }))

type SellersJson = { readonly sellers: readonly Readonly<Record<string, string | number>>[] }

test('PR16 the networks name the publishers night by night, with everything such files hold', async () => {
  const web = await startRehearsalWeb({ clock: newClock(), seed: 3 })
  const domains = async (id: string, night: number): Promise<readonly unknown[]> => {
    web.startNight(night - 1)
    const url = web.networks.find((network) => network.id === id)?.url ?? ''
    const { sellers } = JSON.parse((await get(web, url)).body.toString()) as SellersJson
    return sellers.map((seller) => seller['domain'])
  }
  try {
    const one = await domains('adnet-one', 1)
    const unlisted = CATALOGUE.filter(({ listings }) => listings.length === 0)
    ok(one.length > 80)
    for (const name of [
      'SHOUTED-NAME.Example',
      'news.by-subdomain.example',
      'not a domain',
      undefined,
    ])
      ok(one.includes(name), String(name))
    for (const { host } of unlisted) ok(!one.includes(host), host)
    const two = async (night: number) =>
      (await domains('adnet-two', night)).filter((name) => typeof name === 'string')
    const always = ['in-both-lists.example', 'in-both-lists.example']
    const last = ['both-roles.example', '192.0.2.7', 'github.io']
    deepEqual(await two(1), [...always, 'leaves-the-list.example', ...last])
    deepEqual(await two(5), [...always, 'leaves-the-list.example', 'joins-late.example', ...last])
    deepEqual(await two(6), [...always, 'joins-late.example', ...last])
  } finally {
    await web.close()
  }
})

test('PR12 the secrets are in the homepages, and nowhere in the files that are kept', () =>
  withWeb(async (web) => {
    const page = await get(web, 'https://one.example/')
    const [secret = ''] = web.secrets
    match(secret, SECRET)
    ok(page.body.includes(secret))
    equal(header(page, 'etag'), `"${secret}"`)
    ok(header(page, 'set-cookie')?.includes(secret))
    for (const path of ['/robots.txt', '/ads.txt']) {
      const got = await get(web, `https://one.example${path}`)
      ok(!JSON.stringify([got.headers, got.body.toString()]).includes('secret-'))
    }
  }))

const textsOf = async (seed: number): Promise<readonly string[]> => {
  const texts: string[] = []
  await withWeb(async (web) => {
    for (const url of [
      ...web.networks.map((network) => network.url),
      'https://one.example/ads.txt',
      'https://one.example/',
    ])
      texts.push((await get(web, url)).body.toString())
  }, seed)
  return texts
}

test('the same seed makes the same texts, another seed others', async () => {
  const [first, again, other] = [await textsOf(1), await textsOf(1), await textsOf(2)]
  deepEqual(first, again)
  // adnet-two names none of these publishers: all that could differ is in the other files.
  for (const index of [0, 2, 3]) notDeepEqual(first[index], other[index])
})

test('closing ends what is under way and leaves nothing that listens', async () => {
  const clock = newClock()
  const web = await startRehearsalWeb({ clock, seed: 1, publishers: few })
  const underWay = get(web, 'https://two.example/robots.txt')
  while (web.log().length === 0) await turn()
  await web.close()
  equal((await underWay).outcome, 'reset')
  for (const url of ['https://one.example/', 'http://two.example/'])
    equal((await get(web, url)).outcome, 'refused')
})

test('a publisher of one’s own takes the place of the catalogue', async () => {
  const own = publisher({
    host: 'own.example',
    about: 'Says which night it is.',
    robots: ({ night }) => plainText(`# night ${night}\n`),
  })
  const web = await startRehearsalWeb({ clock: newClock(), seed: 1, publishers: [own] })
  try {
    const night = async () => (await get(web, 'https://own.example/robots.txt')).body.toString()
    equal(await night(), '# night 1\n')
    web.startNight(4)
    equal(await night(), '# night 5\n')
  } finally {
    await web.close()
  }
})
