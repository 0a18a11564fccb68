import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryAfterMs } from '../../../src/capture/retry-after.ts'
import { instant } from '../../../src/kernel/instant.ts'

const now = instant(Date.UTC(2026, 10, 30, 12, 0, 0))
const read = (...values: readonly string[]) => retryAfterMs(values, now)

test('RFC9110_10.2.3: whole seconds', () => {
  assert.equal(read('120'), 120_000)
  assert.equal(read('0'), 0)
  assert.equal(read('007'), 7_000)
  assert.equal(read(' 90\t'), 90_000)
})

test('RFC9110_5.6.7: all three HTTP-date forms, counted from now', () => {
  assert.equal(read('Mon, 30 Nov 2026 12:01:30 GMT'), 90_000)
  assert.equal(read('Monday, 30-Nov-26 12:01:30 GMT'), 90_000)
  assert.equal(read('Mon Nov 30 12:01:30 2026'), 90_000)
  assert.equal(read('Tue Dec  1 12:00:00 2026'), 86_400_000)
  assert.equal(read('Mon, 30 Nov 2026 12:00:60 GMT'), 60_000)
})

test('RFC9110_5.6.7: a two-digit year more than 50 years ahead is a year of the past', () => {
  assert.equal(read('Sunday, 06-Nov-94 08:49:37 GMT'), 0)
  assert.ok((read('Friday, 06-Nov-76 08:49:37 GMT') ?? 0) > 49 * 365 * 86_400_000)
  assert.equal(read('Friday, 06-Nov-77 08:49:37 GMT'), 0)
})

test('a moment that has passed asks for no wait', () => {
  assert.equal(read('Sun, 06 Nov 1994 08:49:37 GMT'), 0)
  assert.equal(read('Sat, 01 Jan 0001 00:00:00 GMT'), 0)
})

test('crawlee-python#1995: what Date.parse would take for a year or a day is not a wait', () => {
  for (const odd of [
    '-5',
    '1.5',
    '+3',
    '',
    ' ',
    '1e3',
    '0x10',
    '60s',
    'soon',
    '2026-11-30T12:01:00Z',
    'Mon, 30 Nov 2026 12:01:30',
    'Mon, 30 Nov 2026 12:01:30 UTC',
    'Mon, 30 Nov 2026 24:00:00 GMT',
    'Tue, 31 Nov 2026 12:00:00 GMT',
    'Mon, 30 Feb 2026 12:00:00 GMT',
    'Mon, 0 Nov 2026 12:00:00 GMT',
    'mon, 30 nov 2026 12:01:30 gmt',
  ])
    assert.equal(read(odd), null, odd)
  assert.equal(read(), null)
})

test('PR9: of several values the longest valid one counts', () => {
  assert.equal(read('3600, 60'), 3_600_000)
  assert.equal(read('60', '3600', 'nonsense'), 3_600_000)
  assert.equal(read('60, Mon, 30 Nov 2026 13:00:00 GMT'), 3_600_000)
  assert.equal(read('Monday, 30-Nov-26 12:00:10 GMT, 60'), 60_000)
  assert.equal(read('-5, 60'), 60_000)
})

test('a long wait is never shortened, and an absurd one is the longest there is', () => {
  assert.equal(read('1000000000'), 1e12)
  assert.equal(read('9'.repeat(400)), 8.64e15)
  assert.ok(Number.isSafeInteger(read('9'.repeat(400))))
})
