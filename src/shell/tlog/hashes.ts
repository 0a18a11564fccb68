/** Hashes of the tree, read from where they are kept. */
import { present } from '../../kernel/assert.ts'
import { TILE_HEIGHT } from '../../ledger/tlog/tile.ts'
import type { TreeStore } from '../../ledger/tlog/port.ts'
import {
  Edge,
  hashesIn,
  joined,
  nodeHash,
  type Span,
  type Subtree,
  subtreesOf,
} from '../../ledger/tlog/tree.ts'
import { orHalt } from '../halt.ts'

/** The root of a complete subtree from its leaves, of which there are 2^n. */
export const rootOf = (hashes: readonly Buffer[]): Buffer => {
  if (hashes.length === 1) return present(hashes[0], 'a hash')
  const half = hashes.length / 2
  return nodeHash(rootOf(hashes.slice(0, half)), rootOf(hashes.slice(half)))
}

/** From at most 128 hashes of the nearest level below that is kept. */
const subtreeHash = async (tree: TreeStore, { height, index }: Subtree): Promise<Buffer> => {
  const level = Math.floor(height / TILE_HEIGHT)
  const width = 2 ** (height % TILE_HEIGHT)
  const [from, to] = [index * width, (index + 1) * width]
  const kept = level === 0 ? tree.leaves(from, to) : tree.hashes(level, from, to)
  return rootOf(hashesIn(await orHalt(kept)))
}

const subtreeHashes = (tree: TreeStore, span: Span): Promise<readonly Buffer[]> =>
  Promise.all(subtreesOf(span).map((subtree) => subtreeHash(tree, subtree)))

/** The hash of a span of the tree; a proof is made of these. */
export const spanHash = async (tree: TreeStore, span: Span): Promise<Buffer> =>
  joined(await subtreeHashes(tree, span))

/** The right edge of the tree as it was at `size`. */
export const edgeAt = async (tree: TreeStore, size: number): Promise<Edge> =>
  new Edge(size, await subtreeHashes(tree, { from: 0, to: size }))
