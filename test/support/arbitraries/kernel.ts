/** One arbitrary per kernel word, named as the word. */
import type { Json } from '../../../src/kernel/canonical-json.ts'
import { Digest } from '../../../src/kernel/digest.ts'
import { instant, type Instant } from '../../../src/kernel/instant.ts'
import { position, type Position } from '../../../src/kernel/position.ts'
import { siteOfHost, type Site } from '../../../src/kernel/site.ts'
import { type HttpUrl, type Origin, originOf, parseHttpUrl } from '../../../src/kernel/url.ts'
import { fc } from '../property.ts'
import { right } from '../either.ts'

/** `fc.record` of ordinary objects: those that JSON.parse makes. */
export const plainRecord = <T>(fields: {
  [K in keyof T]: fc.Arbitrary<T[K]>
}): fc.Arbitrary<T> => fc.record<T>(fields, { noNullPrototype: true })

/** Any well-formed Unicode text, control characters included, of at most `max` UTF-16 units. */
export const anyText = (max = 20): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ maxLength: max }),
    fc.string({ unit: 'binary', maxLength: Math.floor(max / 2) }),
  )

export const anyInstant: fc.Arbitrary<Instant> = fc
  .integer({ min: Date.UTC(1970, 0, 1), max: Date.parse('9999-12-31T23:59:59.999Z') })
  .map(instant)

export const anyHost: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.domain().map((domain) => domain.toLowerCase()) },
  { weight: 1, arbitrary: fc.ipV4() },
  { weight: 1, arbitrary: fc.constantFrom('[::1]', '[2001:db8::7]', 'localhost') },
  { weight: 1, arbitrary: fc.constantFrom('name.github.io', 'shop.example.co.uk', 'example.org.') },
)

export const anySite: fc.Arbitrary<Site> = anyHost.map(siteOfHost)

export const anyHttpUrl: fc.Arbitrary<HttpUrl> = fc
  .record({
    scheme: fc.constantFrom('http', 'https'),
    host: anyHost,
    port: fc.option(fc.integer({ min: 1, max: 65_535 })),
    path: fc.webPath(),
    query: fc.option(fc.webQueryParameters()),
  })
  .map(({ scheme, host, port, path, query }) =>
    right(
      parseHttpUrl(
        `${scheme}://${host}${port === null ? '' : `:${port}`}${path}${query === null ? '' : `?${query}`}`,
      ),
    ),
  )

export const anyOrigin: fc.Arbitrary<Origin> = anyHttpUrl.map(originOf)

export const anyPosition: fc.Arbitrary<Position> = fc
  .integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
  .map(position)

export const anyDigest: fc.Arbitrary<Digest> = fc
  .stringMatching(/^[0-9a-f]{64}$/)
  .filter((text): text is Digest => Digest.is(text))

/** Any value of the canonical subset, nested. */
export const anyJson: fc.Arbitrary<Json> = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    anyText(),
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 5 }),
    fc.dictionary(anyText(), tie('json'), { maxKeys: 6 }),
  ),
})).json
