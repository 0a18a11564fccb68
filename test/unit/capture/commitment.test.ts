import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { commitTo, SALT_BYTES } from '../../../src/capture/commitment.ts'

test('a commitment is SHA-256 of the salt followed by the bytes', () => {
  const salt = Buffer.alloc(SALT_BYTES, 7)
  const bytes = Buffer.from('User-agent: *\n')
  const expected = createHash('sha256')
    .update(Buffer.concat([salt, bytes]))
    .digest('hex')
  assert.equal(commitTo(bytes, salt), expected)
})

test('the empty body under the zero salt: a vector anyone can check with sha256sum', () => {
  const zero = '66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925'
  assert.equal(commitTo(Buffer.alloc(0), Buffer.alloc(SALT_BYTES)), zero)
})

test('PR12: the same bytes under another salt commit to something else', () => {
  const bytes = Buffer.from('page')
  assert.notEqual(
    commitTo(bytes, Buffer.alloc(SALT_BYTES, 1)),
    commitTo(bytes, Buffer.alloc(SALT_BYTES, 2)),
  )
})

test('a salt of another length is a defect', () => {
  assert.throws(() => commitTo(Buffer.from('x'), Buffer.alloc(31)), /32 bytes/)
})
