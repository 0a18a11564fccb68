import { waveletMatrix } from './wavelet-matrix.ts'

/**
 * Where does a piece of text next occur in one fixed text? Built once in O(n log n), then each
 * question costs O(piece · log n), whatever text and piece are. Searching afresh for each of the
 * tens of thousands of pieces that a hostile robots.txt can hold would take seconds.
 *
 * A suffix array finds all occurrences as one range; the wavelet matrix over it finds the first of
 * them that does not start before a given place.
 */
export type Occurrences = {
  /** Smallest start ≥ `from` of `piece` in the text; -1 if there is none. */
  readonly next: (piece: string, from: number) => number
}

/** Told how many characters were compared, so that the work can be counted instead of timed. */
export type Count = (compared: number) => void

/** `text` has at most 32,767 characters, each below U+10000. */
export const occurrencesIn = (text: string, count?: Count): Occurrences => {
  const suffixes = suffixArray(text)
  const starts = waveletMatrix(suffixes)
  return {
    next: (piece, from) => {
      const low = firstPlace({ text, suffixes, count }, piece, 0)
      const suffix = suffixes[low]
      if (suffix === undefined || !text.startsWith(piece, suffix)) return -1
      const high = firstPlace({ text, suffixes, count }, piece, 1)
      return starts.smallestFrom(low, high, from)
    },
  }
}

/**
 * Sorts all suffixes by prefix doubling: each round orders them by twice as many characters, by
 * counting instead of comparing. O(n log n).
 */
const suffixArray = (text: string): Int32Array => {
  const n = text.length
  let rank: Int32Array = Int32Array.from({ length: n }, (_, i) => text.charCodeAt(i))
  let suffixes: Int32Array = sortedByRank(
    Int32Array.from({ length: n }, (_, i) => i),
    rank,
    65_536,
  )
  let ranks = 0
  for (let width = 0; ranks < n; width = Math.max(1, 2 * width)) {
    // At first by the characters alone, then by what stands `width` further on, too.
    if (width > 0) suffixes = sortedByRank(bySecondHalf(suffixes, width), rank, ranks + 1)
    const ranked = rankedAnew(suffixes, rank, width)
    rank = ranked.rank
    ranks = ranked.ranks
  }
  return suffixes
}

/** Stable: those of equal rank stay in their order. Ranks are below `limit`. */
const sortedByRank = (suffixes: Int32Array, rank: Int32Array, limit: number): Int32Array => {
  const ends = new Int32Array(limit)
  for (const each of rank) ends[each] = (ends[each] ?? 0) + 1
  for (let value = 1; value < limit; value += 1) ends[value] = at(ends, value) + at(ends, value - 1)
  const sorted = new Int32Array(suffixes.length)
  for (let place = suffixes.length - 1; place >= 0; place -= 1) {
    const suffix = at(suffixes, place)
    const end = at(ends, at(rank, suffix)) - 1
    ends[at(rank, suffix)] = end
    sorted[end] = suffix
  }
  return sorted
}

/** In the order of what stands `width` further on: past the end there is nothing, which sorts first. */
const bySecondHalf = (suffixes: Int32Array, width: number): Int32Array => {
  const n = suffixes.length
  const order = new Int32Array(n)
  let place = 0
  for (let suffix = Math.max(0, n - width); suffix < n; suffix += 1) order[place++] = suffix
  for (const suffix of suffixes) if (suffix >= width) order[place++] = suffix - width
  return order
}

/** Ranks from 1; suffixes with equal halves share one. */
const rankedAnew = (
  suffixes: Int32Array,
  rank: Int32Array,
  width: number,
): { readonly rank: Int32Array; readonly ranks: number } => {
  const next = new Int32Array(rank.length)
  let ranks = 0
  let first = -1
  let second = -1
  for (const suffix of suffixes) {
    const itsFirst = at(rank, suffix)
    const itsSecond = at(rank, suffix + width)
    if (itsFirst !== first || itsSecond !== second) ranks += 1
    first = itsFirst
    second = itsSecond
    next[suffix] = ranks
  }
  return { rank: next, ranks }
}

/** Past the end there is nothing, and nothing sorts first. */
const at = (values: Int32Array, place: number): number => values[place] ?? 0

type Index = {
  readonly text: string
  readonly suffixes: Int32Array
  readonly count: Count | undefined
}

/** Below 0 if the suffix sorts before the piece, 0 if it starts with it, above 0 if after it. */
const comparePiece = ({ text, count }: Index, suffix: number, piece: string): number => {
  let same = 0
  while (same < piece.length && text.charCodeAt(suffix + same) === piece.charCodeAt(same)) same += 1
  count?.(same + 1)
  if (same === piece.length) return 0
  if (suffix + same >= text.length) return -1
  return text.charCodeAt(suffix + same) - piece.charCodeAt(same)
}

/** First place whose suffix compares to `piece` as at least `least`; the length if there is none. */
const firstPlace = (index: Index, piece: string, least: 0 | 1): number => {
  let low = 0
  let high = index.suffixes.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (comparePiece(index, index.suffixes[middle] ?? 0, piece) >= least) high = middle
    else low = middle + 1
  }
  return low
}
