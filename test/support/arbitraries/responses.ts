/** HTTP responses as bytes: good ones in every framing and coding, and how a hostile server bends them. */
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { fc } from '../property.ts'

/** Bytes are latin-1 text here, so that a counterexample can be read. */
export type Good = {
  readonly wire: string
  readonly status: number
  /** What a reader gets: framing and content coding undone. */
  readonly plain: string
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

const CODERS = {
  identity: (bytes: Buffer) => bytes,
  gzip: (bytes: Buffer) => gzipSync(bytes),
  br: (bytes: Buffer) => brotliCompressSync(bytes),
} as const

const chunked = (body: Buffer, size: number): Buffer => {
  const pieces: Buffer[] = []
  for (let from = 0; from < body.length; from += size) {
    const piece = body.subarray(from, from + size)
    pieces.push(latin1(`${piece.length.toString(16)}\r\n`), piece, latin1('\r\n'))
  }
  return Buffer.concat([...pieces, latin1('0\r\n\r\n')])
}

type Framing = 'length' | 'chunks' | 'close'
const framed = (framing: Framing, body: Buffer, chunkSize: number): readonly [string, Buffer] => {
  if (framing === 'length') return [`Content-Length: ${body.length}\r\n`, body]
  if (framing === 'close') return ['Connection: close\r\n', body]
  return ['Transfer-Encoding: chunked\r\n', chunked(body, chunkSize)]
}

const word = fc.oneof(
  fc.constantFrom('*', 'PlainReckonerBot', '/', '/private', '/$', '/*x*', '9', '0.5', '1e9', ''),
  fc.string({ maxLength: 20 }),
  fc.tuple(fc.constantFrom('/', 'x', '%', '*', 'ü'), fc.nat(3_000)).map(([c, n]) => c.repeat(n)),
)
/** A robots.txt as nobody should write one: known keys, and values of any length. */
export const robotsText: fc.Arbitrary<string> = fc
  .array(
    fc.tuple(
      fc.constantFrom('User-agent', 'Disallow', 'Allow', 'Crawl-delay', 'Sitemap', '', 'Noindex'),
      word,
    ),
    { maxLength: 8 },
  )
  .map((records) => records.map(([key, value]) => `${key}: ${value}\n`).join(''))

/** A homepage that loads from hosts as long as hosts may be, and longer. */
const pageText = fc
  .array(fc.tuple(fc.constantFrom('a', 'a.', '-', 'é'), fc.nat(150)), { maxLength: 20 })
  .map((hosts) =>
    hosts
      .map(([c, n]) => `<script src="//${c.repeat(n)}.mediavine.com/tags/x.js"></script>`)
      .join(''),
  )

const text = fc.oneof(
  robotsText,
  pageText,
  fc.constantFrom('User-agent: *\nDisallow: /private\n', 'adnet.example, 1, DIRECT\n', '<p>hello'),
  fc.string({ maxLength: 300 }),
)
const odd = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))

/** Values a Location may carry: no control character, since a good response has none there. */
const location = fc.oneof(
  fc.webUrl(),
  fc.constantFrom('/', '//./', 'https://./', 'http://a..b/', 'http://news.example:0/', '/ads.txt'),
  fc.stringMatching(/^[!-~\u0080-\u00ff]{0,40}$/),
)

export const goodResponse: fc.Arbitrary<Good> = fc
  .record({
    status: fc.constantFrom(200, 200, 200, 301, 403, 404, 429, 500, 503),
    interim: fc.boolean(),
    framing: fc.constantFrom<Framing>('length', 'chunks', 'close'),
    coding: fc.constantFrom<keyof typeof CODERS>('identity', 'gzip', 'br'),
    plain: fc.oneof(text.map(latin1), odd),
    chunkSize: fc.integer({ min: 1, max: 400 }),
    location,
    more: fc.constantFrom('', 'Retry-After: 60\r\n', 'Set-Cookie: a=b\r\nServer: x\r\n'),
  })
  .map(({ status, interim, framing, coding, plain, chunkSize, location: to, more }) => {
    const [header, body] = framed(framing, CODERS[coding](plain), chunkSize)
    const moved = status === 301 ? `Location: ${to}\r\n` : ''
    const head = `${interim ? 'HTTP/1.1 103 Early\r\n\r\n' : ''}HTTP/1.1 ${status} X\r\n`
    const headers = `${header}Content-Encoding: ${coding}\r\n${moved}${more}\r\n`
    return {
      wire: head + headers + body.toString('latin1'),
      status,
      plain: plain.toString('latin1'),
    }
  })

/** One change to the bytes; `at` is a share of the length. */
type Mutation = {
  readonly at: number
  readonly what: 'flip' | 'cut' | 'drop' | 'double' | { readonly insert: string }
}

const share = fc.double({ min: 0, max: 1, noNaN: true })
const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: share,
  what: fc.oneof(
    fc.constantFrom('flip' as const, 'cut' as const, 'drop' as const, 'double' as const),
    fc
      .constantFrom('\r\n', '\n', '\0', ' ', ':', 'Content-Length: 1\r\n', '0\r\n\r\n')
      .map((insert) => ({ insert })),
    odd.map((bytes) => ({ insert: bytes.toString('latin1').slice(0, 4) })),
  ),
})

const mutated = (bytes: string, { at, what }: Mutation): string => {
  const place = Math.floor(at * bytes.length)
  const [before, after] = [bytes.slice(0, place), bytes.slice(place)]
  if (what === 'cut') return before
  if (what === 'drop') return before + after.slice(1)
  if (what === 'double') return before + after + after
  if (what !== 'flip') return before + what.insert + after
  const flipped = String.fromCharCode((after.charCodeAt(0) || 0) ^ (1 << (place % 8)))
  return before + (after === '' ? '' : flipped) + after.slice(1)
}

export type Piece = { readonly bytes: string; readonly afterMs: number }
/** What a server writes, piece by piece, how the connection ends, and whether it waits for the request. */
export type ByteScript = {
  readonly pieces: readonly Piece[]
  readonly ending: 'end' | 'reset' | 'stay'
  readonly eager: boolean
}

const piecesOf = (
  bytes: string,
  cuts: readonly (readonly [at: number, afterMs: number])[],
): readonly Piece[] => {
  const places = cuts
    .map(([at, afterMs]) => [Math.floor(at * bytes.length), afterMs] as const)
    .toSorted(([a], [b]) => a - b)
  const starts = [[0, 0] as const, ...places]
  return starts.map(([from, afterMs], index) => ({
    bytes: bytes.slice(from, starts[index + 1]?.[0] ?? bytes.length),
    afterMs,
  }))
}

const cuts = (delays: fc.Arbitrary<number>) => fc.array(fc.tuple(share, delays), { maxLength: 6 })

/** A good response in pieces: however it is cut, it means the same. */
export const goodScript: fc.Arbitrary<{ readonly good: Good; readonly script: ByteScript }> = fc
  .tuple(goodResponse, cuts(fc.constantFrom(0, 0, 1)))
  .map(([good, at]) => ({
    good,
    script: { pieces: piecesOf(good.wire, at), ending: 'end', eager: false },
  }))

/** A good response, bent. */
export const hostileScript: fc.Arbitrary<ByteScript> = fc
  .record({
    good: goodResponse,
    mutations: fc.array(mutation, { maxLength: 3 }),
    at: cuts(fc.constantFrom(0, 0, 1, 5, 20)),
    ending: fc.oneof(
      { weight: 5, arbitrary: fc.constant('end' as const) },
      { weight: 2, arbitrary: fc.constant('reset' as const) },
      { weight: 1, arbitrary: fc.constant('stay' as const) },
    ),
    eager: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
  })
  .map(({ good, mutations, at, ending, eager }) => ({
    pieces: piecesOf(mutations.reduce(mutated, good.wire), at),
    ending,
    eager,
  }))
