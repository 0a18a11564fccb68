import { equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { Defect } from '../../../src/kernel/assert.ts'
import { canonicalJson } from '../../../src/kernel/canonical-json.ts'

test('RFC8785_3.2.3: keys are ordered by UTF-16 code units, not by code points', () => {
  // The example of the RFC: U+FB33 sorts after U+1F600, whose first unit is 0xD83D.
  const example = {
    '\u20ac': 'Euro Sign',
    '\r': 'Carriage Return',
    '\ufb33': 'Hebrew Letter Dalet With Dagesh',
    '1': 'One',
    '\u{1f600}': 'Emoji: Grinning Face',
    '\u0080': 'Control',
    '\u00f6': 'Latin Small Letter O With Diaeresis',
  }
  equal(
    canonicalJson(example),
    '{"\\r":"Carriage Return","1":"One","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis",' +
      '"\u20ac":"Euro Sign","\u{1f600}":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
  )
})

test('RFC8785_3.2.3: number-like keys are text, inner objects are ordered too, arrays are not', () => {
  equal(
    canonicalJson({ b: [{ d: 1, c: 2 }, 2, 1], 10: 0, 9: 0, a: null }),
    '{"10":0,"9":0,"a":null,"b":[{"c":2,"d":1},2,1]}',
  )
})

test('RFC8785_3.2.2.2: only what must be escaped is escaped, in the shortest form', () => {
  equal(
    canonicalJson('\u0000\u0001\b\t\n\u000b\f\r\u001f "\\/\u007f\u2028\u20ac\u{1f600}'),
    '"\\u0000\\u0001\\b\\t\\n\\u000b\\f\\r\\u001f \\"\\\\/\u007f\u2028\u20ac\u{1f600}"',
  )
})

test('RFC8785_3.2.2.3: integers print without exponent, and minus zero is zero', () => {
  equal(
    canonicalJson([0, -0, 1, -1, 1e15, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]),
    '[0,0,1,-1,1000000000000000,9007199254740991,-9007199254740991]',
  )
})

test('literals, and empty arrays and objects', () => {
  equal(
    canonicalJson([true, false, null, [], {}, Object.create(null)]),
    '[true,false,null,[],{},{}]',
  )
})

test('a key named __proto__ is a key like any other', () => {
  const text = '{"__proto__":{"a":1},"b":2}'
  equal(canonicalJson(JSON.parse(text)), text)
})

class Money {
  readonly amount = 1
}

const refused: readonly (readonly [string, unknown])[] = [
  ['a fraction', 0.5],
  ['an integer beyond 2^53 − 1', 2 ** 53],
  ['an integer below −(2^53 − 1)', -(2 ** 53)],
  ['NaN', Number.NaN],
  ['infinity', Number.POSITIVE_INFINITY],
  ['a bigint', 1n],
  ['undefined', undefined],
  ['a function', () => 1],
  ['a symbol', Symbol('s')],
  ['a lone high surrogate', 'a\ud800'],
  ['a lone low surrogate', '\udc00a'],
  ['a Date', new Date(0)],
  ['a Map', new Map()],
  ['a Set', new Set()],
  ['bytes', Buffer.from('a')],
  ['an instance of a class', new Money()],
  ['an array with a hole', Array.from({ length: 2 }).fill(0, 0, 1)],
]

for (const [what, value] of refused) {
  test(`a value that prints in two ways is never hashed: ${what} is refused at any depth`, () => {
    throws(() => canonicalJson(value), Defect)
    throws(() => canonicalJson({ a: value }), Defect)
    throws(() => canonicalJson([[value]]), Defect)
  })
}

test('a hole in an array is refused, not passed over', () => {
  const sparse: unknown[] = []
  sparse[1] = 1
  throws(() => canonicalJson(sparse), Defect)
})

test('a key that is a lone surrogate is refused', () => {
  throws(() => canonicalJson({ '\ud83d': 1 }), Defect)
})
