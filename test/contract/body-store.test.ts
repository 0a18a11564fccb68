/** What every BodyStore promises (src/capture/port.ts), over files and in memory. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileBodyStore } from '../../src/adapters/bodies/files.ts'
import { memoryBodyStore, type StoredBodies } from '../../src/adapters/memory/bodies.ts'
import { commitTo, SALT_BYTES } from '../../src/capture/commitment.ts'
import type { BodyEraser, BodyStore } from '../../src/capture/port.ts'
import { Digest } from '../../src/kernel/digest.ts'
import { left, right } from '../support/either.ts'
import { piecesOf, tracer } from '../support/rehearsal-traces.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

type Subject = {
  readonly store: BodyStore & BodyEraser
  /** What is stored for a body: salt ‖ bytes. */
  readonly stored: (commit: Digest) => Promise<Buffer>
  readonly replace: (commit: Digest, stored: Buffer) => Promise<void>
}

const files = async (context: TestContext): Promise<Subject> => {
  const directory = await temporaryDirectory(context)
  const path = (commit: Digest) => join(directory, commit.slice(0, 2), commit.slice(2, 4), commit)
  return {
    store: right(await fileBodyStore(directory, randomBytes)()),
    stored: (commit) => readFile(path(commit)),
    replace: (commit, bytes) => writeFile(path(commit), bytes),
  }
}

const memory = async (): Promise<Subject> => {
  const bodies: StoredBodies = new Map()
  return {
    store: memoryBodyStore(randomBytes, bodies),
    stored: async (commit) => bodies.get(commit) ?? Buffer.alloc(0),
    replace: async (commit, bytes) => void bodies.set(commit, bytes),
  }
}

const put = async ({ store }: Subject, bytes: Uint8Array): Promise<Digest> =>
  right(await store.put(bytes)())

for (const [name, open] of [
  ['files', files],
  ['memory', memory],
] as const) {
  test(`body store (${name}): PR11: bytes come back exactly, of any length`, async (context) => {
    const subject = await open(context)
    for (const length of [0, 1, 31, 32, 33, 100_000]) {
      const bytes = randomBytes(length)
      const commit = await put(subject, bytes)
      assert.ok(Digest.is(commit))
      assert.ok(right(await subject.store.get(commit)()).equals(bytes))
    }
  })

  test(`body store (${name}): the commitment is SHA-256 of what is stored, salt first`, async (context) => {
    const subject = await open(context)
    const commit = await put(subject, Buffer.from('User-agent: *\n'))
    const stored = await subject.stored(commit)
    assert.equal(stored.subarray(SALT_BYTES).toString(), 'User-agent: *\n')
    assert.equal(commitTo(stored.subarray(SALT_BYTES), stored.subarray(0, SALT_BYTES)), commit)
  })

  test(`body store (${name}): the same bytes twice have two commitments`, async (context) => {
    const subject = await open(context)
    const bytes = Buffer.from('same')
    const [first, second] = [await put(subject, bytes), await put(subject, bytes)]
    assert.notEqual(first, second)
    assert.ok(right(await subject.store.get(first)()).equals(bytes))
  })

  test(`body store (${name}): what was never put is missing`, async (context) => {
    const { store } = await open(context)
    const commit = commitTo(Buffer.from('x'), Buffer.alloc(SALT_BYTES))
    assert.deepEqual(left(await store.get(commit)()), { tag: 'BodyMissing', commit })
  })

  test(`body store (${name}): an erased body is gone with its salt, and no other is`, async (context) => {
    const subject = await open(context)
    const { store } = subject
    const bytes = Buffer.from('same')
    const [commit, other] = [await put(subject, bytes), await put(subject, bytes)]
    assert.equal(right(await store.erase(commit)()), 'erased')
    assert.deepEqual(left(await store.get(commit)()), { tag: 'BodyMissing', commit })
    assert.equal((await subject.stored(commit).catch(() => Buffer.alloc(0))).length, 0)
    assert.ok(right(await store.get(other)()).equals(bytes))
    assert.equal(right(await store.erase(commit)()), 'absent')
    const never = commitTo(Buffer.from('x'), Buffer.alloc(SALT_BYTES))
    assert.equal(right(await store.erase(never)()), 'absent')
  })

  test(`body store (${name}): any change to what is stored is found`, async (context) => {
    const subject = await open(context)
    const commit = await put(subject, Buffer.from('User-agent: *\nDisallow: /\n'))
    const stored = await subject.stored(commit)
    const flipped = (at: number): Buffer => {
      const copy = Buffer.from(stored)
      copy[at] = (copy[at] ?? 0) ^ 1
      return copy
    }
    const altered = [
      flipped(0),
      flipped(SALT_BYTES),
      flipped(stored.length - 1),
      stored.subarray(0, -1),
      Buffer.concat([stored, Buffer.from('x')]),
      stored.subarray(0, SALT_BYTES - 1),
      Buffer.alloc(0),
    ]
    for (const bytes of altered) {
      await subject.replace(commit, bytes)
      assert.deepEqual(left(await subject.store.get(commit)()), { tag: 'BodyAltered', commit })
    }
    await subject.replace(commit, stored)
    right(await subject.store.get(commit)())
  })

  test(`body store (${name}): many at once do not mix`, async (context) => {
    const subject = await open(context)
    const bodies = Array.from({ length: 40 }, (_, n) => Buffer.from(String(n).repeat(n * 50)))
    const commits = await Promise.all(bodies.map((bytes) => put(subject, bytes)))
    for (const [n, commit] of commits.entries())
      assert.ok(right(await subject.store.get(commit)()).equals(bodies[n] ?? Buffer.alloc(0)))
  })

  test(`body store (${name}): what the caller does to bytes afterwards changes nothing`, async (context) => {
    const subject = await open(context)
    const bytes = Buffer.from('before')
    const commit = await put(subject, bytes)
    bytes.fill(0)
    right(await subject.store.get(commit)()).fill(0)
    assert.equal(right(await subject.store.get(commit)()).toString(), 'before')
  })
}

test('body store (files): a store opened later, or elsewhere at once, sees the same bodies', async (context) => {
  const directory = await temporaryDirectory(context)
  const one = right(await fileBodyStore(directory, randomBytes)())
  const other = right(await fileBodyStore(directory, randomBytes)())
  const commit = right(await one.put(Buffer.from('kept'))())
  assert.equal(right(await other.get(commit)()).toString(), 'kept')
  const later = right(await fileBodyStore(directory, randomBytes)())
  assert.equal(right(await later.get(commit)()).toString(), 'kept')
})

test('body store (files): nothing with the bytes or the salt of an erased body is left in any file', async (context) => {
  const directory = await temporaryDirectory(context)
  const store = right(await fileBodyStore(directory, randomBytes)())
  const bytes = randomBytes(5_000)
  const commit = right(await store.put(bytes)())
  const stored = await readFile(join(directory, commit.slice(0, 2), commit.slice(2, 4), commit))
  const search = tracer(piecesOf(stored, 8, 8))
  assert.equal((await search.inDirectory(directory)).traces.length, 1)
  right(await store.erase(commit)())
  assert.deepEqual((await search.inDirectory(directory)).traces, [])
})
