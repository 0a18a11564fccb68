/** The entries of an export, one bundle after the other: in the tree, and a ledger among themselves. */
import { E } from '../../kernel/fp.ts'
import { position } from '../../kernel/position.ts'
import { decodeEntry, ENTRY_BYTES_MAX, leafHash, type Recorded } from '../../ledger/entry.ts'
import { logStream } from '../../ledger/stream.ts'
import { Chain } from '../../ledger/tlog/chain.ts'
import { type LogRecord, logRecordOf } from '../../ledger/tlog/rotation.ts'
import {
  entriesIn,
  entriesPath,
  LENGTH_BYTES,
  type Tile,
  TILE_WIDTH,
  tilePath,
} from '../../ledger/tlog/tile.ts'
import { HASH_BYTES } from '../../ledger/tlog/tree.ts'
import { positionsOf } from '../../publish/export-fault.ts'
import { exportFault } from './export-fault.ts'
import type { KeptHeads } from './kept-heads.ts'

export const BUNDLE_BYTES_MAX = TILE_WIDTH * (LENGTH_BYTES + ENTRY_BYTES_MAX)

/** The bytes of a tile, and whether the hash above them says that they are others. */
export type ReadTile = { readonly tile: Tile; readonly bytes: Buffer; readonly isSuspect: boolean }

export class ExportedEntries {
  readonly #chain = new Chain({ position: 0, ts: 0 })
  readonly #log: Recorded[] = []
  readonly #kept: KeptHeads
  #bytes = 0

  constructor(kept: KeptHeads) {
    this.#kept = kept
  }

  /** How many bytes of entries were checked. */
  get bytes(): number {
    return this.#bytes
  }

  get position(): number {
    return this.#chain.position
  }

  /** The time of the newest entry. */
  get ts(): number {
    return this.#chain.ts
  }

  log(): LogRecord | undefined {
    return logRecordOf(this.#log)
  }

  /** Checks a bundle against the tile of its hashes; then each entry after the one before it. */
  take(bundle: Buffer, { tile, bytes, isSuspect }: ReadTile): void {
    const file = entriesPath(tile)
    const { entries, read } = entriesIn(bundle)
    for (const [i, entry] of entries.entries()) {
      const at = positionsOf(tile, i, 1)
      if (i === tile.width) throw exportFault(file, at, 'the log has no such entry')
      if (leafHash(entry).equals(bytes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES))) continue
      throw isSuspect
        ? exportFault(tilePath(tile), at, 'its hash is not that of the entry')
        : exportFault(file, at, 'the entry is not the one that was logged here')
    }
    if (entries.length < tile.width || read < bundle.length)
      throw exportFault(
        file,
        positionsOf(tile, entries.length, 1),
        'it does not end where its entries do',
      )
    for (const [i, entry] of entries.entries()) this.#next(file, tile.index * TILE_WIDTH + i, entry)
    this.#bytes += bundle.length - entries.length * LENGTH_BYTES
  }

  #next(file: string, index: number, entry: Buffer): void {
    const at = position(index + 1)
    const refuse = (because: string) => exportFault(file, { position: at, until: at }, because)
    const decoded = decodeEntry(entry)
    if (E.isLeft(decoded))
      throw refuse('the entry is no event that this program knows; a newer one may have written it')
    const { envelope, event } = decoded.right
    const recorded = { ...envelope, position: at, event }
    const leaf = leafHash(entry)
    const fault = this.#chain.next({ position: at, entry, leaf, recorded })
    if (fault !== undefined) throw refuse(fault)
    this.#kept.append(leaf)
    if (envelope.stream === logStream) this.#log.push(recorded)
  }
}
