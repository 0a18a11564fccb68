/** What must hold from one entry to the next, whatever the tree says of them. */
import { canonicalJson } from '../../kernel/canonical-json.ts'
import { leafHash } from '../entry.ts'
import type { StreamName } from '../stream.ts'
import type { StoredLeaf } from './port.ts'

/** Where a chain is taken up: the position before its first entry, and the time there. */
export type ChainStart = { readonly position: number; readonly ts: number }

const isCanonical = (entry: Buffer): boolean => {
  const text = entry.toString('utf8')
  return Buffer.from(text).equals(entry) && canonicalJson(JSON.parse(text)) === text
}

/**
 * Entry after entry: gapless positions, the leaf that belongs to the bytes, canonical bytes, times
 * that never fall, streams whose versions are gapless. Remembers a number for each stream.
 */
export class Chain {
  #position: number
  #ts: number
  readonly #versions = new Map<StreamName, number>()

  constructor({ position, ts }: ChainStart) {
    this.#position = position
    this.#ts = ts
  }

  get position(): number {
    return this.#position
  }

  get ts(): number {
    return this.#ts
  }

  get streams(): number {
    return this.#versions.size
  }

  /** Whether this chain has seen the stream; if not, whoever took it up knows its version. */
  knows(stream: StreamName): boolean {
    return this.#versions.has(stream)
  }

  /** Takes the entry into the chain; what is wrong with it, if something is. */
  next({ position, entry, leaf, recorded }: StoredLeaf, versionBefore = 0): string | undefined {
    const { stream, version, ts, event } = recorded
    if (position !== this.#position + 1)
      return `position ${this.#position + 1} is missing before it`
    if (!leafHash(entry).equals(leaf)) return 'the entry does not fit its leaf hash'
    if (!isCanonical(entry)) return 'the entry is not in canonical form'
    if (ts < this.#ts) return 'its time is before that of the event before it'
    if (position === 1 && event.type !== 'LogOpened')
      return 'the ledger does not begin with LogOpened'
    const expected = (this.#versions.get(stream) ?? versionBefore) + 1
    if (version !== expected)
      return `it is version ${version} of the stream ${stream}, where ${expected} is due`
    this.#versions.set(stream, version)
    this.#position = position
    this.#ts = ts
    return undefined
  }
}
