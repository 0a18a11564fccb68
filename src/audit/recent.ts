import type { Instant } from '../kernel/instant.ts'

/** Values of the last so many milliseconds: what is older than that is forgotten, so memory is flat. */
export type Recent<K, V> = {
  readonly get: (key: K) => V | undefined
  /** Takes `value` in at `now`, which never goes back, and forgets what is too old by then. */
  readonly set: (key: K, value: V, now: Instant) => void
}

export const recentOf = <K, V>(windowMs: number): Recent<K, V> => {
  const held = new Map<K, { readonly value: V; readonly at: Instant }>()
  return {
    get: (key) => held.get(key)?.value,
    set: (key, value, now) => {
      // Setting anew moves to the end: the map stays in order of time, the oldest first.
      held.delete(key)
      held.set(key, { value, at: now })
      for (const [old, { at }] of held) {
        if (at >= now - windowMs) return
        held.delete(old)
      }
    },
  }
}
