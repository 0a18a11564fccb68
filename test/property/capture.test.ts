import assert from 'node:assert/strict'
import { BlockList, isIPv4 } from 'node:net'
import { test } from 'node:test'
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import { isPublicAddress, kindOfAddress } from '../../src/capture/address.ts'
import { decodeBody } from '../../src/capture/decode-body.ts'
import {
  RECORDED_CHARACTERS_MAX,
  RECORDED_HEADERS_MAX,
  recordedHeaders,
} from '../../src/capture/headers.ts'
import { decideRedirect, type RedirectAsk } from '../../src/capture/redirect.ts'
import { recogniseRefusal } from '../../src/capture/refusal.ts'
import { retryAfterMs } from '../../src/capture/retry-after.ts'
import { E } from '../../src/kernel/fp.ts'
import { instant } from '../../src/kernel/instant.ts'
import { HttpUrl, pathOf, siteOf } from '../../src/kernel/url.ts'
import { Header } from '../../src/kernel/words.ts'
import { Refusal } from '../../src/ledger/events/response-received.ts'
import { url } from '../support/fetching.ts'
import { fc } from '../support/property.ts'

const latin1 = fc
  .uint8Array({ maxLength: 60 })
  .map((bytes) => Buffer.from(bytes).toString('latin1'))

/** Node's own list as the second opinion on IPv4. */
const notPublic = new BlockList()
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  notPublic.addSubnet(net, bits)

test('SSRF: IPv4 addresses are judged as Node’s BlockList judges them', () => {
  const near = fc
    .constantFrom(0, 10, 100, 127, 169, 172, 192, 198, 203, 223, 224)
    .chain((first) => fc.tuple(fc.constant(first), fc.nat(255), fc.nat(255), fc.nat(255)))
  fc.assert(
    fc.property(
      fc.oneof(near, fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255))),
      (four) => {
        const address = four.join('.')
        assert.equal(isPublicAddress(address), !notPublic.check(address))
      },
    ),
  )
})

test('SSRF: no IPv6 spelling of an IPv4 address is ever public', () => {
  fc.assert(
    fc.property(fc.ipV4(), (four) => {
      const [a = 0, b = 0, c = 0, d = 0] = four.split('.').map(Number)
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
      for (const prefix of ['::', '::ffff:', '::ffff:0:', '64:ff9b::', '2606:4700::5efe:']) {
        assert.equal(isPublicAddress(prefix + hex), false, prefix + hex)
        assert.equal(isPublicAddress(prefix + four), false, prefix + four)
      }
      assert.equal(isPublicAddress(`2002:${hex}::1`), false)
    }),
  )
})

test('SSRF: an address is the same in every spelling, and anything else is no address', () => {
  fc.assert(
    fc.property(fc.ipV6(), (six) => {
      const printed = URL.parse(`http://[${six}]/`)?.hostname.slice(1, -1) ?? ''
      assert.equal(kindOfAddress(six), kindOfAddress(printed))
      assert.equal(kindOfAddress(six), kindOfAddress(six.toUpperCase()))
    }),
  )
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!isIPv4(text) && !text.includes(':'))
      assert.equal(kindOfAddress(text), 'not-an-address')
    }),
  )
})

const address = fc
  .tuple(
    fc.constantFrom('http', 'https'),
    fc.constantFrom(
      'shop.example',
      'www.shop.example',
      'other.example',
      'a.github.io',
      'b.github.io',
    ),
    fc.constantFrom('/', '/en/', '/ads.txt', '/?q', '/a?b=c'),
  )
  .map(([scheme, host, path]) => url(`${scheme}://${host}${path}`))

const redirectAsk: fc.Arbitrary<RedirectAsk> = fc
  .record({
    rule: fc.constantFrom('robots' as const, 'iab' as const, 'root-of-site' as const),
    maxRedirects: fc.nat(5),
    trail: fc.array(address, { minLength: 1, maxLength: 6 }),
    status: fc.constantFrom(301, 302, 303, 307, 308),
    locations: fc.array(fc.oneof(address.map(String), latin1, fc.webUrl()), { maxLength: 2 }),
    refuseDowngrade: fc.boolean(),
    discarded: fc.subarray(['/', '/en/']).map((paths) => new Set(paths)),
  })
  .map(({ trail, ...rest }) => ({
    ...rest,
    trail,
    target: trail[0] ?? url('http://shop.example/'),
    from: trail.at(-1) ?? url('http://shop.example/'),
    hop: trail.length,
  }))

test('PR1, PK13, A5: whatever is followed keeps every rule, for any Location whatever', () => {
  fc.assert(
    fc.property(redirectAsk, (ask) => {
      const { verdict, to } = decideRedirect(ask)
      if (to !== null) assert.ok(HttpUrl.is(to))
      if (verdict !== 'follow') return
      assert.ok(!ask.trail.includes(to))
      assert.ok(ask.hop <= ask.maxRedirects)
      assert.equal(new Set(ask.locations).size, 1)
      assert.ok(!ask.discarded.has(new URL(to).pathname))
      if (ask.refuseDowngrade && ask.from.startsWith('https:')) assert.ok(to.startsWith('https:'))
      if (ask.rule === 'iab') assert.equal(siteOf(ask.from), siteOf(ask.target))
      if (ask.rule !== 'root-of-site') return
      assert.equal(siteOf(to), siteOf(ask.target))
      assert.equal(pathOf(to), '/')
    }),
  )
})

test('redirects: any chain that follows its own decisions ends within the limit', () => {
  fc.assert(
    fc.property(redirectAsk, fc.array(address, { minLength: 12, maxLength: 12 }), (ask, next) => {
      let trail: readonly HttpUrl[] = [ask.target]
      for (const location of next) {
        const from = trail.at(-1) ?? ask.target
        const hop = trail.length
        const decided = decideRedirect({ ...ask, from, trail, hop, locations: [location] })
        if (decided.verdict !== 'follow') return
        trail = [...trail, decided.to]
        assert.ok(trail.length <= ask.maxRedirects + 1)
      }
      assert.fail('twelve hops were followed')
    }),
  )
})

const NOW = instant(Date.UTC(2026, 10, 30, 12))

test('PR9: a wait is null or a whole number of milliseconds from 0 up, whatever is sent', () => {
  const value = fc.oneof(
    latin1,
    fc.nat().map(String),
    fc.bigInt().map(String),
    fc.date().map(String),
  )
  fc.assert(
    fc.property(fc.array(value, { maxLength: 3 }), (values) => {
      const wait = retryAfterMs(values, NOW)
      assert.ok(wait === null || (Number.isSafeInteger(wait) && wait >= 0))
      const longer = retryAfterMs([...values, '60'], NOW)
      assert.equal(longer, Math.max(wait ?? 0, 60_000), 'one more value never shortens')
    }),
  )
})

test('RFC9110_5.6.7: every date as servers print it is read to the second', () => {
  const moment = fc.date({
    min: new Date(NOW),
    max: new Date(Date.UTC(9999, 11, 31)),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(moment, (date) => {
      const seconds = Math.floor(date.getTime() / 1_000) * 1_000
      assert.equal(retryAfterMs([date.toUTCString()], NOW), Math.max(0, seconds - NOW))
    }),
  )
})

const header = fc.tuple(
  fc.oneof(fc.constantFrom('Set-Cookie', 'ETag', 'Content-Type', 'Cookie', 'Location'), latin1),
  fc.oneof(
    latin1,
    fc.nat(20_000).map((length) => 'v'.repeat(length)),
  ),
)

test('PR13: recorded headers fit their event, in order, and hold no cookie', () => {
  fc.assert(
    fc.property(fc.array(header, { maxLength: 150 }), fc.boolean(), (headers, kept) => {
      const { headers: recorded, headersOmitted } = recordedHeaders(headers, kept)
      assert.ok(recorded.length <= RECORDED_HEADERS_MAX)
      assert.equal(recorded.length + headersOmitted, headers.length)
      assert.ok(recorded.join('').length <= RECORDED_CHARACTERS_MAX + RECORDED_HEADERS_MAX)
      for (const [name, value] of recorded) {
        assert.ok(Header.is([name, value]))
        if (/cookie/i.test(name)) assert.equal(value, '(not recorded)')
        if (!kept) assert.doesNotMatch(name, /^etag$/i)
      }
      const names = headers.map(([name]) => name)
      let from = 0
      for (const [name] of recorded) from = names.indexOf(name, from) + 1
      assert.ok(recorded.length === 0 || from > 0, 'a subsequence of what came')
    }),
  )
})

const CODERS = {
  gzip: gzipSync,
  deflate: deflateSync,
  'x-gzip': gzipSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
}
type Coding = keyof typeof CODERS

test('RFC9110_8.4: what was coded comes back, through chains of codings', () => {
  const codings = fc.array(fc.constantFrom<Coding>('gzip', 'deflate', 'x-gzip', 'br', 'zstd'), {
    maxLength: 3,
  })
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 2_000 }), codings, (bytes, names) => {
      const coded = names.reduce<Buffer>((body, name) => CODERS[name](body), Buffer.from(bytes))
      const decoded = decodeBody(coded, [['Content-Encoding', names.join(', ')]], 10_000)
      assert.deepEqual(decoded, E.right(Buffer.from(bytes)))
    }),
  )
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 2_000 }), (bytes) => {
      const decoded = decodeBody(deflateRawSync(bytes), [['Content-Encoding', 'deflate']], 10_000)
      assert.deepEqual(decoded, E.right(Buffer.from(bytes)))
    }),
  )
})

test('no body and no label makes decoding throw or pass its cap', () => {
  const label = fc.constantFrom(
    'gzip',
    'deflate',
    'br',
    'zstd',
    'gzip, br',
    'compress',
    'gzip,,gzip',
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), label, fc.nat(100), (bytes, coding, cap) => {
      const decoded = decodeBody(Buffer.from(bytes), [['Content-Encoding', coding]], cap)
      if (E.isRight(decoded)) assert.ok(decoded.right.length <= cap)
    }),
  )
})

test('PR12: any page gets a refusal that fits its event, or none', () => {
  const piece = fc.constantFrom(
    '<title>',
    '</title>',
    '<h1>',
    '<script>',
    '</script>',
    '<!--',
    '-->',
    'verify you are human',
    'just a moment',
    'access denied',
    '<div class="g-recaptcha">',
    'captcha-delivery.com var dd=',
    '<textarea>',
    'private words',
  )
  const page = fc
    .array(fc.oneof(piece, fc.string()), { maxLength: 20 })
    .map((all) => `<${all.join('')}`)
  fc.assert(
    fc.property(page, fc.integer({ min: 100, max: 999 }), (html, status) => {
      const refusal = recogniseRefusal({ status, headers: [], body: Buffer.from(html) })
      if (refusal === null) return
      assert.ok(Refusal.is(refusal))
      assert.doesNotMatch(refusal.evidence, /private/)
    }),
  )
})
