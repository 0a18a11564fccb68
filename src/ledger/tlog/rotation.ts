/** Which key of a log signs which head: the log itself records when it takes a new one. */
import { position, type Position } from '../../kernel/position.ts'
import { E } from '../../kernel/fp.ts'
import type { Recorded } from '../entry.ts'
import { parseHead, type TreeHead } from './head.ts'
import { type Witnesses, witnessesOf } from './witness.ts'

export type Rotation = {
  readonly position: Position
  readonly oldKey: string
  readonly newKey: string
}

/** What the stream `log` says: how the log began, every change of its key in order, its witnesses. */
export type LogRecord = {
  readonly origin: string
  readonly clock: 'system' | 'simulated'
  /** The last head of the log that this one follows, as its first entry quotes it. */
  readonly predecessor: TreeHead | null
  readonly rotations: readonly Rotation[]
  readonly witnesses: Witnesses
}

/** undefined if the log was not opened. */
export const logRecordOf = (stream: readonly Recorded[]): LogRecord | undefined => {
  const [opened] = stream
  if (opened?.event.type !== 'LogOpened') return undefined
  const { origin, clock, predecessor } = opened.event
  const rotations = stream.flatMap(({ event, position: at }) =>
    event.type === 'KeyRotated'
      ? [{ position: position(at), oldKey: event.oldKey, newKey: event.newKey }]
      : [],
  )
  const witnesses = witnessesOf(stream)
  return { origin, clock, predecessor: quoted(predecessor), rotations, witnesses }
}

const quoted = (note: string | null): TreeHead | null => {
  const head = note === null ? undefined : parseHead(note)
  return head === undefined || E.isLeft(head) ? null : head.right
}

/** How many keys the log had had when it held `size` entries; the last of them is in force. */
export const keysAt = ({ rotations }: LogRecord, size: number): number =>
  1 + rotations.filter(({ position }) => position <= size).length
