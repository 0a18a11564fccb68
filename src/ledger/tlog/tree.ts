/**
 * The Merkle tree over the entries, RFC 6962 §2.1 with SHA-256. A leaf is SHA-256(0x00 ‖ entry), a
 * node SHA-256(0x01 ‖ left ‖ right), an empty tree SHA-256 of nothing. A tree of n leaves splits at
 * the largest power of two below n; an odd node is passed up, never doubled.
 */
import { assert, present } from '../../kernel/assert.ts'
import { sha256 } from '../../kernel/digest.ts'

export const HASH_BYTES = 32
export const EMPTY_ROOT = sha256(Buffer.alloc(0))

const NODE_PREFIX = 1

export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => {
  const bytes = Buffer.allocUnsafe(1 + 2 * HASH_BYTES)
  bytes[0] = NODE_PREFIX
  bytes.set(left, 1)
  bytes.set(right, 1 + HASH_BYTES)
  return sha256(bytes)
}

/** The height of the largest complete tree that `leaves` fill. Exact, which a logarithm is not. */
export const heightOf = (leaves: number): number => {
  let height = 0
  while (2 ** (height + 1) <= leaves) height += 1
  return height
}

/** A complete subtree: 2^height leaves, the `index`-th of its height from the left, from 0. */
export type Subtree = { readonly height: number; readonly index: number }

/** Leaves `from` to `to`, the last excluded; indices, so positions less one. */
export type Span = { readonly from: number; readonly to: number }

/**
 * The complete subtrees a span is made of, largest first. The span must be one that the tree itself
 * has: `from` is a multiple of the power of two that covers its length.
 */
export const subtreesOf = ({ from, to }: Span): readonly Subtree[] => {
  const subtrees: Subtree[] = []
  let start = from
  while (start < to) {
    const height = heightOf(to - start)
    assert(start % 2 ** height === 0, `no subtree of the tree begins at ${start}`)
    subtrees.push({ height, index: start / 2 ** height })
    start += 2 ** height
  }
  return subtrees
}

/** The hash of a span from those of its subtrees, largest first. */
export const joined = (hashes: readonly Buffer[]): Buffer =>
  hashes.length === 0 ? EMPTY_ROOT : hashes.reduceRight((right, left) => nodeHash(left, right))

/** Called for each subtree that an appended leaf completes, smallest first. */
export type OnComplete = (subtree: Subtree, hash: Buffer) => void

/**
 * The right edge of a tree: the hashes of the complete subtrees it is made of, largest first. All
 * that is needed to append to it and to know its root, and never more than 53 hashes.
 */
export class Edge {
  #size: number
  readonly #hashes: Buffer[]

  /** The edge of a tree of `size` leaves, `hashes` as `subtreesOf` gives its subtrees. */
  constructor(size = 0, hashes: readonly Buffer[] = []) {
    assert(subtreesOf({ from: 0, to: size }).length === hashes.length, 'a hash for each subtree')
    this.#size = size
    this.#hashes = [...hashes]
  }

  get size(): number {
    return this.#size
  }

  append(leaf: Buffer, onComplete?: OnComplete): void {
    let hash = leaf
    let index = this.#size
    for (let height = 0; ; height += 1) {
      onComplete?.({ height, index }, hash)
      if (index % 2 === 0) break
      hash = nodeHash(present(this.#hashes.pop(), 'a left neighbour'), hash)
      index = (index - 1) / 2
    }
    this.#hashes.push(hash)
    this.#size += 1
  }

  root(): Buffer {
    return joined(this.#hashes)
  }
}

/** The hashes that lie one behind the other in `bytes`. */
export const hashesIn = (bytes: Buffer): readonly Buffer[] => {
  assert(bytes.length % HASH_BYTES === 0, 'whole hashes')
  return Array.from({ length: bytes.length / HASH_BYTES }, (_, i) =>
    bytes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES),
  )
}
