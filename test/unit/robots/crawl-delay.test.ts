import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crawlDelayOf } from '../../../src/robots/crawl-delay.ts'

for (const [value, milliseconds] of [
  ['0', 0],
  ['5', 5_000],
  ['5.', 5_000],
  ['.5', 500],
  ['0.25', 250],
  ['1.1', 1_100],
  ['8.2', 8_200],
  ['0.0001', 1],
  ['2.0010', 2_001],
  ['2.00100001', 2_002],
  ['0010', 10_000],
] as const) {
  test(`Crawl-delay ${value} is ${milliseconds} ms, rounded up`, () => {
    assert.equal(crawlDelayOf(value), milliseconds)
  })
}

for (const value of [
  '',
  '.',
  '-5',
  '+5',
  '0x10',
  '1e3',
  'Infinity',
  'ten',
  '10s',
  '1,5',
  '1 2',
  '१',
]) {
  test(`Crawl-delay “${value}” is no decimal number of seconds`, () => {
    assert.equal(crawlDelayOf(value), undefined)
  })
}

test('an absurdly long Crawl-delay stays a safe integer', () => {
  assert.equal(crawlDelayOf('9'.repeat(400)), Number.MAX_SAFE_INTEGER)
})
