import { equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { E } from '../../src/kernel/fp.ts'
import { Site } from '../../src/kernel/site.ts'
import {
  HttpUrl,
  Origin,
  originOf,
  parseHttpUrl,
  pathOf,
  robotsUrlOf,
  siteOf,
  URL_LENGTH_MAX,
} from '../../src/kernel/url.ts'
import { anyHttpUrl, anyText } from '../support/arbitraries/kernel.ts'
import { right } from '../support/either.ts'
import { fc } from '../support/property.ts'

/** Hostile and half-right addresses, as a Location header may carry them. */
const anyInput = fc.oneof(
  anyText(60),
  anyHttpUrl,
  fc.webUrl({
    withFragments: true,
    withQueryParameters: true,
    authoritySettings: { withUserInfo: true },
  }),
  fc
    .tuple(fc.constantFrom('http://', 'https://', '//', '/', '?', ''), anyText(40))
    .map((p) => p.join('')),
  // Names of which nothing but dots may be left.
  fc.stringMatching(/^[a.\-_[\]:]{1,6}$/).map((host) => `https://${host}/`),
)

test('one address has one spelling: parsing what was parsed changes nothing', () => {
  fc.assert(
    fc.property(anyInput, anyHttpUrl, (input, base) => {
      const url = parseHttpUrl(input, base)
      if (E.isRight(url)) equal(right(parseHttpUrl(url.right)), url.right)
    }),
  )
})

test('whatever is parsed is in the form that events take, and so are its origin and its site', () => {
  fc.assert(
    fc.property(anyInput, anyHttpUrl, (input, base) => {
      const parsed = parseHttpUrl(input, base)
      if (E.isLeft(parsed)) return
      const url = parsed.right
      ok(HttpUrl.is(url) && Origin.is(originOf(url)) && Site.is(siteOf(url)), url)
      ok(HttpUrl.is(robotsUrlOf(originOf(url))))
      ok(url.length <= URL_LENGTH_MAX)
      match(url, /^https?:\/\/[!-~]+$/)
      ok(!url.includes('#') && !new URL(url).username && !new URL(url).password, url)
    }),
  )
})

test('an address is its origin followed by its path', () => {
  fc.assert(fc.property(anyHttpUrl, (url) => equal(originOf(url) + pathOf(url), url)))
})

test('a fragment changes nothing', () => {
  fc.assert(
    fc.property(anyHttpUrl, fc.webFragments(), (url, fragment) =>
      equal(right(parseHttpUrl(`${url}#${fragment}`)), url),
    ),
  )
})
