/** What a published claim comes to when it is made again from history. */
import { canonicalJson, type Json } from '../kernel/canonical-json.ts'
import type { EventType } from '../ledger/event.ts'

/**
 * What was derived. `value`: canonical JSON, null if there is no such row or field any more; `row`: the
 * position that made the row; `by`: the projection or reader, at the version that was run; `missing`: what
 * is to be said of kept bodies on the way that are gone.
 */
export type Found = {
  readonly value: string | null
  readonly row: number
  readonly by: string
  readonly missing: readonly string[]
}

/** A value, or why there can be none. */
export type Derived = Found | { readonly because: string }

/** `since`: the newest state says something else by now, which makes no claim about the past false. */
export type ClaimVerdict =
  | {
      readonly verdict: 'holds'
      readonly value: string | null
      readonly by: string | null
      readonly since: { readonly value: string | null; readonly position: number } | null
    }
  | {
      readonly verdict: 'changed'
      readonly claimed: string
      readonly found: string | null
      readonly by: string
    }
  | { readonly verdict: 'unverifiable'; readonly because: readonly string[] }

/** A claim that rests on a claim would rest on itself in the end. */
export const isCitable = (type: EventType): boolean => type !== 'ClaimPublished'

/** A cell as a person types it: its text if it is one, or its JSON. */
export const isSaid = (cell: Json, typed: string): boolean =>
  cell === typed || canonicalJson(cell) === typed

/** What stands at `path` in a reading, from the outside in; undefined if nothing does. */
export const fieldAt = (reading: Json, path: readonly string[]): Json | undefined => {
  let found: Json | undefined = reading
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    // Own fields only: of an object by name, of a list by index.
    found = new Map<string, Json>(Object.entries(found)).get(name)
  }
  return found
}
