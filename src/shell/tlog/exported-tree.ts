/**
 * The tree of an export, walked from the signed root down to the entries, in their order. Whatever
 * differs from what is below it was vouched for from above, or not: so the file to blame is known.
 */
import {
  entriesIn,
  entriesPath,
  hashesAt,
  LENGTH_BYTES,
  type Tile,
  tileAt,
  TILE_WIDTH,
  tilePath,
} from '../../ledger/tlog/tile.ts'
import { HASH_BYTES, hashesIn, joined, subtreesOf } from '../../ledger/tlog/tree.ts'
import type { ExportedFiles } from '../../publish/exported-files.ts'
import { positionsOf } from '../../publish/export-fault.ts'
import { orHalt } from '../halt.ts'
import { BUNDLE_BYTES_MAX, type ExportedEntries, type ReadTile } from './exported-entries.ts'
import { exportFault } from './export-fault.ts'
import { CHECKPOINT } from './export-names.ts'
import { rootOf } from './hashes.ts'

type Asked = {
  readonly files: ExportedFiles
  readonly size: number
  readonly root: Buffer
  readonly entries: ExportedEntries
  /** Called after each bundle. */
  readonly progress: (position: number, of: number) => void
  readonly stop: AbortSignal
}

/** `earlier` counts the partial files that smaller sizes of the log left. */
type Walk = Asked & { earlier: number }

/** The last tile of each level, the topmost first; none where a level ends with a full tile. */
const edgeOf = (size: number): readonly Tile[] => {
  const tiles: Tile[] = []
  for (let level = 0; hashesAt(level, size) > 0; level += 1) {
    const count = hashesAt(level, size)
    const width = count % TILE_WIDTH
    if (width > 0) tiles.unshift({ level, index: (count - width) / TILE_WIDTH, width })
  }
  return tiles
}

/** The hashes of the complete subtrees in a tile, largest first. */
const peaksOf = (bytes: Buffer): readonly Buffer[] => {
  const hashes = hashesIn(bytes)
  return subtreesOf({ from: 0, to: hashes.length }).map(({ height, index }) =>
    rootOf(hashes.slice(index * 2 ** height, (index + 1) * 2 ** height)),
  )
}

/** Throws the first fault; undefined: it was interrupted. */
export const walkTree = async (asked: Asked): Promise<{ readonly earlier: number } | undefined> => {
  const walk: Walk = { ...asked, earlier: 0 }
  const edge: { readonly tile: Tile; readonly bytes: Buffer }[] = []
  for (const tile of edgeOf(walk.size)) edge.push({ tile, bytes: await tileBytes(walk, tile) })
  const isSuspect = !joined(edge.flatMap(({ bytes }) => peaksOf(bytes))).equals(walk.root)
  for (const { tile, bytes } of edge) await descend(walk, { tile, bytes, isSuspect })
  if (walk.stop.aborted) return undefined
  if (isSuspect)
    throw exportFault(
      CHECKPOINT,
      { position: 1, until: walk.size },
      'the files agree with each other, and have another root than the one it signs: they are another history',
    )
  return { earlier: walk.earlier }
}

const descend = async (walk: Walk, read: ReadTile): Promise<void> => {
  const { tile, bytes } = read
  if (walk.stop.aborted) return
  if (tile.level === 0) await checkBundle(walk, read)
  else await checkBelow(walk, read)
  await checkEarlier(walk, tilePath(tile), bytes)
}

const checkBelow = async (walk: Walk, { tile, bytes, isSuspect }: ReadTile): Promise<void> => {
  for (const [i, hash] of hashesIn(bytes).entries()) {
    const child = { level: tile.level - 1, index: tile.index * TILE_WIDTH + i, width: TILE_WIDTH }
    const below = await tileBytes(walk, child)
    const fits = rootOf(hashesIn(below)).equals(hash)
    if (!fits && isSuspect)
      throw exportFault(
        tilePath(tile),
        positionsOf(tile, i, 1),
        `its hash is not that of ${tilePath(child)}`,
      )
    await descend(walk, { tile: child, bytes: below, isSuspect: !fits })
    if (!fits && !walk.stop.aborted)
      throw exportFault(
        tilePath(child),
        positionsOf(child),
        'it fits its entries, and not the hash above it: these are not the entries that were logged',
      )
  }
}

const tileBytes = async ({ files }: Walk, tile: Tile): Promise<Buffer> => {
  const path = tilePath(tile)
  const due = tile.width * HASH_BYTES
  const bytes = await orHalt(files.read(path, due + 1))
  if (bytes?.length === due) return bytes
  throw exportFault(
    path,
    positionsOf(tile, 0, tile.width),
    bytes === undefined ? 'it is missing' : `it has not the ${due} bytes of ${tile.width} hashes`,
  )
}

const checkBundle = async (walk: Walk, read: ReadTile): Promise<void> => {
  const { files, entries, progress, size } = walk
  const { tile } = read
  const path = entriesPath(tile)
  const bundle = await orHalt(files.read(path, BUNDLE_BYTES_MAX + 1))
  if (bundle === undefined)
    throw exportFault(path, positionsOf(tile, 0, tile.width), 'it is missing')
  entries.take(bundle, read)
  await checkEarlier(walk, path, bundle)
  progress(entries.position, size)
}

const PART = /(?:\.p\/\d+)?$/

/** Where each hash of a tile or each entry of a bundle ends. */
const endsIn = (whole: Buffer, ofEntries: boolean): readonly number[] => {
  if (!ofEntries) return hashesIn(whole).map((_, i) => (i + 1) * HASH_BYTES)
  let end = 0
  return entriesIn(whole).entries.map((entry) => (end += LENGTH_BYTES + entry.length))
}

/** Partial files of smaller sizes stay where they were published: each is the beginning of `whole`. */
const checkEarlier = async (walk: Walk, path: string, whole: Buffer): Promise<void> => {
  const directory = path.replace(PART, '.p')
  for (const { name } of await orHalt(walk.files.list(directory, TILE_WIDTH))) {
    const earlier = `${directory}/${name}`
    const tile = tileAt(earlier)
    if (earlier === path || tile === undefined) continue
    const ends = endsIn(whole, tile.ofEntries)
    const due = whole.subarray(0, ends[tile.width - 1])
    const part = await orHalt(walk.files.read(earlier, due.length + 1))
    walk.earlier += 1
    if (part?.equals(due) === true) continue
    const parting = due.findIndex((byte, i) => byte !== part?.[i])
    const item = parting < 0 ? tile.width - 1 : ends.findIndex((end) => parting < end)
    throw exportFault(earlier, positionsOf(tile, item, 1), `it is not the beginning of ${path}`)
  }
}
