import { commitTo, SALT_BYTES } from '../../capture/commitment.ts'
import type { BodyEraser, BodyFailure, BodyStore, SaltedBodies } from '../../capture/port.ts'
import type { Digest } from '../../kernel/digest.ts'
import { E, type TaskEither, TE } from '../../kernel/fp.ts'

/** What a body store holds: salt32 ‖ bytes by commitment. */
export type StoredBodies = Map<Digest, Buffer>

/** The body store in memory: lasts as long as `stored`. `randomBytes` makes the salts. */
export const memoryBodyStore = (
  randomBytes: (size: number) => Buffer,
  stored: StoredBodies = new Map(),
): BodyStore & SaltedBodies & BodyEraser => ({
  put: (bytes) => async () => {
    const salt = randomBytes(SALT_BYTES)
    const commit = commitTo(bytes, salt)
    stored.set(commit, Buffer.concat([salt, bytes]))
    return E.right(commit)
  },
  get: (commit) => TE.map(({ bytes }: Salted) => bytes)(getSalted(stored, commit)),
  getSalted: (commit) => getSalted(stored, commit),
  erase: (commit) => async () => E.right(stored.delete(commit) ? 'erased' : 'absent'),
})

type Salted = { readonly salt: Buffer; readonly bytes: Buffer }

const getSalted =
  (stored: StoredBodies, commit: Digest): TaskEither<BodyFailure, Salted> =>
  async () => {
    const found = stored.get(commit)
    if (found === undefined) return E.left({ tag: 'BodyMissing', commit })
    // Copies out, so that what a caller does to the bytes does not reach the store.
    const salt = Buffer.from(found.subarray(0, SALT_BYTES))
    const bytes = Buffer.from(found.subarray(SALT_BYTES))
    return salt.length === SALT_BYTES && commitTo(bytes, salt) === commit
      ? E.right({ salt, bytes })
      : E.left({ tag: 'BodyAltered', commit })
  }
