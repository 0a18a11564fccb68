import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { text } from '../../../src/kernel/codec.ts'
import { clip } from '../../../src/kernel/text.ts'
import { fc } from '../../support/property.ts'

test('a text is cut to its bound, and never in the middle of a character', () => {
  const grin = '\u{1f600}'
  deepEqual(
    [clip('abc', 3), clip('abcd', 3), clip(`ab${grin}`, 4), clip(`ab${grin}`, 3), clip(grin, 1)],
    ['abc', 'abc', `ab${grin}`, 'ab', ''],
  )
})

test('a lone surrogate becomes U+FFFD', () => {
  equal(clip('a\ud83d', 9), 'a\ufffd')
  equal(clip('\ude00a', 9), '\ufffda')
})

test('whatever is clipped fits the codec of its bound, and what fits is not changed', () => {
  const hostile = fc.string({
    unit: fc.integer({ min: 0, max: 0xffff }).map((n) => String.fromCharCode(n)),
  })
  fc.assert(
    fc.property(hostile, fc.nat({ max: 20 }), (input, max) => {
      const bounded = text(max)
      const clipped = clip(input, max)
      equal(bounded.is(clipped), true)
      if (bounded.is(input)) equal(clipped, input)
      equal(input.toWellFormed().startsWith(clipped), true)
    }),
  )
})
