import type { Progress } from '../shell/run.ts'
import type { Io } from './command.ts'

const BETWEEN_LINES_MS = 1_000

/**
 * Tells how a run gets on, on standard error: one line that is written over on a terminal, a line a
 * second otherwise.
 */
export const progressTo = (io: Io, now: () => number): ((progress: Progress) => void) => {
  let last = -BETWEEN_LINES_MS
  return ({ step, done, total, tally }) => {
    const finished = done === total
    if (!finished && now() - last < BETWEEN_LINES_MS) return
    last = now()
    const line = `${step} ${done}/${total} · ${tally.requests} requests, ${tally.responses} answers, ${tally.failures} failures, ${tally.withheld} withheld`
    io.err(io.isTerminal ? `\r\u001b[K${line}${finished ? '\n' : ''}` : `${line}\n`)
  }
}

export const grouped = (n: number): string => n.toLocaleString('en')

/** The same for reading a log from its beginning; `doing` as in "verified up to position 7 of 9". */
export const positionsTo = (io: Io, doing: string): ((position: number, of: number) => void) => {
  let told = performance.now()
  return (position, of) => {
    const now = performance.now()
    if (now - told < BETWEEN_LINES_MS) return
    told = now
    const text = `${doing} ${grouped(position)} of ${grouped(of)}`
    io.err(io.isTerminal ? `\r\u001b[K${text}${position === of ? '\n' : ''}` : `${text}\n`)
  }
}
