/** C2SP tlog-tiles: the tree and its entries as files of 256 hashes or entries each. */
import { assert } from '../../kernel/assert.ts'

export const TILE_WIDTH = 256
/** A tile's hash stands for so many levels of the tree: 2^8 = 256. */
export const TILE_HEIGHT = 8

/** The `index`-th tile of a level, with `width` of its 256 places taken. */
export type Tile = { readonly level: number; readonly index: number; readonly width: number }

/** 1234067 → `x001/x234/067`. */
const indexPath = (index: number): string => {
  const digits = String(index)
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? []
  return groups.map((group, i) => (i === groups.length - 1 ? group : `x${group}`)).join('/')
}

const partOf = ({ index, width }: Pick<Tile, 'index' | 'width'>): string =>
  width === TILE_WIDTH ? indexPath(index) : `${indexPath(index)}.p/${width}`

export const tilePath = (tile: Tile): string => `tile/${tile.level}/${partOf(tile)}`

export const entriesPath = (tile: Pick<Tile, 'index' | 'width'>): string =>
  `tile/entries/${partOf(tile)}`

const PATH =
  /^tile\/(?<level>entries|[0-6])\/(?<index>(?:x\d{3}\/){0,5}\d{3})(?:\.p\/(?<width>[1-9]\d{0,2}))?$/

/**
 * The tile a path names, and whether it is of hashes or of entries (whose level is 0); undefined for
 * any spelling that is not the one of `tilePath` and `entriesPath`.
 */
export const tileAt = (path: string): (Tile & { readonly ofEntries: boolean }) | undefined => {
  const { level, index, width } = PATH.exec(path)?.groups ?? {}
  if (level === undefined || index === undefined) return undefined
  const ofEntries = level === 'entries'
  const tile = {
    level: ofEntries ? 0 : Number(level),
    index: Number(index.replaceAll(/[x/]/g, '')),
    width: width === undefined ? TILE_WIDTH : Number(width),
  }
  const isPlain = path === (ofEntries ? entriesPath(tile) : tilePath(tile))
  const isPart = width === undefined || tile.width < TILE_WIDTH
  return isPlain && isPart ? { ...tile, ofEntries } : undefined
}

/** Whether a tree of `size` has all the hashes of this tile; one of fewer was a partial one before. */
export const isTileOf = ({ level, index, width }: Tile, size: number): boolean =>
  index * TILE_WIDTH + width <= hashesAt(level, size)

/** How many hashes a level of the tiles of a tree holds: floor(size / 256^level). */
export const hashesAt = (level: number, size: number): number =>
  Math.floor(size / TILE_WIDTH ** level)

/** The tiles of one level that a tree of `size` has and one of `before` had not, in order. */
export function* newTiles(level: number, before: number, size: number): Generator<Tile> {
  const [had, has] = [hashesAt(level, before), hashesAt(level, size)]
  if (had === has) return
  for (let index = Math.floor(had / TILE_WIDTH); index * TILE_WIDTH < has; index += 1)
    yield { level, index, width: Math.min(TILE_WIDTH, has - index * TILE_WIDTH) }
}

/** An entry stands in a bundle behind its length. */
export const LENGTH_BYTES = 2

/** Entries one behind the other, each after its length. */
export const entryBundle = (entries: readonly Buffer[]): Buffer =>
  Buffer.concat(
    entries.flatMap((entry) => {
      assert(entry.length < 2 ** 16, 'an entry has at most 65,535 bytes')
      const length = Buffer.alloc(LENGTH_BYTES)
      length.writeUInt16BE(entry.length)
      return [length, entry]
    }),
  )

/** The entries of a bundle, up to the first whose length reaches over its end; none is copied. */
export const entriesIn = (
  bundle: Buffer,
): { readonly entries: readonly Buffer[]; readonly read: number } => {
  const entries: Buffer[] = []
  let read = 0
  while (read + LENGTH_BYTES <= bundle.length) {
    const from = read + LENGTH_BYTES
    const to = from + bundle.readUInt16BE(read)
    if (to > bundle.length) break
    entries.push(bundle.subarray(from, to))
    read = to
  }
  return { entries, read }
}
