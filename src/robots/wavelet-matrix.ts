/**
 * Answers, over a fixed list of numbers, which is the smallest not below a bound within any stretch
 * of the list: O(log max) a question. (Claude, Navarro, Ordóñez 2015, "The wavelet matrix".)
 */
export type WaveletMatrix = {
  /** Smallest value ≥ `bound` at the places low ≤ place < high; -1 if there is none. */
  readonly smallestFrom: (low: number, high: number, bound: number) => number
}

/** One bit of every value, highest bit first: how many zeros stand before each place. */
type Level = { readonly bit: number; readonly zeros: Int32Array; readonly total: number }

/** `values` are whole numbers ≥ 0. */
export const waveletMatrix = (values: Int32Array): WaveletMatrix => {
  const levels = levelsOf(values)
  return {
    smallestFrom: (low, high, bound) => {
      const below = countBelow(levels, low, high, bound)
      return below >= high - low ? -1 : nthSmallest(levels, low, high, below)
    },
  }
}

const levelsOf = (values: Int32Array): readonly Level[] => {
  const levels: Level[] = []
  let order = values
  for (let bit = highestBit(values); bit >= 0; bit--) {
    const zeros = new Int32Array(order.length + 1)
    order.forEach((value, place) => {
      zeros[place + 1] = (zeros[place] ?? 0) + (((value >>> bit) & 1) ^ 1)
    })
    levels.push({ bit, zeros, total: zeros[order.length] ?? 0 })
    // Stable: all values with a zero bit, then all with a one bit.
    const isOne = (value: number): boolean => ((value >>> bit) & 1) === 1
    const ones = order.filter(isOne)
    const next = new Int32Array(order.length)
    next.set(order.filter((value) => !isOne(value)))
    next.set(ones, order.length - ones.length)
    order = next
  }
  return levels
}

const highestBit = (values: Int32Array): number =>
  Math.max(0, 31 - Math.clz32(values.reduce((most, value) => Math.max(most, value), 0)))

const countBelow = (levels: readonly Level[], low: number, high: number, bound: number): number => {
  const top = levels[0]?.bit ?? 0
  if (bound >>> (top + 1) > 0) return high - low
  let count = 0
  for (const { bit, zeros, total } of levels) {
    const zerosLow = zeros[low] ?? 0
    const zerosHigh = zeros[high] ?? 0
    if (((bound >>> bit) & 1) === 0) {
      low = zerosLow
      high = zerosHigh
    } else {
      count += zerosHigh - zerosLow
      low += total - zerosLow
      high += total - zerosHigh
    }
  }
  return count
}

/** The value that has `rank` smaller ones within the stretch. */
const nthSmallest = (levels: readonly Level[], low: number, high: number, rank: number): number => {
  let value = 0
  for (const { bit, zeros, total } of levels) {
    const zerosLow = zeros[low] ?? 0
    const zerosHigh = zeros[high] ?? 0
    if (rank < zerosHigh - zerosLow) {
      low = zerosLow
      high = zerosHigh
    } else {
      rank -= zerosHigh - zerosLow
      value |= 1 << bit
      low += total - zerosLow
      high += total - zerosHigh
    }
  }
  return value
}
