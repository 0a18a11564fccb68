/** The ledger in memory: the whole contract except durability. It lasts as long as `stored`. */
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import { E, type Either } from '../../kernel/fp.ts'
import { latest } from '../../kernel/instant.ts'
import { type Position, position } from '../../kernel/position.ts'
import { decodeEntry, encodeEntry, type Recorded } from '../../ledger/entry.ts'
import type {
  Appended,
  AppendFailure,
  Follow,
  Guard,
  Ledger,
  Part,
  ReadAll,
  StreamAppend,
} from '../../ledger/port.ts'
import { followByPages } from '../../ledger/follow-by-pages.ts'
import type { StreamName } from '../../ledger/stream.ts'
import { type ClaimRows, isHeld } from './claims.ts'

/** One event as it stands; its position is its place in the list. */
type Stored = { readonly recorded: Recorded; readonly entry: Buffer }
export type StoredEvents = Stored[]

const READ_MAX = 10_000

export const memoryLedger = (
  clock: Clock,
  claims: ClaimRows = new Map(),
  stored: StoredEvents = [],
): Ledger => {
  const ofStream = (stream: StreamName): Stored[] =>
    stored.filter(({ recorded }) => recorded.stream === stream)
  const append = (run: string, append: StreamAppend, guard?: Guard): Answer => {
    const { stream, expectedVersion: expected, events } = append
    if (guard !== undefined && !isHeld(claims, guard)) return E.left({ tag: 'FenceLost', ...guard })
    const actual = ofStream(stream).length
    if (actual !== expected) return E.left({ tag: 'Conflict', stream, expected, actual })
    const ts = latest(clock.now(), ...stored.slice(-1).map(({ recorded }) => recorded.ts))
    const entries = events.map((event, i) =>
      encodeEntry(event, { ts, stream, version: expected + i + 1, run }),
    )
    const positions = entries.map((entry) => store(stored, entry))
    return E.right({ positions, version: expected + events.length, ts })
  }
  return {
    append: (run, one, guard) => async () => append(run, one, guard),
    readStream: (stream, afterVersion) => async () =>
      E.right(recordedOf(ofStream(stream).slice(afterVersion, afterVersion + READ_MAX))),
    readAll: (query) => async () => E.right(recordedOf(read(stored, query))),
    follow: (query) => following(stored, query),
    readAt: (positions) => async () => E.right(recordedOf(at(stored, positions))),
    readEntries: (query) => async () =>
      E.right(
        read(stored, query).map(({ recorded, entry }) => ({
          position: recorded.position,
          entry: Buffer.from(entry),
        })),
      ),
    head: () => async () => E.right(headOf(stored)),
    positionAt: (ts) => async () =>
      E.right(stored.findLast(({ recorded }) => recorded.ts <= ts)?.recorded.position ?? 0),
  }
}

const headOf = (stored: StoredEvents): { readonly position: number; readonly ts: number } => {
  const newest = stored.at(-1)?.recorded
  return { position: newest?.position ?? 0, ts: newest?.ts ?? 0 }
}

type Picked = ReadAll & Pick<Follow, 'part'>

const read = (stored: StoredEvents, query: Picked): readonly Stored[] => {
  assert(query.limit >= 1 && query.limit <= READ_MAX, `a page has 1 to ${READ_MAX} events`)
  return stored.slice(query.after).filter(matches(query)).slice(0, query.limit)
}

const following = (stored: StoredEvents, { to, ...query }: Follow): ReturnType<Ledger['follow']> =>
  followByPages((page) => async () => E.right(recordedOf(read(stored, page))))({
    ...query,
    to: Math.min(to, stored.length),
  })

const at = (stored: StoredEvents, positions: readonly number[]): readonly Stored[] => {
  assert(positions.length <= READ_MAX, `at most ${READ_MAX} events at a time`)
  return positions.map((one) => stored[one - 1]).filter((one) => one !== undefined)
}

type Answer = Either<AppendFailure, Appended>

/** Kept as bytes and read back, so that a reader never shares an object with the writer. */
const store = (stored: StoredEvents, entry: Buffer): Position => {
  const decoded = decodeEntry(entry)
  assert(E.isRight(decoded), 'an entry decodes')
  const at = position(stored.length + 1)
  stored.push({
    recorded: { ...decoded.right.envelope, position: at, event: decoded.right.event },
    entry,
  })
  return at
}

/** By the sum of its bytes. */
export const isInPart = (stream: StreamName, { index, of }: Part): boolean =>
  Buffer.from(stream).reduce((sum, byte) => sum + byte, 0) % of === index

const matches =
  ({ types, stream, part }: Picked) =>
  ({ recorded }: Stored): boolean =>
    (types === undefined || types.includes(recorded.event.type)) &&
    (stream === undefined || recorded.stream === stream) &&
    (part === undefined || isInPart(recorded.stream, part))

const recordedOf = (events: readonly Stored[]): readonly Recorded[] =>
  events.map(({ recorded }) => recorded)
