/** Where a row stands in its table: the rows of one key follow each other, keys are in code order. */
export type Place = { readonly key: string; readonly index: number }

/** A place as the text a caller hands back to get the next page. */
export const formatPlace = ({ key, index }: Place): string => `${key} ${index}`

/** Text that no page gave is a place before everything. */
export const parsePlace = (text: string): Place => {
  const cut = text.lastIndexOf(' ')
  const index = Number(text.slice(cut + 1))
  return cut < 0 || !Number.isSafeInteger(index)
    ? { key: '', index: -1 }
    : { key: text.slice(0, cut), index }
}
