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

/** Whether a hash of a proof stands to the left or to the right of what was come to so far. */
export type Side = 'left' | 'right'

/**
 * The way up that both checks of RFC 9162 share, from node `fn` of a row whose last is `sn`: the side
 * of each of `count` hashes. undefined if so many do not lead exactly to the root.
 */
const climb = (from: Place, count: number): readonly Side[] | undefined => {
  let { fn, sn } = from
  const sides: Side[] = []
  while (sides.length < count && sn !== 0) {
    const isLeft = fn % 2 === 1 || fn === sn
    sides.push(isLeft ? 'left' : 'right')
    if (isLeft) while (fn % 2 === 0 && fn !== 0) [fn, sn] = [half(fn), half(sn)]
    ;[fn, sn] = [half(fn), half(sn)]
  }
  return sides.length === count && sn === 0 ? sides : undefined
}

type Place = { readonly fn: number; readonly sn: number }

/** RFC 9162 §2.1.3.2: where each hash of an inclusion proof belongs. */
export const inclusionSides = (
  { index, size }: { readonly index: number; readonly size: number },
  count: number,
): readonly Side[] | undefined =>
  index >= 0 && index < size ? climb({ fn: index, sn: size - 1 }, count) : undefined

/**
 * RFC 9162 §2.1.4.2: where each hash of a proof of growth belongs, after the one it begins with:
 * the older root itself where that tree was complete (`isComplete`), else the first of the proof.
 */
export const growthSides = (
  older: number,
  newer: number,
  count: number,
): { readonly isComplete: boolean; readonly sides: readonly Side[] } | undefined => {
  if (older <= 0 || older >= newer) return undefined
  const isComplete = 2 ** heightOf(older) === older
  let [fn, sn] = [older - 1, newer - 1]
  while (fn % 2 === 1) [fn, sn] = [half(fn), half(sn)]
  const sides = count === 0 ? undefined : climb({ fn, sn }, isComplete ? count : count - 1)
  return sides === undefined ? undefined : { isComplete, sides }
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
  const sides = inclusionSides({ index, size }, proof.length)
  if (sides === undefined) return false
  const made = proof.reduce(
    (hash, sibling, i) => (sides[i] === 'left' ? nodeHash(sibling, hash) : nodeHash(hash, sibling)),
    leaf,
  )
  return made.equals(root)
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
  const way = growthSides(older.size, newer.size, proof.length)
  if (way === undefined) return false
  const [first, ...rest] = way.isComplete ? [older.root, ...proof] : proof
  if (first === undefined) return false
  let [was, is] = [first, first]
  for (const [i, hash] of rest.entries()) {
    const isLeft = way.sides[i] === 'left'
    if (isLeft) was = nodeHash(hash, was)
    is = isLeft ? nodeHash(hash, is) : nodeHash(is, hash)
  }
  return was.equals(older.root) && is.equals(newer.root)
}
