import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crawlDelayOf } from '../../src/robots/crawl-delay.ts'
import { matcherOf } from '../../src/robots/match.ts'
import { occurrencesIn } from '../../src/robots/occurrence.ts'
import { canonicalPath, canonicalPattern, octetsOfText } from '../../src/robots/octets.ts'
import { waveletMatrix } from '../../src/robots/wavelet-matrix.ts'
import { fc, RUNS } from '../support/property.ts'

const word = (alphabet: readonly string[], maxLength: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...alphabet), { maxLength }).map((parts) => parts.join(''))

test('the next occurrence of a piece is where a plain search finds it', () => {
  fc.assert(
    fc.property(
      word(['a', 'b', 'c'], 60),
      word(['a', 'b', 'c'], 6),
      fc.nat(70),
      (text, piece, from) => {
        fc.pre(piece !== '')
        // A plain search past the end finds nothing either.
        assert.equal(occurrencesIn(text).next(piece, from), text.indexOf(piece, from))
      },
    ),
  )
})

test('the smallest number from a bound on within a stretch is what a scan finds', () => {
  const stretch = fc.tuple(fc.nat(40), fc.nat(40)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)])
  fc.assert(
    fc.property(
      fc.array(fc.nat(100), { minLength: 1, maxLength: 40 }),
      stretch,
      fc.nat(300),
      (values, [from = 0, to = 0], bound) => {
        const low = Math.min(from, values.length)
        const high = Math.min(to, values.length)
        const scanned = values.slice(low, high).filter((value) => value >= bound)
        const expected = scanned.length === 0 ? -1 : Math.min(...scanned)
        assert.equal(
          waveletMatrix(Int32Array.from(values)).smallestFrom(low, high, bound),
          expected,
        )
      },
    ),
  )
})

/** The definition of §2.2.3 written down as it reads: try every length a star can stand for. */
const matchesByDefinition = (text: string, anchored: boolean, path: string): boolean => {
  if (text === '') return !anchored || path === ''
  if (text.startsWith('*')) {
    return Array.from({ length: path.length + 1 }, (_, skipped) => path.slice(skipped)).some(
      (rest) => matchesByDefinition(text.slice(1), anchored, rest),
    )
  }
  return (
    path.startsWith(text.charAt(0)) && matchesByDefinition(text.slice(1), anchored, path.slice(1))
  )
}

test('RFC9309_2.2.3_a_pattern_matches_exactly_what_its_definition_says', () => {
  let matched = 0
  fc.assert(
    fc.property(
      word(['a', 'b', '*', '*', 'ab'], 8),
      fc.boolean(),
      word(['a', 'b', 'ab'], 10),
      (tail, anchored, rest) => {
        const path = `/${rest}`
        const pattern = canonicalPattern(`/${tail}${anchored ? '$' : ''}`)
        const expected = matchesByDefinition(`/${tail}`, anchored, path)
        if (expected) matched += 1
        assert.equal(matcherOf(path)(pattern), expected)
      },
    ),
    { numRuns: Math.max(1_000, RUNS) },
  )
  assert.ok(matched > 100, 'the generator must make patterns that match')
})

test('RFC9309_2.2.2_a_path_has_one_canonical_spelling', () => {
  const character = fc.constantFrom(
    ...Array.from('abz09-._~üλ世<>"|^`{} '),
    ...Array.from(":/?[]@!&'()+,;="),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(character, fc.boolean()), { maxLength: 20 }), (characters) => {
      const encoded = (text: string): string =>
        Array.from(Buffer.from(text), (octet) => `%${octet.toString(16).padStart(2, '0')}`).join('')
      const reserved = (text: string): boolean => ':/?@!&()+,;='.includes(text)
      const raw = `/${characters.map(([text]) => text).join('')}`
      const mixed = characters.map(([text, code]) =>
        code && !reserved(text) ? encoded(text) : text,
      )
      const canonical = canonicalPath(raw)
      assert.equal(canonicalPath(`/${mixed.join('')}`), canonical)
      assert.equal(canonicalPath(canonical), canonical)
      assert.match(canonical, /^[\x21-\x7e]*$/)
      assert.equal(canonicalPattern(octetsOfText(raw)).text, canonical)
    }),
  )
})

test('a Crawl-delay in decimals is that many milliseconds, never fewer', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.array(fc.nat(9), { maxLength: 8 }), (whole, digits) => {
      const read = crawlDelayOf(`${whole}${digits.length > 0 ? '.' : ''}${digits.join('')}`)
      const nanoseconds = BigInt(whole) * 10n ** 9n + BigInt(digits.join('').padEnd(9, '0'))
      assert.equal(read, Number((nanoseconds + 999_999n) / 1_000_000n))
    }),
  )
})
