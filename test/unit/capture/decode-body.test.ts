import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import { decodeBody } from '../../../src/capture/decode-body.ts'
import type { Header } from '../../../src/kernel/words.ts'
import { left, right } from '../../support/either.ts'

const plain = Buffer.from('User-agent: *\nDisallow: /private\n'.repeat(20))
const coded = (...values: readonly string[]): readonly Header[] =>
  values.map((value) => ['Content-Encoding', value])
const decode = (body: Buffer, headers: readonly Header[], max = 1_000_000) =>
  decodeBody(body, headers, max)

test('RFC9110_8.4.1: each coding is undone, in any case, deflate with and without its wrapper', () => {
  const codings: readonly (readonly [string, Buffer])[] = [
    ['gzip', gzipSync(plain)],
    ['X-GZIP', gzipSync(plain)],
    ['deflate', deflateSync(plain)],
    ['deflate', deflateRawSync(plain)],
    ['br', brotliCompressSync(plain)],
    ['zstd', zstdCompressSync(plain)],
    ['identity', plain],
    ['', plain],
  ]
  for (const [name, bytes] of codings)
    assert.ok(right(decode(bytes, coded(name))).equals(plain), name)
  assert.ok(right(decode(plain, [])).equals(plain))
})

test('RFC9110_8.4: a chain is undone from its end, in one header or several', () => {
  const bytes = brotliCompressSync(gzipSync(plain))
  assert.ok(right(decode(bytes, coded('gzip, br'))).equals(plain))
  assert.ok(right(decode(bytes, coded('gzip', 'identity', 'br'))).equals(plain))
  assert.equal(left(decode(bytes, coded('br, gzip'))), 'undecodable')
})

test('unknown codings, false labels, cut and absurdly nested bodies are undecodable', () => {
  assert.equal(left(decode(plain, coded('compress'))), 'undecodable')
  assert.equal(left(decode(plain, coded('gzip'))), 'undecodable')
  assert.equal(left(decode(Buffer.from('x'), coded('deflate'))), 'undecodable')
  assert.equal(left(decode(gzipSync(plain).subarray(0, -9), coded('gzip'))), 'undecodable')
  const nested = gzipSync(gzipSync(gzipSync(gzipSync(plain))))
  assert.equal(left(decode(nested, coded('gzip, gzip, gzip, gzip'))), 'undecodable')
})

test('an empty body is empty whatever the header says (304 with Content-Encoding)', () => {
  for (const coding of ['gzip', 'br', 'zstd', 'deflate', 'compress'])
    assert.equal(right(decode(Buffer.alloc(0), coded(coding))).length, 0)
})

test('RC12: what comes out is capped to the byte', () => {
  const exact = plain.length
  assert.equal(right(decode(gzipSync(plain), coded('gzip'), exact)).length, exact)
  assert.equal(left(decode(gzipSync(plain), coded('gzip'), exact - 1)), 'too-large')
  assert.equal(right(decode(plain, [], exact)).length, exact)
  assert.equal(left(decode(plain, [], exact - 1)), 'too-large')
  assert.equal(left(decode(gzipSync(plain), coded('gzip'), 0)), 'too-large')
})

test('a bomb of each coding stops at the cap', () => {
  const zeros = Buffer.alloc(64 * 1_048_576)
  const bombs: readonly (readonly [string, Buffer])[] = [
    ['gzip', gzipSync(zeros)],
    ['deflate', deflateSync(zeros)],
    ['br', brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['zstd', zstdCompressSync(zeros)],
    ['gzip, gzip', gzipSync(gzipSync(zeros))],
  ]
  for (const [name, bomb] of bombs) {
    const before = process.memoryUsage().arrayBuffers
    assert.equal(left(decode(bomb, coded(name), 1_048_576)), 'too-large', name)
    const grown = process.memoryUsage().arrayBuffers - before
    assert.ok(grown < 16 * 1_048_576, `${name}: ${grown} bytes more`)
  }
})

test('a bomb in many members, or behind an innocent first one, stops at the cap as well', () => {
  const member = gzipSync(Buffer.alloc(1_048_576))
  const many = Buffer.concat(Array.from({ length: 64 }, () => member))
  assert.equal(left(decode(many, coded('gzip'), 2_097_152)), 'too-large')
  const behind = Buffer.concat([gzipSync(plain), gzipSync(Buffer.alloc(64 * 1_048_576))])
  assert.equal(left(decode(behind, coded('gzip'), 1_048_576)), 'too-large')
  const deep = gzipSync(brotliCompressSync(gzipSync(Buffer.alloc(64 * 1_048_576))))
  assert.equal(left(decode(deep, coded('gzip, br, gzip'), 1_048_576)), 'too-large')
})

test('RFC1952_2.2: several gzip members are one body, and what is no member behind them is left out', () => {
  const two = Buffer.concat([gzipSync('User-agent: *\n'), gzipSync('Disallow: /\n')])
  assert.equal(right(decode(two, coded('gzip'))).toString(), 'User-agent: *\nDisallow: /\n')
  const behind = Buffer.concat([gzipSync(plain), Buffer.alloc(100)])
  assert.ok(right(decode(behind, coded('gzip'))).equals(plain))
})

test('RFC9659_3: a zstd frame that asks for a window over 8 MiB is not decoded', () => {
  const wide = zstdCompressSync(Buffer.alloc(32 * 1_048_576, 'abc'), {
    params: { [constants.ZSTD_c_windowLog]: 25, [constants.ZSTD_c_contentSizeFlag]: 0 },
  })
  assert.equal(left(decode(wide, coded('zstd'), 64 * 1_048_576)), 'undecodable')
})
