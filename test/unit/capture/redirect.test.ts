import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideRedirect, isRedirect, type RedirectAsk } from '../../../src/capture/redirect.ts'
import { URL_LENGTH_MAX } from '../../../src/kernel/url.ts'
import { url } from '../../support/fetching.ts'

type Words = {
  readonly rule?: RedirectAsk['rule']
  readonly target?: string
  readonly from?: string
  readonly locations: readonly string[]
  readonly trail?: readonly string[]
  readonly maxRedirects?: number
  readonly refuseDowngrade?: boolean
  readonly discarded?: ReadonlySet<string>
  readonly status?: number
}

const decide = (words: Words) => {
  const target = words.target ?? 'https://shop.example/ads.txt'
  const from = words.from ?? target
  const trail = (words.trail ?? (from === target ? [target] : [target, from])).map(url)
  return decideRedirect({
    rule: words.rule ?? 'robots',
    maxRedirects: words.maxRedirects ?? 5,
    target: url(target),
    from: url(from),
    status: words.status ?? 301,
    locations: words.locations,
    hop: trail.length,
    trail,
    refuseDowngrade: words.refuseDowngrade ?? true,
    discarded: words.discarded ?? new Set(),
  })
}

const follow = (to: string) => ({ verdict: 'follow', to, reason: 'followed' })
const refuse = (reason: string, to: string | null = null) => ({ verdict: 'refuse', to, reason })

test('RFC9110_15.4: 301, 302, 303, 307 and 308 redirect; 300, 304, 305, 306 and the rest do not', () => {
  const redirects = Array.from({ length: 900 }, (_, n) => n + 100).filter(isRedirect)
  assert.deepEqual(redirects, [301, 302, 303, 307, 308])
  assert.throws(() => decide({ locations: ['/a'], status: 304 }), /not a redirect/)
})

test('RFC9110_10.2.2: Location is read relative to the address that answered, fragment dropped', () => {
  const to = (location: string) => decide({ locations: [location] }).to
  assert.equal(to('https://other.example/x#part'), 'https://other.example/x')
  assert.equal(to('/new'), 'https://shop.example/new')
  assert.equal(to('new?q'), 'https://shop.example/new?q')
  assert.equal(to('//cdn.example/a'), 'https://cdn.example/a')
  assert.equal(to('  /spaces '), 'https://shop.example/spaces')
})

test('no Location, an unreadable one and two different ones are refused, each by its name', () => {
  assert.deepEqual(decide({ locations: [] }), refuse('no-location'))
  assert.deepEqual(decide({ locations: ['/a', '/b'] }), refuse('ambiguous-location'))
  assert.deepEqual(decide({ locations: ['http://'] }), refuse('bad-location'))
  assert.deepEqual(decide({ locations: ['/a', '/a'] }), follow('https://shop.example/a'))
})

test('scrapy#457: only http and https are followed, and never with a user name', () => {
  for (const location of [
    'file:///etc/passwd',
    'ftp://shop.example/',
    'data:text/plain,x',
    'javascript:alert(1)',
    'https://user@shop.example/',
    'https://user:pass@shop.example/',
  ])
    assert.deepEqual(decide({ locations: [location] }), refuse('bad-location'), location)
})

test('Location: no port that is no web server’s, no host that is none, nothing over-long', () => {
  for (const location of [
    'https://shop.example:0/',
    'https://shop.example:25/',
    '//shop.example:6667/',
    'https://shop.example:99999/',
    'https://./',
    'https://shop..example/',
    'https://a!b.example/',
    'https://[::1/',
    'https://%00.example/',
    `/${'x'.repeat(URL_LENGTH_MAX)}`,
    `/${'\u00fc'.repeat(URL_LENGTH_MAX / 3)}`,
  ])
    assert.deepEqual(decide({ locations: [location] }), refuse('bad-location'), location)
})

test('Location: control characters make no second line and no other scheme', () => {
  const to = (location: string) => decide({ locations: [location] })
  assert.equal(to('/a\r\nX-Injected: b').to, 'https://shop.example/aX-Injected:%20b')
  assert.equal(to('/a\tb').to, 'https://shop.example/ab')
  assert.equal(to('/a\0b').to, 'https://shop.example/a%00b')
  assert.deepEqual(to('java\nscript:alert(1)'), refuse('bad-location'))
  assert.deepEqual(to('fi\tle:///etc/passwd'), refuse('bad-location'))
})

test('Location: a backslash is a slash, as in browsers, so a host cannot hide behind one', () => {
  const to = (location: string) => decide({ locations: [location] }).to
  assert.equal(to('\\\\other.example\\a'), 'https://other.example/a')
  assert.equal(to('https:\\\\other.example'), 'https://other.example/')
  assert.equal(to('https://shop.example\\@other.example/'), 'https://shop.example/@other.example/')
})

test('Location bytes: UTF-8 is understood, anything else is percent-encoded byte by byte', () => {
  const utf8 = Buffer.from('/café?q=ü', 'utf8').toString('latin1')
  assert.equal(decide({ locations: [utf8] }).to, 'https://shop.example/caf%C3%A9?q=%C3%BC')
  assert.equal(decide({ locations: ['/caf\u00e9'] }).to, 'https://shop.example/caf%E9')
  assert.equal(decide({ locations: ['/\u0080\u00ff'] }).to, 'https://shop.example/%80%FF')
})

test('PK13: https never leads to http; the other way and http to http do', () => {
  const down = decide({ locations: ['http://shop.example/a'] })
  assert.deepEqual(down, refuse('https-to-http', 'http://shop.example/a'))
  const up = decide({ target: 'http://shop.example/', locations: ['https://shop.example/'] })
  assert.equal(up.verdict, 'follow')
  const plain = decide({ target: 'http://shop.example/', locations: ['/a'] })
  assert.equal(plain.verdict, 'follow')
  const allowed = decide({ locations: ['http://shop.example/a'], refuseDowngrade: false })
  assert.equal(allowed.verdict, 'follow')
})

test('PR12 PR3: no file that is kept is read from a page that is never kept', () => {
  const discarded = new Set(['/'])
  for (const home of [
    '/',
    '/?from=ads.txt',
    '/#top',
    'https://www.shop.example/',
    '//other.example',
  ]) {
    const { verdict, reason } = decide({ locations: [home], discarded })
    assert.deepEqual([verdict, reason], ['refuse', 'discarded-page'], home)
  }
  assert.equal(decide({ locations: ['/en/'], discarded }).verdict, 'follow')
})

test('frontera#87: an address asked before in this fetch is a loop, itself included', () => {
  const here = 'https://shop.example/ads.txt'
  assert.deepEqual(decide({ locations: [here] }), refuse('loop', here))
  assert.deepEqual(decide({ locations: [''] }), refuse('loop', here))
  assert.deepEqual(decide({ locations: ['#top'] }), refuse('loop', here))
  const back = decide({ from: 'https://shop.example/b', locations: ['/ads.txt'] })
  assert.deepEqual(back, refuse('loop', here))
})

test('RC17: at most as many hops as the policy says', () => {
  const trail = (hops: number) =>
    Array.from({ length: hops }, (_, n) => `https://shop.example/${n}`)
  const at = (hops: number) =>
    decide({ from: `https://shop.example/${hops - 1}`, trail: trail(hops), locations: ['/end'] })
  assert.equal(at(5).reason, 'followed')
  assert.equal(at(6).reason, 'too-many-redirects')
  assert.equal(decide({ maxRedirects: 0, locations: ['/end'] }).reason, 'too-many-redirects')
})

test('RFC9309_2.3.1.2: robots.txt redirects are followed to any host', () => {
  const out = decide({ from: 'https://a.example/x', locations: ['https://b.example/robots.txt'] })
  assert.equal(out.reason, 'followed')
})

test('adstxt1.1_3.1: ads.txt goes anywhere inside its root domain and once outside', () => {
  const iab = (from: string, location: string) =>
    decide({ rule: 'iab', from, locations: [location] }).reason
  assert.equal(iab('https://shop.example/ads.txt', 'https://www.shop.example/ads.txt'), 'followed')
  assert.equal(iab('https://www.shop.example/a', 'https://m.shop.example/b'), 'followed')
  assert.equal(iab('https://www.shop.example/a', 'https://manager.example/shop'), 'followed')
})

test('adstxt1.1_3.1: what a third party redirects is refused, within itself and back home too', () => {
  const third = (location: string) =>
    decide({ rule: 'iab', from: 'https://manager.example/x', locations: [location] }).reason
  assert.equal(third('https://other.example/ads.txt'), 'second-hop-outside')
  assert.equal(third('https://manager.example/y'), 'second-hop-outside')
  assert.equal(third('https://shop.example/ads.txt'), 'second-hop-outside')
})

test('PR1: a homepage leads only to a root path of the same site', () => {
  const root = (location: string, target = 'https://shop.example/') =>
    decide({ rule: 'root-of-site', target, locations: [location] })
  assert.equal(root('https://www.shop.example/').reason, 'followed')
  assert.equal(root('https://shop.example:8443/').reason, 'followed')
  assert.equal(root('/en/').reason, 'below-root')
  assert.equal(root('https://www.shop.example/?lang=en').reason, 'below-root')
  assert.equal(root('https://www.shop.example/index.html').reason, 'below-root')
  assert.equal(root('https://other.example/').reason, 'other-site')
  assert.equal(root('https://b.github.io/', 'https://a.github.io/').reason, 'other-site')
})
