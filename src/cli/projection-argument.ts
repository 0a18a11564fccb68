import { PROJECTIONS, projectionNamed } from '../../projections/index.ts'
import type { Projection } from '../../projections/projection.ts'
import { Halt } from '../shell/halt.ts'

/** A projection by the name a person typed. */
export const projectionArgument = (name: string): Projection => {
  const found = projectionNamed(name)
  if (found !== undefined) return found
  const known = PROJECTIONS.map((projection) => projection.name).join(', ')
  throw new Halt({
    tag: 'WrongUse',
    because: `no projection ${name.slice(0, 60)}; there are ${known}`,
  })
}
