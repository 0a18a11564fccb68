import { waveletMatrix } from './wavelet-matrix.ts'

/**
 * Where does a piece of text next occur in one fixed text? Built once in O(n log² n), then each
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

/** `text` has at most 32,767 characters, each below U+10000. */
export const occurrencesIn = (text: string): Occurrences => {
  const suffixes = suffixArray(text)
  const starts = waveletMatrix(suffixes)
  return {
    next: (piece, from) => {
      const low = firstPlace(text, suffixes, piece, 0)
      const high = firstPlace(text, suffixes, piece, 1)
      return starts.smallestFrom(low, high, from)
    },
  }
}

/** Sorts all suffixes by prefix doubling: each round orders them by twice as many characters. */
const suffixArray = (text: string): Int32Array => {
  const n = text.length
  const rank = Int32Array.from({ length: n }, (_, i) => text.charCodeAt(i))
  const keys = new Float64Array(n)
  const suffixes = new Int32Array(n)
  let ranks = 0
  for (let width = 1; ranks < n; width *= 2) {
    // Rank of the first half, rank of the second, and the suffix itself, in one exact number:
    // below 2^16 · 2^16 · 2^15 < 2^53.
    for (let i = 0; i < n; i++) keys[i] = (at(rank, i) * 65_536 + at(rank, i + width)) * n + i
    keys.sort()
    ranks = 0
    let previous = -1
    for (let place = 0; place < n; place++) {
      const key = keys[place] ?? 0
      const suffix = key % n
      const halves = (key - suffix) / n
      if (halves !== previous) ranks += 1
      previous = halves
      suffixes[place] = suffix
      rank[suffix] = ranks
    }
  }
  return suffixes
}

/** Past the end there is nothing, and nothing sorts first. Ranks start at 1. */
const at = (rank: Int32Array, place: number): number => rank[place] ?? 0

/** Below 0 if the suffix sorts before the piece, 0 if it starts with it, above 0 if after it. */
const comparePiece = (text: string, suffix: number, piece: string): number => {
  for (let i = 0; i < piece.length; i++) {
    if (suffix + i >= text.length) return -1
    const difference = text.charCodeAt(suffix + i) - piece.charCodeAt(i)
    if (difference !== 0) return difference
  }
  return 0
}

/** First place whose suffix compares to `piece` as at least `least`; the length if there is none. */
const firstPlace = (text: string, suffixes: Int32Array, piece: string, least: 0 | 1): number => {
  let low = 0
  let high = suffixes.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (comparePiece(text, suffixes[middle] ?? 0, piece) >= least) high = middle
    else low = middle + 1
  }
  return low
}
