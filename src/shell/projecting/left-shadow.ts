/** The shadow a rebuild fills: one that an earlier rebuild left where it was cut off, or an empty one. */
import type { Build, ProjectionStore, Shadow, Standing } from '../../../projections/port.ts'
import type { Projection } from '../../../projections/projection.ts'
import { E, type Either } from '../../kernel/fp.ts'
import type { Unavailable } from '../../ledger/port.ts'

export type Wanted = {
  readonly projection: Projection
  readonly build: Build
  /** Nothing that was left is gone on with. */
  readonly anew: boolean
  /** Nor what has got further than this. */
  readonly atMost: number | undefined
}

/** `from`: the position it goes on from; undefined if it begins. */
export type Opened = Shadow & { readonly from: number | undefined }

/** Whoever asks holds the lock of the rebuild: nobody else fills a shadow of this projection. */
export const openShadow = async (
  store: Pick<ProjectionStore, 'resumeShadow' | 'startShadow'>,
  wanted: Wanted,
): Promise<Either<Unavailable, Opened>> => {
  const { projection, build, anew } = wanted
  const left = anew ? E.right(undefined) : await store.resumeShadow(projection, build)()
  if (E.isLeft(left)) return left
  if (left.right !== undefined && isOfUse(left.right, wanted))
    return E.right({ ...left.right, from: meanOf(left.right) })
  const standing = await store.startShadow(projection, build)()
  return E.isLeft(standing)
    ? standing
    : E.right({ standing: standing.right, parts: [], from: undefined })
}

const isOfUse = (shadow: Shadow, { projection, atMost = Number.POSITIVE_INFINITY }: Wanted) => {
  if (shadow.parts.length > 0 && projection.perStream !== true) return false
  const furthest = Math.max(...standingsIn(shadow).map(({ checkpoint }) => checkpoint))
  return furthest > 0 && furthest <= atMost
}

const standingsIn = ({ standing, parts }: Shadow): readonly Standing[] =>
  parts.length === 0 ? [standing] : parts

/** As if one had gone through the ledger alone. */
const meanOf = (shadow: Shadow): number => {
  const standings = standingsIn(shadow)
  const sum = standings.reduce((total, { checkpoint }) => total + checkpoint, 0)
  return Math.floor(sum / standings.length)
}
