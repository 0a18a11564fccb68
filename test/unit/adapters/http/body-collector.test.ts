import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BodyCollector } from '../../../../src/adapters/http/body-collector.ts'

test('RC12: keeps exactly the cap, and says when something was left out', () => {
  const body = new BodyCollector(10)
  assert.equal(body.take(Buffer.from('12345')), true)
  assert.equal(body.take(Buffer.from('67890')), true)
  assert.equal(body.take(Buffer.alloc(0)), true)
  assert.equal(body.take(Buffer.from('x')), false)
  assert.equal(body.take(Buffer.from('y')), false)
  assert.equal(body.whole().toString(), '1234567890')
})

test('chunks of any size across block borders come out as they went in', () => {
  const bytes = Buffer.from(Array.from({ length: 3_000_000 }, (_, n) => n % 251))
  for (const size of [997, 8_192, 100_000, 3_000_000]) {
    const body = new BodyCollector(bytes.length)
    for (let from = 0; from < bytes.length; from += size)
      assert.equal(body.take(bytes.subarray(from, from + size)), true)
    assert.ok(body.whole().equals(bytes), `in pieces of ${size}`)
  }
})

test('a million one-byte chunks cost little more than a million bytes', () => {
  const wire = Buffer.alloc(65_536, 97)
  const before = process.memoryUsage()
  const body = new BodyCollector(2_000_000)
  for (let n = 0; n < 1_000_000; n += 1) body.take(wire.subarray(n % 65_536, (n % 65_536) + 1))
  const after = process.memoryUsage()
  assert.ok(after.arrayBuffers - before.arrayBuffers < 8_000_000)
  assert.equal(body.whole().length, 1_000_000)
})

test('what the caller does to a chunk afterwards does not reach the body', () => {
  const body = new BodyCollector(10)
  const chunk = Buffer.from('abc')
  body.take(chunk)
  chunk.fill(0)
  assert.equal(body.whole().toString(), 'abc')
})
