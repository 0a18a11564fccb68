/** The appends that wait for a flush, in order; of each stream only one at a time can be taken. */
import type { Either } from '../../../kernel/fp.ts'
import type { StreamName } from '../../../ledger/stream.ts'
import type { Appended, AppendFailure, Guard, StreamAppend } from '../../../ledger/port.ts'

/** One caller of `append`, waiting for its answer. */
export type Waiting = {
  readonly run: string
  readonly append: StreamAppend
  readonly guard: Guard | undefined
  readonly answer: (answer: Either<AppendFailure, Appended>) => void
  /** Hands a defect to the caller whose append it is. */
  readonly fail: (defect: unknown) => void
}

export type Queue = {
  readonly size: () => number
  readonly add: (waiting: Waiting) => void
  /**
   * Takes the next appends, at most one of a stream, as long as `take` wants more: it is shown each
   * one and says whether to go on after it.
   */
  readonly each: (take: (waiting: Waiting) => boolean) => void
}

export const queue = (): Queue => {
  const streams = new Map<StreamName, Waiting[]>()
  let size = 0
  const add = (waiting: Waiting): void => {
    const { stream } = waiting.append
    const line = streams.get(stream)
    if (line === undefined) streams.set(stream, [waiting])
    else line.push(waiting)
    size += 1
  }
  const each: Queue['each'] = (take) => {
    const behind: [StreamName, Waiting[]][] = []
    for (const [stream, [next, ...rest]] of streams) {
      if (next === undefined) continue
      streams.delete(stream)
      if (rest.length > 0) behind.push([stream, rest])
      size -= 1
      if (!take(next)) break
    }
    // To the end of the line: no stream keeps the others waiting.
    for (const [stream, rest] of behind) streams.set(stream, rest)
  }
  return { size: () => size, add, each }
}
