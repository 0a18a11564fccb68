/** A share as plain values, for a thread: projections go by name. */
import { projectionNamed } from '../../../projections/index.ts'
import type { Standing } from '../../../projections/port.ts'
import { present } from '../../kernel/assert.ts'
import type { Share } from './shares.ts'

export type SentShare = Pick<Share, 'limits' | 'part'> & {
  readonly courses: readonly {
    readonly name: string
    readonly readWith: string | undefined
    readonly standing: Standing
    readonly reach: number | undefined
  }[]
}

export const sent = ({ courses, limits, part }: Share): SentShare => ({
  courses: courses.map(({ projection: { name, readWith }, standing, reach }) => ({
    name,
    readWith,
    standing,
    reach,
  })),
  limits,
  part,
})

export const received = ({ courses, limits, part }: SentShare): Share => ({
  courses: courses.map(({ name, readWith, standing, reach }) => {
    const projection = present(projectionNamed(name), `a projection is called ${name}`)
    return { projection: { ...projection, ...(readWith && { readWith }) }, standing, reach }
  }),
  limits,
  part,
})
