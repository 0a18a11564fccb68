/** RFC 6962 §2.1 written down as it stands there, recursively and slowly: what the tree is tested against. */
import { createHash } from 'node:crypto'

const sha256 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

export const naiveLeaf = (entry: Uint8Array): Buffer => sha256(Buffer.of(0), entry)

const splitOf = (n: number): number => {
  let k = 1
  while (k * 2 < n) k *= 2
  return k
}

/** MTH(D[n]), of leaf hashes. */
export const naiveRoot = (leaves: readonly Buffer[]): Buffer => {
  const [only] = leaves
  if (only === undefined) return sha256()
  if (leaves.length === 1) return only
  const k = splitOf(leaves.length)
  return sha256(Buffer.of(1), naiveRoot(leaves.slice(0, k)), naiveRoot(leaves.slice(k)))
}

/** PATH(m, D[n]). */
export const naiveInclusion = (m: number, leaves: readonly Buffer[]): readonly Buffer[] => {
  if (leaves.length === 1) return []
  const k = splitOf(leaves.length)
  return m < k
    ? [...naiveInclusion(m, leaves.slice(0, k)), naiveRoot(leaves.slice(k))]
    : [...naiveInclusion(m - k, leaves.slice(k)), naiveRoot(leaves.slice(0, k))]
}

const subproof = (m: number, leaves: readonly Buffer[], known: boolean): readonly Buffer[] => {
  if (m === leaves.length) return known ? [] : [naiveRoot(leaves)]
  const k = splitOf(leaves.length)
  return m <= k
    ? [...subproof(m, leaves.slice(0, k), known), naiveRoot(leaves.slice(k))]
    : [...subproof(m - k, leaves.slice(k), false), naiveRoot(leaves.slice(0, k))]
}

/** PROOF(m, D[n]), 0 < m ≤ n. */
export const naiveConsistency = (m: number, leaves: readonly Buffer[]): readonly Buffer[] =>
  subproof(m, leaves, true)
