import { type Count, occurrencesIn, type Occurrences } from './occurrence.ts'
import type { Pattern } from './octets.ts'

/**
 * Does a pattern match a canonical path? From the first octet on; `*` is any run of octets, the
 * empty one too; an anchored pattern must reach the end (RFC 9309 §2.2.2, §2.2.3).
 *
 * Each piece between wildcards is put at its earliest place, which leaves the most room for the
 * rest, so nothing is ever tried twice: work grows with pattern · log path, never with their product.
 */
export const matcherOf = (path: string, count?: Count): ((pattern: Pattern) => boolean) => {
  let occurrences: Occurrences | undefined
  const next = (piece: string, from: number): number => {
    // Most often it stands right here, and no index is needed.
    if (path.startsWith(piece, from)) return from
    occurrences ??= occurrencesIn(path, count)
    return occurrences.next(piece, from)
  }
  return ({ text, anchored }) => {
    count?.(text.length)
    const firstStar = text.indexOf('*')
    if (firstStar < 0) return anchored ? path === text : path.startsWith(text)
    if (!path.startsWith(text.slice(0, firstStar))) return false
    let reached = firstStar
    let begin = firstStar + 1
    for (let star = text.indexOf('*', begin); star >= 0; star = text.indexOf('*', begin)) {
      const found = next(text.slice(begin, star), reached)
      if (found < 0) return false
      reached = found + star - begin
      begin = star + 1
    }
    const last = text.slice(begin)
    if (anchored) return path.length - last.length >= reached && path.endsWith(last)
    return last === '' || next(last, reached) >= 0
  }
}
