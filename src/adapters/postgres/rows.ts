/**
 * From rows to events. The entry is the truth; a row whose columns say something else, or that is
 * missing from a run of rows that has no gaps, was changed by somebody: nothing of it is passed on.
 */
import { E, type Either } from '../../kernel/fp.ts'
import { position } from '../../kernel/position.ts'
import { describeParseFailure } from '../../kernel/codec.ts'
import { decodeEntry, type Recorded } from '../../ledger/entry.ts'
import type { IntegrityBreach } from '../../ledger/port.ts'

export type EventRow = {
  readonly position: number
  readonly stream: string
  readonly version: number
  readonly type: string
  readonly ts: number
  readonly entry: Buffer
}

const breach = (
  row: { readonly position: number },
  because: string,
): Either<IntegrityBreach, never> =>
  E.left({ tag: 'IntegrityBreach', position: row.position, because })

const recordedOf = (row: EventRow): Either<IntegrityBreach, Recorded> => {
  const decoded = decodeEntry(row.entry)
  if (E.isLeft(decoded)) return breach(row, describeParseFailure(decoded.left))
  const { envelope, event } = decoded.right
  const { ts, stream, version, run } = envelope
  const column =
    row.stream !== stream
      ? 'stream'
      : row.version !== version
        ? 'version'
        : row.type !== event.type
          ? 'type'
          : row.ts !== ts
            ? 'ts'
            : undefined
  if (column !== undefined)
    return breach(row, `the column ${column} says something else than the entry`)
  return E.right({ ts, stream, version, run, position: position(row.position), event })
}

/** The number a row must carry, given the one before it: rows that follow without a gap. */
export type Sequence = { readonly of: 'position' | 'version'; readonly after: number }

/** Takes rows one by one, in the order of their positions. */
export type Recorder = {
  readonly take: (row: EventRow) => void
  /** The events of the rows taken, up to the first that cannot be. */
  readonly recorded: () => Either<IntegrityBreach, readonly Recorded[]>
}

/**
 * If the rows are a whole run of the ledger or of a stream, `sequence` says of what. Their positions
 * rise, and the first is greater than `after`.
 */
export const recorder = (sequence: Sequence | undefined, after = 0): Recorder => {
  const recorded: Recorded[] = []
  let last = after
  let found: Either<IntegrityBreach, never> | undefined
  const judge = (row: EventRow): Either<IntegrityBreach, Recorded> => {
    if (row.position <= last) return breach(row, 'it is out of order')
    last = row.position
    const due = sequence === undefined ? undefined : sequence.after + recorded.length + 1
    if (sequence !== undefined && row[sequence.of] !== due)
      return breach(row, `${sequence.of} ${due} is missing before it`)
    return recordedOf(row)
  }
  return {
    take: (row) => {
      if (found !== undefined) return
      const one = judge(row)
      if (E.isLeft(one)) found = one
      else recorded.push(one.right)
    },
    recorded: () => found ?? E.right(recorded),
  }
}

/** `rows` as events, in the order given. */
export const recordedRows = (
  rows: readonly EventRow[],
  sequence: Sequence | undefined,
): Either<IntegrityBreach, readonly Recorded[]> => {
  const { take, recorded } = recorder(sequence)
  for (const row of rows) take(row)
  return recorded()
}
