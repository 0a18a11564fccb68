import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import {
  HttpUrl,
  Origin,
  originOf,
  parseHttpUrl,
  pathOf,
  robotsUrlOf,
  schemeOf,
  siteOf,
  URL_LENGTH_MAX,
  urlAt,
} from '../../../src/kernel/url.ts'
import { left, right } from '../../support/either.ts'

const url = (input: string) => right(parseHttpUrl(input))

const spelled: readonly (readonly [string, string, string])[] = [
  ['the host in small letters', 'HTTPS://Shop.Example/Path', 'https://shop.example/Path'],
  ['no default port', 'https://shop.example:443/', 'https://shop.example/'],
  ['another port', 'https://shop.example:8443/a', 'https://shop.example:8443/a'],
  ['the other scheme’s port', 'http://shop.example:443/', 'http://shop.example:443/'],
  ['a root path', 'https://shop.example', 'https://shop.example/'],
  ['no fragment', 'https://shop.example/a#b', 'https://shop.example/a'],
  ['no dot segments', 'https://shop.example/a/../b/./c', 'https://shop.example/b/c'],
  [
    'an international name in ASCII',
    'https://bücher.example/ü',
    'https://xn--bcher-kva.example/%C3%BC',
  ],
  ['a name in capitals outside ASCII', 'https://BÜCHER.Example/', 'https://xn--bcher-kva.example/'],
  ['a full stop of another script', 'https://shop。example/', 'https://shop.example/'],
  ['letters in circles', 'https://ⓢhop.example/', 'https://shop.example/'],
  ['no escapes in the host', 'https://sh%6Fp%2Eexample/', 'https://shop.example/'],
  ['punycode that means nothing is a name', 'https://xn--a.example/', 'https://xn--a.example/'],
  ['an IPv4 address in four parts', 'http://0x7f.1/', 'http://127.0.0.1/'],
  ['an IPv4 address as one number', 'http://2130706433/', 'http://127.0.0.1/'],
  ['an IPv4 address in octal', 'http://0177.0.0.01/', 'http://127.0.0.1/'],
  ['an IPv4 address in wide digits', 'http://１２７.0.0.1/', 'http://127.0.0.1/'],
  ['an IPv4 address with a dot behind', 'http://127.0.0.1./', 'http://127.0.0.1/'],
  ['an IPv4 address within IPv6', 'http://[::ffff:127.0.0.1]/', 'http://[::ffff:7f00:1]/'],
  ['an IPv6 address in short', 'http://[2001:db8:0:0:0:0:0:7]/', 'http://[2001:db8::7]/'],
  ['no white space around', ' \thttps://shop.example/\n', 'https://shop.example/'],
  ['escapes as they are', 'https://shop.example/%7e%2F', 'https://shop.example/%7e%2F'],
  ['an empty query', 'https://shop.example/?', 'https://shop.example/?'],
  ['the dot of a full name', 'https://shop.example./', 'https://shop.example./'],
]
for (const [what, input, href] of spelled) {
  test(`an address has one spelling: ${what}`, () => {
    equal(url(input), href)
    equal(HttpUrl.is(href), true)
    equal(HttpUrl.is(input), input === href)
  })
}

const refused: readonly (readonly [string, string])[] = [
  ['file:///etc/passwd', 'url-scheme'],
  ['javascript:alert(1)', 'url-scheme'],
  ['data:text/plain,a', 'url-scheme'],
  ['ftp://shop.example/', 'url-scheme'],
  ['ws://shop.example/', 'url-scheme'],
  ['blob:https://shop.example/a', 'url-scheme'],
  ['https://user@shop.example/', 'url-userinfo'],
  ['https://user:secret@shop.example/', 'url-userinfo'],
  ['https://:secret@shop.example/', 'url-userinfo'],
  ['https://public.example@internal.example/', 'url-userinfo'],
  ['/ads.txt', 'url-unparsable'],
  ['//shop.example/', 'url-unparsable'],
  ['https://', 'url-unparsable'],
  ['https://shop.example:99999/', 'url-unparsable'],
  ['https://[::1/', 'url-unparsable'],
  ['https://300.1.1.1/', 'url-unparsable'],
  ['', 'url-unparsable'],
  ['https://[fe80::1%25eth0]/', 'url-unparsable'],
  ['https://127.0.0.0x1.example.0x7f/', 'url-unparsable'],
  ['https://08.1/', 'url-unparsable'],
  ['https://a%00b.example/', 'url-unparsable'],
  ['https://./', 'url-host'],
  ['https://../', 'url-host'],
  ['https://.shop.example/', 'url-host'],
  ['https://shop..example/', 'url-host'],
  ['https://shop.example../', 'url-host'],
  ['https://a!b.example/', 'url-host'],
  ['https://a$b{c}.example/', 'url-host'],
  [`https://${'a'.repeat(250)}.example/`, 'url-host'],
  [`https://shop.example/${'a'.repeat(URL_LENGTH_MAX)}`, 'url-too-long'],
]
for (const [input, refusal] of refused) {
  test(`${input.slice(0, 50)} is refused: ${refusal}`, () => {
    equal(left(parseHttpUrl(input)), refusal)
  })
}

test('a URL that only escaping makes too long is refused as well', () => {
  equal(left(parseHttpUrl(`https://shop.example/${'ü'.repeat(2_000)}`)), 'url-too-long')
})

test('RFC3986_5.2: a relative address is read against the one that gave it', () => {
  const base = url('https://shop.example/a/b?c#d')
  deepEqual(
    ['/x', 'x', '?x', '//other.example/x', 'http://other.example', '#e', ''].map((input) =>
      right(parseHttpUrl(input, base)),
    ),
    [
      'https://shop.example/x',
      'https://shop.example/a/x',
      'https://shop.example/a/b?x',
      'https://other.example/x',
      'http://other.example/',
      'https://shop.example/a/b?c',
      'https://shop.example/a/b?c',
    ],
  )
})

test('RFC9309_2.3: the origin is scheme, host and port, and robots.txt stands at its root', () => {
  const origin = originOf(url('http://Shop.Example:8080/a/b?c'))
  equal(origin, 'http://shop.example:8080')
  equal(Origin.is(origin), true)
  equal(robotsUrlOf(origin), 'http://shop.example:8080/robots.txt')
  equal(urlAt(origin, '/ads.txt'), 'http://shop.example:8080/ads.txt')
  equal(HttpUrl.is(robotsUrlOf(origin)), true)
})

test('an origin that goes on with a path is not an origin', () => {
  deepEqual(
    ['https://a.example', 'https://a.example/', 'a.example', 'ftp://a.example', ''].map((o) =>
      Origin.is(o),
    ),
    [true, false, false, false, false],
  )
})

test('RFC9309_2.2.2: the path that rules are matched against has the query, an empty one too', () => {
  deepEqual(
    ['https://a.example', 'https://a.example/x?y=z#w', 'https://a.example/?'].map((u) =>
      pathOf(url(u)),
    ),
    ['/', '/x?y=z', '/?'],
  )
})

test('crawler-commons#179: ß is one name, by UTS #46 as URLs have it, and its site follows', () => {
  equal(url('https://straße.de/'), 'https://xn--strae-oqa.de/')
  equal(url('https://www.STRAẞE.de/'), 'https://www.xn--strae-oqa.de/')
  equal(siteOf(url('https://www.straße.de/')), 'xn--strae-oqa.de')
  equal(url('https://strasse.de/'), 'https://strasse.de/')
})

test('a full name has a site, its own origin, and its own robots.txt', () => {
  const full = url('https://www.shop.example.:8443/a')
  equal(siteOf(full), 'shop.example')
  equal(originOf(full), 'https://www.shop.example.:8443')
  equal(robotsUrlOf(originOf(full)), 'https://www.shop.example.:8443/robots.txt')
})

test('robots-parser#30: each scheme has its own default port, and no port is another', () => {
  equal(originOf(url('https://shop.example:443/a')), originOf(url('https://shop.example/')))
  equal(originOf(url('http://shop.example:80/a')), originOf(url('http://shop.example/')))
  const apart = ['https://shop.example', 'http://shop.example', 'https://shop.example:80']
  equal(new Set(apart.map((address) => originOf(url(address)))).size, apart.length)
})

test('the scheme and the site of an address', () => {
  equal(schemeOf(url('http://a.example/')), 'http')
  equal(schemeOf(url('https://a.example/')), 'https')
  equal(siteOf(url('https://www.shop.example.co.uk:8443/a')), 'example.co.uk')
})
