/** Exports the log as static files (C2SP tlog-tiles): what came since the last export is added. */
import type { Ledger } from '../../ledger/port.ts'
import type { TreeStore } from '../../ledger/tlog/port.ts'
import { NO_WITNESSES } from '../../ledger/tlog/witness.ts'
import { leafHash } from '../../ledger/entry.ts'
import {
  entriesPath,
  entryBundle,
  hashesAt,
  newTiles,
  type Tile,
  tilePath,
} from '../../ledger/tlog/tile.ts'
import { TILE_HEIGHT, TILE_WIDTH } from '../../ledger/tlog/tile.ts'
import { type Edge, hashesIn } from '../../ledger/tlog/tree.ts'
import { type Folder, INCOMING } from '../../publish/folder.ts'
import { Halt, orHalt } from '../halt.ts'
import { edgeAt } from './hashes.ts'
import { type HeadPorts, newestHead } from './cosigned-heads.ts'
import { headIn, readLogRecord } from './log-record.ts'

export type Exported = {
  readonly origin: string
  readonly size: number
  /** The size that was exported before; 0 if nothing was. */
  readonly before: number
  readonly files: number
}

type Progress = (done: number, of: number) => void

const CHECKPOINT = 'checkpoint'
const TILES = 'tile'

type ExportPorts = HeadPorts & { readonly ledger: Pick<Ledger, 'readStream'> }

/** The checkpoint is written last: what it promises is there when it is. */
export const exportTlog = async (
  ports: ExportPorts,
  folder: Folder,
  progress: Progress,
): Promise<Exported> => {
  const { tree } = ports
  const { witnesses = NO_WITNESSES } = (await readLogRecord(ports.ledger)) ?? {}
  const newest = await newestHead(ports, witnesses)
  if (newest === undefined)
    throw new Halt({
      tag: 'NotFound',
      because: 'no head was signed yet: there is nothing to export',
    })
  const head = headIn('the newest head', newest.note)
  for (const name of await orHalt(folder.list()))
    if (name.startsWith(INCOMING)) await orHalt(folder.remove(name))
  const edge = await edgeAt(tree, await exportedBefore(tree, folder, head))
  const before = edge.size
  const to: Export = { tree, folder, before, size: head.size, progress, made: new Map() }
  let files = await exportEntries(to, edge)
  if (!edge.root().equals(head.root))
    throw new Halt({
      tag: 'IntegrityBreach',
      position: before + 1,
      because: 'the entries do not give the root of the newest head; run verify --full',
    })
  for (let level = 1; hashesAt(level, head.size) > 0; level += 1)
    files += await exportLevel(to, level)
  await orHalt(folder.write(CHECKPOINT, newest.note))
  return { origin: head.origin, size: head.size, before, files: files + 1 }
}

/** The size that the folder holds already, if the log has grown out of it. */
const exportedBefore = async (
  tree: TreeStore,
  folder: Folder,
  { origin, size }: { readonly origin: string; readonly size: number },
): Promise<number> => {
  const bytes = await orHalt(folder.read(CHECKPOINT))
  if (bytes === undefined) {
    // Tiles alone: a first export was cut off. It began as this one does.
    if ((await orHalt(folder.list())).every((name) => name === TILES)) return 0
    throw new Halt({
      tag: 'WrongUse',
      because: `${folder.place} is not empty and holds no exported log; name another directory`,
    })
  }
  const old = headIn(`${folder.place}/${CHECKPOINT}`, bytes.toString('utf8'))
  if (old.origin !== origin)
    throw new Halt({
      tag: 'WrongUse',
      because: `${folder.place} holds the log ${old.origin}; name another directory`,
    })
  const refuse = (because: string) =>
    new Halt({ tag: 'IntegrityBreach', position: Math.min(size, old.size) + 1, because })
  if (old.size > size)
    throw refuse(
      `${folder.place} holds ${old.size} entries of this log, and the ledger has signed ${size}`,
    )
  const edge = await edgeAt(tree, old.size)
  if (!edge.root().equals(old.root))
    throw refuse(
      `${folder.place} holds another history up to size ${old.size}; keep it, and run verify --full`,
    )
  return old.size
}

type Export = {
  readonly tree: TreeStore
  readonly folder: Folder
  readonly before: number
  readonly size: number
  readonly progress: Progress
  /** The hashes above the leaves that came out of the entries, by `level/index`. */
  readonly made: Map<string, Buffer>
}

/** Level 0: entries and their hashes, made of the very bytes that are written. Gives the files. */
const exportEntries = async (to: Export, edge: Edge): Promise<number> => {
  let files = 0
  for (const tile of newTiles(0, to.before, to.size)) {
    const from = tile.index * TILE_WIDTH
    const stored = await orHalt(to.tree.stored(from, tile.width))
    const entries = stored.map(({ entry }) => entry)
    const leaves = entries.map(leafHash)
    for (const leaf of leaves.slice(edge.size - from))
      edge.append(leaf, ({ height, index }, hash) => {
        if (height > 0 && height % TILE_HEIGHT === 0)
          to.made.set(`${height / TILE_HEIGHT}/${index}`, hash)
      })
    await orHalt(to.folder.write(entriesPath(tile), entryBundle(entries)))
    await writeTile(to, tile, Buffer.concat(leaves))
    await dropPartial(to, tile, entriesPath(tile))
    files += 2
    to.progress(edge.size, to.size)
  }
  return files
}

const exportLevel = async (to: Export, level: number): Promise<number> => {
  let files = 0
  for (const tile of newTiles(level, to.before, to.size)) {
    const from = tile.index * TILE_WIDTH
    const hashes = await orHalt(to.tree.hashes(level, from, from + tile.width))
    for (const [i, hash] of hashesIn(hashes).entries()) {
      const made = to.made.get(`${level}/${from + i}`)
      if (made !== undefined && !made.equals(hash))
        throw new Halt({
          tag: 'IntegrityBreach',
          position: (from + i) * TILE_WIDTH ** level + 1,
          because: `hash ${from + i} of level ${level} is not that of the entries; run verify --full`,
        })
    }
    await writeTile(to, tile, hashes)
    files += 1
  }
  return files
}

const writeTile = async (to: Export, tile: Tile, hashes: Buffer): Promise<void> => {
  await orHalt(to.folder.write(tilePath(tile), hashes))
  await dropPartial(to, tile, tilePath(tile))
}

/** A tile that is full now had a partial one before, if an export ended inside it. */
const dropPartial = async ({ folder, before }: Export, tile: Tile, path: string): Promise<void> => {
  const had = hashesAt(tile.level, before) - tile.index * TILE_WIDTH
  if (tile.width === TILE_WIDTH && had > 0 && had < TILE_WIDTH)
    await orHalt(folder.remove(`${path}.p`))
}
