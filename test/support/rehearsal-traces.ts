/** Searching a whole directory for pieces of what must not be there, whatever is around them. */
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Of a piece so many bytes are hashed; none may be shorter. */
const HASHED = 8
const PAGE_BYTES = 4 * 1_024 * 1_024

/** The runs of `length` bytes in `text`, one at every `step` bytes. */
export const piecesOf = (text: Buffer, length: number, step = 1): readonly Buffer[] =>
  Array.from({ length: Math.max(0, Math.floor((text.length - length) / step) + 1) }, (_, i) =>
    text.subarray(i * step, i * step + length),
  )

/** 2^18 slots: so small a table stays in the processor's cache. */
const SLOT_BITS = 18
const slotOf = (first: number, second: number): number =>
  (Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)) >>> (32 - SLOT_BITS)

export type Trace = { readonly file: string; readonly piece: string }
export type Tracer = {
  /** The first of the pieces in `bytes`. */
  readonly inBytes: (bytes: Uint8Array) => Buffer | undefined
  /** One trace for each file below `directory` that holds one, and how many bytes were read. */
  readonly inDirectory: (
    directory: string,
  ) => Promise<{ readonly traces: readonly Trace[]; readonly bytes: number }>
}

type Table = {
  /** The pieces that begin with these eight bytes, as two 32-bit numbers. */
  readonly beginning: (first: number, second: number) => readonly Buffer[] | undefined
}

const tableOf = (pieces: readonly Buffer[]): Table => {
  const marked = new Uint8Array(1 << SLOT_BITS)
  const byBeginning = new Map<number, Map<number, Buffer[]>>()
  for (const piece of pieces) {
    const [first, second] = [piece.readInt32BE(0), piece.readInt32BE(4)]
    marked[slotOf(first, second)] = 1
    const bySecond = byBeginning.get(first) ?? new Map<number, Buffer[]>()
    bySecond.set(second, [...(bySecond.get(second) ?? []), piece])
    byBeginning.set(first, bySecond)
  }
  return {
    beginning: (first, second) =>
      marked[slotOf(first, second)] === 1 ? byBeginning.get(first)?.get(second) : undefined,
  }
}

/** Looks for any of many pieces in one pass. */
export const tracer = (pieces: readonly Buffer[]): Tracer => {
  const { beginning } = tableOf(pieces)
  const longest = Math.max(...pieces.map(({ length }) => length))

  const inBytes = (bytes: Uint8Array): Buffer | undefined => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let first = 0
    let second = 0
    for (let end = 0; end < bytes.length; end += 1) {
      first = (first << 8) | (second >>> 24)
      second = (second << 8) | (bytes[end] ?? 0)
      const candidates = beginning(first, second)
      if (candidates === undefined) continue
      const start = end + 1 - HASHED
      const found = candidates.find((piece) =>
        buffer.subarray(Math.max(0, start), start + piece.length).equals(piece),
      )
      if (found !== undefined) return found
    }
    return undefined
  }

  const page = Buffer.alloc(longest + PAGE_BYTES)
  const inFile = async (file: string): Promise<{ found: Buffer | undefined; bytes: number }> => {
    const handle = await open(file, 'r')
    try {
      let kept = 0
      for (let bytes = 0; ;) {
        const { bytesRead } = await handle.read(page, kept, PAGE_BYTES, null)
        if (bytesRead === 0) return { found: undefined, bytes }
        bytes += bytesRead
        const filled = kept + bytesRead
        const found = inBytes(page.subarray(0, filled))
        if (found !== undefined) return { found, bytes }
        // A piece may lie across the edge of two pages.
        kept = Math.min(longest - 1, filled)
        page.copyWithin(0, filled - kept, filled)
      }
    } finally {
      await handle.close()
    }
  }

  return {
    inBytes,
    inDirectory: async (directory) => {
      const traces: Trace[] = []
      let total = 0
      for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue
        const file = join(entry.parentPath, entry.name)
        const { found, bytes } = await inFile(file)
        total += bytes
        if (found !== undefined) traces.push({ file, piece: found.toString('latin1') })
      }
      return { traces, bytes: total }
    },
  }
}
