/** Two cells that differ, taken apart to what differs in them: a data set has thousands of records. */
import type { Cell } from '../../../projections/projection.ts'
import { canonicalJson } from '../../kernel/canonical-json.ts'

/** `path` is '' for the cell itself. A part of a list has only the side on which it is. */
export type Part = { readonly path: string; readonly before?: Cell; readonly after?: Cell }

type JsonObject = { readonly [key: string]: Cell }

const isObject = (cell: Cell): cell is JsonObject =>
  typeof cell === 'object' && cell !== null && !Array.isArray(cell)

export const partsOf = (before: Cell, after: Cell, path = ''): readonly Part[] => {
  if (canonicalJson(before) === canonicalJson(after)) return []
  if (Array.isArray(before) && Array.isArray(after))
    return [
      ...without(before, after).map((item) => ({ path, before: item })),
      ...without(after, before).map((item) => ({ path, after: item })),
    ]
  if (!isObject(before) || !isObject(after)) return [{ path, before, after }]
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return keys.flatMap((key) =>
    partsOf(before[key] ?? null, after[key] ?? null, path === '' ? key : `${path}.${key}`),
  )
}

/** The items of `list` that `other` has not, each as often as it is there more. */
const without = (list: readonly Cell[], other: readonly Cell[]): readonly Cell[] => {
  const there = new Map<string, number>()
  for (const item of other) {
    const text = canonicalJson(item)
    there.set(text, (there.get(text) ?? 0) + 1)
  }
  return list.filter((item) => {
    const text = canonicalJson(item)
    const left = there.get(text) ?? 0
    there.set(text, left - 1)
    return left <= 0
  })
}
