/**
 * Group commit: all appends of this process go through one appender. Those that wait together are
 * committed together, and while one batch is under way the next is encoded.
 */
import type { Clock } from '../../../kernel/clock.ts'
import { E, type Either } from '../../../kernel/fp.ts'
import { latest } from '../../../kernel/instant.ts'
import type { Appended, AppendFailure, Guard, StreamAppend } from '../../../ledger/port.ts'
import type { Database } from '../database.ts'
import { type Batch, takeBatch } from './batch.ts'
import { queue } from './queue.ts'
import type { Patience } from './settle.ts'
import { openWriter, type Tell, type Writer } from './writer.ts'

export type Appender = {
  readonly append: (
    run: string,
    append: StreamAppend,
    guard?: Guard,
  ) => Promise<Either<AppendFailure, Appended>>
  /** Answers what waits, then ends the connection; later appends are refused. */
  readonly close: () => Promise<void>
}

/** So many appends may wait; further callers are kept at the door until the line is shorter. */
const WAITING_MAX = 10_000
/** From so many callers on two halves take turns: one is encoded while the other is written. */
const SPLIT_FROM = 64

export const openAppender = async (
  database: Database,
  clock: Clock,
  patience?: Patience,
): Promise<Appender> => {
  const writer = await openWriter(database, patience)
  const waiting = queue()
  const door: (() => void)[] = []
  let running: Promise<void> | undefined
  let closed = false
  const take: Take = (under) => {
    const callers = waiting.size() + under
    const share = callers < SPLIT_FROM ? callers : Math.ceil(callers / 2)
    const batch = takeBatch(waiting, latest(clock.now(), writer.notBefore()), share)
    for (const open of door.splice(0, WAITING_MAX - waiting.size())) open()
    return batch
  }
  const run = async (): Promise<void> => {
    do await writeAll(writer, take)
    while (waiting.size() > 0)
    running = undefined
  }
  return {
    append: async (of, append, guard) => {
      while (waiting.size() >= WAITING_MAX) await new Promise<void>((open) => door.push(open))
      if (closed) return E.left({ tag: 'Unavailable', because: 'the ledger was closed' })
      return new Promise((answer, fail) => {
        waiting.add({ run: of, append, guard, answer, fail })
        running ??= run()
      })
    },
    close: async () => {
      closed = true
      await running
      await writer.close()
    },
  }
}

/**
 * Lets everybody go on who can without waiting for the outside. Callers that were answered together
 * come back together; this is when all of them have.
 */
const others = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve))

/** Takes the next batch from those who wait; `under`: how many appends are under way. */
type Take = (under: number) => Batch

/** Writes batch after batch until nobody waits. */
const writeAll = async (writer: Writer, take: Take): Promise<void> => {
  await others()
  let batch = take(0)
  let tell: Tell | undefined
  while (batch.appends.length > 0) {
    const sent = writer.send(batch)
    // While this batch is under way, those of the one before go on, and come back.
    tell?.()
    await others()
    const next = take(batch.appends.length)
    tell = await sent
    batch = next
    if (next.appends.length > 0) continue
    tell()
    tell = undefined
    await others()
    batch = take(0)
  }
}
