import type { Projection } from '../../../projections/projection.ts'
import { orHalt } from '../halt.ts'
import { type CatchUpOptions, catchUpTogether } from './catch-up.ts'
import type { ProjectionPorts } from './folding.ts'

/** Brings all of them up to date, and then halts for the first that was not. */
export const allCaughtUp = async (
  ports: ProjectionPorts,
  projections: readonly Projection[],
  options: CatchUpOptions = {},
): Promise<void> => {
  for (const outcome of await catchUpTogether(ports)(projections, options)())
    await orHalt(async () => outcome)
}
