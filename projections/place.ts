/** Where a row stands in its table: the rows of one key follow each other, keys are in code order. */
export type Place = { readonly key: string; readonly index: number }

/** Before every row. */
export const BEFORE_ALL: Place = { key: '', index: -1 }

/** In the order of a table: by code points, as PostgreSQL's collation "C" compares. */
export const comparePlaces = (a: Place, b: Place): number =>
  a.key === b.key ? a.index - b.index : Buffer.compare(Buffer.from(a.key), Buffer.from(b.key))

/** A place as the text a caller hands back to get the next page. */
export const formatPlace = ({ key, index }: Place): string => `${key} ${index}`

/** Text that no page gave is a place before everything. */
export const parsePlace = (text: string): Place => {
  const cut = text.lastIndexOf(' ')
  const index = Number(text.slice(cut + 1))
  return cut < 0 || !Number.isSafeInteger(index) ? BEFORE_ALL : { key: text.slice(0, cut), index }
}
