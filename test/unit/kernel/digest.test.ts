import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { Digest, sha256, sha256Hex } from '../../../src/kernel/digest.ts'

test('FIPS180-4: the digest of "abc" and of nothing', () => {
  equal(sha256Hex('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  equal(
    sha256Hex(Buffer.alloc(0)),
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  )
  equal(sha256(Buffer.from('abc')).toString('hex'), sha256Hex('abc'))
})

test('text is hashed as UTF-8', () => {
  equal(sha256Hex('ü'), sha256Hex(Buffer.from([0xc3, 0xbc])))
})

test('a digest is 64 hexadecimal digits in small letters', () => {
  const hex = sha256Hex('abc')
  deepEqual(
    [hex, hex.toUpperCase(), hex.slice(1), `${hex}0`, `g${hex.slice(1)}`, `${hex}\n`].map((d) =>
      Digest.is(d),
    ),
    [true, false, false, false, false, false],
  )
})
