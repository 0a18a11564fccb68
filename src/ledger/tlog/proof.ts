/** Proofs about the tree: what they consist of (RFC 6962 §2.1) and how they are checked (RFC 9162). */
import { assert } from '../../kernel/assert.ts'
import { heightOf, nodeHash, type Span } from './tree.ts'

/** The largest power of two below `n`. */
const split = (n: number): number => 2 ** heightOf(n - 1)

/** RFC 6962 §2.1.1: the spans whose hashes prove that a leaf is in a tree, bottom first. */
export const inclusionSpans = (index: number, size: number): readonly Span[] => {
  assert(index >= 0 && index < size, `no leaf ${index} in a tree of ${size}`)
  const spans: Span[] = []
  let [from, to] = [0, size]
  while (to - from > 1) {
    const middle = from + split(to - from)
    const isLeft = index < middle
    spans.push(isLeft ? { from: middle, to } : { from, to: middle })
    if (isLeft) to = middle
    else from = middle
  }
  return spans.toReversed()
}

/** RFC 6962 §2.1.2: the spans whose hashes prove that a tree of `older` leaves became one of `newer`. */
export const consistencySpans = (older: number, newer: number): readonly Span[] => {
  assert(older >= 0 && older <= newer, `a tree of ${newer} does not grow out of one of ${older}`)
  if (older === 0 || older === newer) return []
  const spans: Span[] = []
  let [from, to] = [0, newer]
  while (older < to) {
    const middle = from + split(to - from)
    const isLeft = older <= middle
    spans.push(isLeft ? { from: middle, to } : { from, to: middle })
    if (isLeft) to = middle
    else from = middle
  }
  // What is left is the whole older tree or its right end; the verifier knows the former.
  if (from > 0) spans.push({ from, to })
  return spans.toReversed()
}

const half = (n: number): number => Math.floor(n / 2)

/**
 * The way up that both checks of RFC 9162 share, from `fn` in a tree whose last leaf is `sn`: each
 * hash of the proof joins from the left or from the right. False if it does not end at the root.
 */
const climb = (
  from: { readonly fn: number; readonly sn: number },
  proof: readonly Buffer[],
  join: (side: 'left' | 'right', hash: Buffer) => void,
): boolean => {
  let { fn, sn } = from
  for (const hash of proof) {
    if (sn === 0) return false
    const isLeft = fn % 2 === 1 || fn === sn
    join(isLeft ? 'left' : 'right', hash)
    if (isLeft) while (fn % 2 === 0 && fn !== 0) [fn, sn] = [half(fn), half(sn)]
    ;[fn, sn] = [half(fn), half(sn)]
  }
  return sn === 0
}

export type Inclusion = {
  readonly leaf: Buffer
  readonly index: number
  readonly size: number
  readonly root: Buffer
  readonly proof: readonly Buffer[]
}

/** RFC 9162 §2.1.3.2. */
export const isIncluded = ({ leaf, index, size, root, proof }: Inclusion): boolean => {
  if (index < 0 || index >= size) return false
  let hash = leaf
  const arrived = climb({ fn: index, sn: size - 1 }, proof, (side, sibling) => {
    hash = side === 'left' ? nodeHash(sibling, hash) : nodeHash(hash, sibling)
  })
  return arrived && hash.equals(root)
}

/** How large a tree was, and its root then. */
export type TreeState = { readonly size: number; readonly root: Buffer }

export type Growth = {
  readonly older: TreeState
  readonly newer: TreeState
  readonly proof: readonly Buffer[]
}

/** RFC 9162 §2.1.4.2; nothing is proved of an empty older tree but that it is one. */
export const isGrowth = ({ older, newer, proof }: Growth): boolean => {
  if (older.size > newer.size) return false
  if (older.size === newer.size) return proof.length === 0 && older.root.equals(newer.root)
  return older.size === 0 ? proof.length === 0 : hasGrown({ older, newer, proof })
}

const hasGrown = ({ older, newer, proof }: Growth): boolean => {
  const isComplete = 2 ** heightOf(older.size) === older.size
  const [first, ...rest] = isComplete ? [older.root, ...proof] : proof
  if (first === undefined) return false
  let [fn, sn] = [older.size - 1, newer.size - 1]
  while (fn % 2 === 1) [fn, sn] = [half(fn), half(sn)]
  let [was, is] = [first, first]
  const arrived = climb({ fn, sn }, rest, (side, hash) => {
    if (side === 'left') was = nodeHash(hash, was)
    is = side === 'left' ? nodeHash(hash, is) : nodeHash(is, hash)
  })
  return arrived && was.equals(older.root) && is.equals(newer.root)
}
