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
  const entry = { ...envelope, type: event.type }
  for (const column of ['stream', 'version', 'type', 'ts'] as const)
    if (row[column] !== entry[column])
      return breach(row, `the column ${column} says something else than the entry`)
  return E.right({ ...envelope, position: position(row.position), event })
}

/** The number a row must carry, given the one before it: rows that follow without a gap. */
export type Sequence = { readonly of: 'position' | 'version'; readonly after: number }

/**
 * `rows` as events, in the order given, which must be that of their positions. If they are a whole
 * run of the ledger or of a stream, `sequence` says of what.
 */
export const recordedRows = (
  rows: readonly EventRow[],
  sequence: Sequence | undefined,
): Either<IntegrityBreach, readonly Recorded[]> => {
  const recorded: Recorded[] = []
  let last = 0
  for (const row of rows) {
    if (row.position <= last) return breach(row, 'it is out of order')
    last = row.position
    const due = sequence === undefined ? undefined : sequence.after + recorded.length + 1
    if (sequence !== undefined && row[sequence.of] !== due)
      return breach(row, `${sequence.of} ${due} is missing before it`)
    const one = recordedOf(row)
    if (E.isLeft(one)) return one
    recorded.push(one.right)
  }
  return E.right(recorded)
}
