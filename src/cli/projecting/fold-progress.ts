import type { OnProgress } from '../../shell/projecting/folding.ts'
import { paceOf } from '../../shell/projecting/rebuild.ts'
import type { Io } from '../command.ts'

const BETWEEN_LINES_MS = 1_000

/** A line a second on standard error; the pace is that since the first step, wherever it was. */
export const foldProgress = (io: Io, name: string): OnProgress => {
  let told = performance.now()
  let first: { readonly at: number; readonly position: number } | undefined
  return (progress) => {
    const now = performance.now()
    first ??= { at: now, position: progress.position }
    if (now - told < BETWEEN_LINES_MS) return
    told = now
    const { perSecond, remainingMs } = paceOf(progress, now - first.at, first.position)
    const pace =
      perSecond === null || remainingMs === null
        ? ''
        : `, ${perSecond} positions/s, ${Math.ceil(remainingMs / 1_000)} s left`
    io.err(`${name} ${progress.position}/${progress.of}${pace}\n`)
  }
}
