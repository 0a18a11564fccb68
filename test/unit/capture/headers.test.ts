import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headerValues, recordedHeaders } from '../../../src/capture/headers.ts'
import type { Header } from '../../../src/kernel/words.ts'

test('headerValues: every value of a name in any case, in order', () => {
  const headers: readonly Header[] = [
    ['Location', '/a'],
    ['Server', 'x'],
    ['LOCATION', '/b'],
  ]
  assert.deepEqual(headerValues(headers, 'location'), ['/a', '/b'])
  assert.deepEqual(headerValues(headers, 'absent'), [])
})

test('headers are recorded in the order, case and number in which they came', () => {
  const headers: readonly Header[] = [
    ['b', '1'],
    ['A', '2'],
    ['b', '1'],
    ['ETag', '"x"'],
  ]
  assert.deepEqual(recordedHeaders(headers, true), { headers, headersOmitted: 0 })
})

test('PR13: cookie and authorisation values are never recorded, kept body or not', () => {
  for (const name of [
    'Set-Cookie',
    'set-cookie2',
    'Cookie',
    'Authorization',
    'PROXY-AUTHORIZATION',
  ])
    for (const kept of [true, false])
      assert.deepEqual(recordedHeaders([[name, 'id=secret']], kept).headers, [
        [name, '(not recorded)'],
      ])
})

test('PR12: beside a body that is not kept stands nothing derived from it', () => {
  const derived: readonly Header[] = [
    ['ETag', '"33a64df5"'],
    ['Content-Length', '51234'],
    ['Content-MD5', 'Q2hlY2s='],
    ['Digest', 'sha-256=abc'],
    ['Content-Digest', 'sha-256=:abc:'],
    ['Repr-Digest', 'sha-256=:abc:'],
    ['Last-Modified', 'Mon, 30 Nov 2026 12:00:00 GMT'],
    ['Link', '</ad.js>; rel=preload'],
    ['Content-Security-Policy', 'script-src ads.example'],
    ['X-Amz-Meta-Sha256', 'abc'],
  ]
  const allowed: readonly Header[] = [
    ['Content-Type', 'text/html'],
    ['Retry-After', '60'],
    ['Location', '/'],
  ]
  assert.deepEqual(recordedHeaders([...derived, ...allowed], false), {
    headers: allowed,
    headersOmitted: derived.length,
  })
})

test('a long value is cut and says so; what does not fit is counted, and later small ones still fit', () => {
  const cut = recordedHeaders([['A', 'x'.repeat(9_000)]], true).headers[0]?.[1] ?? ''
  assert.equal(cut.length, 4_096)
  assert.ok(cut.endsWith('x (cut short)'))
  const many: readonly Header[] = Array.from({ length: 6 }, () => ['A', 'x'.repeat(4_000)])
  const { headers, headersOmitted } = recordedHeaders([...many, ['B', 'small']], true)
  assert.equal(headersOmitted, 2)
  assert.deepEqual(headers.at(-1), ['B', 'small'])
  assert.equal(recordedHeaders([['n'.repeat(257), '']], true).headersOmitted, 1)
})

test('at most 100 headers are recorded', () => {
  const many: readonly Header[] = Array.from({ length: 130 }, (_, n) => ['A', String(n)])
  const { headers, headersOmitted } = recordedHeaders(many, true)
  assert.equal(headers.length, 100)
  assert.equal(headersOmitted, 30)
})
