/** A small log in memory that may be told in any way, by whoever has its key or has not. */
import { encodeEntry, leafHash } from '../../src/ledger/entry.ts'
import { instant } from '../../src/kernel/instant.ts'
import { siteOfHost } from '../../src/kernel/site.ts'
import { logStream, siteStream } from '../../src/ledger/stream.ts'
import { headText } from '../../src/ledger/tlog/head.ts'
import { formatNote } from '../../src/ledger/tlog/note.ts'
import { entriesPath, entryBundle, newTiles, tilePath } from '../../src/ledger/tlog/tile.ts'
import { formatEntryProof, formatGrowthProof } from '../../src/publish/proof-file.ts'
import type { ExportBytes } from './exported-files.ts'
import { naiveConsistency, naiveInclusion, naiveRoot } from './naive-tree.ts'
import { noteSigner, type NoteSigner } from './note-signer.ts'
import { sampleOf } from './samples.ts'

export const NAME = 'ledger.example/told'
export const owner = noteSigner(NAME, 'log', 3)

export type Entries = readonly Buffer[]

export const START = Date.UTC(2026, 10, 30, 2, 0)

export type Told = {
  readonly site?: string
  readonly version: number
  readonly by?: string
  readonly ts: number
}

/** An exclusion, as it was recorded or as somebody would like it to have been. */
export const told = ({ site = 'one.example', version, by = 'A. Operator', ts }: Told): Buffer => {
  const { envelope } = sampleOf('SiteExcluded')
  const stream = siteStream(siteOfHost(site))
  const event = { type: 'SiteExcluded', v: 1, site: siteOfHost(site), by, note: null } as const
  return encodeEntry(event, { ...envelope, stream, version, ts: instant(ts) })
}

/** `LogOpened` at position 1, then exclusions a second apart: position p is version p − 1. */
export const toldLog = (size: number): Entries => {
  const { envelope } = sampleOf('LogOpened')
  const opened = encodeEntry(
    { type: 'LogOpened', v: 2, origin: NAME, clock: 'system', software: 'test', predecessor: null },
    { ...envelope, stream: logStream, version: 1, ts: instant(START) },
  )
  const rest = Array.from({ length: size - 1 }, (_, i) =>
    told({ version: i + 1, ts: START + (i + 1) * 1_000 }),
  )
  return [opened, ...rest]
}

const leavesOf = (entries: Entries): readonly Buffer[] => entries.map(leafHash)

/** The signed head over the first `size` entries. */
export const headOver = (
  entries: Entries,
  size = entries.length,
  signers: readonly NoteSigner[] = [owner],
): string => {
  const root = naiveRoot(leavesOf(entries.slice(0, size)))
  const text = headText({ origin: NAME, size, root })
  return formatNote({ text, signatures: signers.map(({ sign }) => sign(text)) })
}

/** The export of `entries` under a head; the hashes of the tiles are those of `hashed`. */
export const exportOf = (
  entries: Entries,
  checkpoint: string,
  hashed: Entries = entries,
): ExportBytes => {
  const leaves = leavesOf(hashed)
  const files = new Map<string, Buffer>([['checkpoint', Buffer.from(checkpoint)]])
  for (const tile of newTiles(0, 0, hashed.length)) {
    const [from, to] = [tile.index * 256, tile.index * 256 + tile.width]
    const isLast = to === hashed.length
    files.set(tilePath(tile), Buffer.concat(leaves.slice(from, to)))
    files.set(entriesPath(tile), entryBundle(entries.slice(from, isLast ? undefined : to)))
  }
  for (const tile of newTiles(1, 0, hashed.length)) {
    const full = Array.from({ length: tile.width }, (_, i) =>
      naiveRoot(leaves.slice(i * 256, (i + 1) * 256)),
    )
    files.set(tilePath(tile), Buffer.concat(full))
  }
  return files
}

/** Evidence for the last entry of `entries`, with the earlier head `before` of so many entries. */
export const evidenceOf = (
  entries: Entries,
  before: { readonly size: number; readonly note: string },
  checkpoint = headOver(entries),
): ReadonlyMap<string, Buffer> => {
  const leaves = leavesOf(entries)
  const index = entries.length - 1
  const files = {
    'event.json': entries[index] ?? Buffer.of(),
    'event.tlog-proof': formatEntryProof({
      index,
      proof: naiveInclusion(index, leaves),
      checkpoint,
    }),
    'before.checkpoint': before.note,
    'consistency.txt': formatGrowthProof({
      older: before.size,
      proof: naiveConsistency(before.size, leaves),
      checkpoint,
    }),
  }
  return new Map(Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes)]))
}
