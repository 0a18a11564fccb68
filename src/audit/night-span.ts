import { instant } from '../kernel/instant.ts'
import { nightAt, type NightSpan } from '../plan/night.ts'
import type { Policy } from '../programmes/policy.ts'

const HALF_DAY_MS = 43_200_000

/** The span of the night of that name. A zone may be half a day and more away from UTC. */
export const nightNamed = (
  schedule: Pick<Policy['night'], 'timezone' | 'start'>,
  name: string,
): NightSpan | undefined => {
  const noon = Date.parse(`${name}T12:00:00Z`)
  if (!Number.isFinite(noon)) return undefined
  return [0, 1, 2, -1]
    .map((halves) => nightAt(schedule, instant(noon + halves * HALF_DAY_MS)))
    .find((span) => span.name === name)
}
