import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import {
  describeParseFailure,
  integer,
  listOf,
  nullable,
  oneOf,
  parse,
  parseFailure,
  t,
  text,
} from '../../../src/kernel/codec.ts'
import { left, right } from '../../support/either.ts'

const Order = t.exact(
  t.type({
    id: integer(1),
    note: nullable(text(5)),
    lines: listOf(t.exact(t.type({ sku: text(3), kind: oneOf('new', 'used') })), 2),
    labels: t.record(t.string, text(4)),
  }),
)
const order = { id: 1, note: null, lines: [{ sku: 'abc', kind: 'new' }], labels: {} }

test('a value that fits is given back, without the keys nobody declared', () => {
  deepEqual(right(parse('order', Order, { ...order, extra: 1 })), order)
})

test('a failure names the thing, the dotted path and what was expected there', () => {
  const wrong = {
    ...order,
    lines: [
      { sku: 'abc', kind: 'new' },
      { sku: 'abcd', kind: 'old' },
    ],
  }
  const failure = left(parse('order.json', Order, wrong))
  deepEqual(failure, {
    tag: 'ParseFailure',
    what: 'order.json',
    problems: [
      { path: 'lines.1.sku', expected: 'text of at most 3 characters' },
      { path: 'lines.1.kind', expected: '"new" | "used"' },
    ],
  })
  equal(
    describeParseFailure(failure),
    'order.json: lines.1.sku: expected text of at most 3 characters; lines.1.kind: expected "new" | "used"',
  )
})

test('the branches of a union leave no number in the path', () => {
  const failure = left(parse('order', Order, { ...order, note: 7 }))
  deepEqual(
    failure.problems.map((problem) => problem.path),
    ['note', 'note'],
  )
})

test('the path of the value itself is empty', () => {
  equal(
    describeParseFailure(left(parse('limit', integer(0, 9), 'many'))),
    'limit: expected integer from 0 to 9',
  )
  equal(describeParseFailure(parseFailure('policy.json', 'JSON')), 'policy.json: expected JSON')
})

test('a failure repeats nothing of the input and stays small, however large the input is', () => {
  const secret = 'hunter2'
  const hostile = {
    id: secret,
    note: secret.repeat(1_000),
    lines: Array.from({ length: 2 }, () => ({ sku: secret, kind: secret })),
    labels: Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, secret])),
  }
  const failure = left(parse('order', Order, hostile))
  ok(failure.problems.length <= 8)
  ok(!JSON.stringify(failure).includes(secret))
  const longKey = left(parse('order', Order, { ...order, labels: { ['k'.repeat(9_000)]: secret } }))
  ok(JSON.stringify(longKey).length < 500)
})

test('text is bounded in UTF-16 units and well-formed', () => {
  const four = text(4)
  deepEqual(
    ['', 'abcd', 'abcde', '\u{1f600}\u{1f600}', '\u{1f600}\u{1f600}a', '\ud83d', 4, null].map((v) =>
      four.is(v),
    ),
    [true, true, false, true, false, false, false, false],
  )
})

test('an integer is safe and within both bounds', () => {
  const score = integer(-1, 3)
  deepEqual(
    [-2, -1, 3, 4, 1.5, Number.NaN, '1', 2n].map((v) => score.is(v)),
    [false, true, true, false, false, false, false, false],
  )
  deepEqual([integer(0).is(2 ** 53), integer(0).is(2 ** 53 - 1)], [false, true])
})

test('a list is refused by its length before its items are looked at', () => {
  const failure = left(parse('list', listOf(integer(0), 2), ['a', 'b', 'c']))
  deepEqual(failure.problems, [{ path: '', expected: 'at most 2 items' }])
  ok(listOf(integer(0), 2).is([1, 2]))
  ok(!listOf(integer(0), 2).is([1, 2, 3]))
  ok(!listOf(integer(0), 2).is({ length: 1, 0: 1 }))
})

test('a word outside the vocabulary is refused, inherited names included', () => {
  const verdict = oneOf('allow', 'deny')
  deepEqual(
    ['allow', 'deny', 'Allow', 'toString', '', undefined].map((v) => verdict.is(v)),
    [true, true, false, false, false, false],
  )
})
