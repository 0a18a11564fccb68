import type { Projection } from '../../projections/projection.ts'
import type { Recorded } from '../../src/ledger/entry.ts'

/** Keys whose events are in more than one stream. */
export const scatteredKeys = (
  { interestedIn, keysOf }: Projection,
  recorded: readonly Recorded[],
): readonly string[] => {
  const streams = new Map<string, Set<string>>()
  for (const one of recorded) {
    if (!interestedIn.includes(one.event.type)) continue
    for (const key of keysOf(one)) {
      const known = streams.get(key)
      if (known === undefined) streams.set(key, new Set([one.stream]))
      else known.add(one.stream)
    }
  }
  return [...streams].filter(([, some]) => some.size > 1).map(([key]) => key)
}
