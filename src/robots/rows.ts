/**
 * Many small records, each made when it is asked for. A hostile robots.txt holds tens of thousands of
 * them: kept as numbers they cost a few bytes each, kept as objects some hundred.
 */
export type Rows<A> = { readonly length: number; readonly at: (index: number) => A }

/** Only the rows at these places, in their order. */
export const rowsOf = <A>(rows: Rows<A>, places: readonly number[]): Rows<A> => ({
  length: places.length,
  at: (index) => rows.at(places[index] ?? -1),
})

export function* eachOf<A>(rows: Rows<A>, from = 0, to = rows.length): Generator<A> {
  for (let index = from; index < to; index += 1) yield rows.at(index)
}

/** A growing list of whole numbers below 2^31. */
export type IntColumn = {
  readonly length: () => number
  readonly push: (value: number) => void
  readonly at: (index: number) => number
}

export const intColumn = (): IntColumn => {
  let values = new Int32Array(16)
  let length = 0
  return {
    length: () => length,
    push: (value) => {
      if (length === values.length) {
        const wider = new Int32Array(2 * length)
        wider.set(values)
        values = wider
      }
      values[length] = value
      length += 1
    },
    at: (index) => {
      const value = index < length ? values[index] : undefined
      if (value === undefined) throw new RangeError(`no row ${index} of ${length}`)
      return value
    },
  }
}
