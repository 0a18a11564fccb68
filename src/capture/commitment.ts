import { createHash } from 'node:crypto'
import { assert } from '../kernel/assert.ts'
import type { Digest } from '../kernel/digest.ts'

/** Bytes of salt. Without the salt nobody can test a guess at the body against its commitment. */
export const SALT_BYTES = 32

/** SHA-256(salt32 ‖ bytes): binds to the bytes, and tells nothing about them once the salt is gone. */
export const commitTo = (bytes: Uint8Array, salt32: Uint8Array): Digest => {
  assert(salt32.length === SALT_BYTES, `a salt has ${SALT_BYTES} bytes, not ${salt32.length}`)
  // Hashed in two steps: a body can be 160 MB, and joining would copy it. Hex is what the brand says.
  return createHash('sha256').update(salt32).update(bytes).digest('hex') as Digest
}
