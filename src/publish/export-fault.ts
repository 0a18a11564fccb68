import { TILE_WIDTH, type Tile } from '../ledger/tlog/tile.ts'

/** Positions of entries, both included. */
export type Positions = { readonly position: number; readonly until: number }

/** Why an export proves nothing: the first file that does not hold, and which entries it is about. */
export type ExportFault = {
  readonly tag: 'ExportFault'
  readonly file: string
  /** null where it is about no entry. */
  readonly at: Positions | null
  readonly because: string
}

/** The entries that `count` hashes of a tile stand for, from its `from`-th. */
export const positionsOf = ({ level, index }: Tile, from = 0, count = TILE_WIDTH): Positions => {
  const each = TILE_WIDTH ** level
  const first = (index * TILE_WIDTH + from) * each
  return { position: first + 1, until: first + count * each }
}
