import type { Predecessor } from '../../shell/tlog/predecessor.ts'
import { safe } from '../print.ts'
import { grouped } from '../progress.ts'

/** The line about the log before this one, if there is one. */
export const predecessorLines = (predecessor: Predecessor | null): readonly string[] => {
  if (predecessor === null) return []
  const { origin, size, root } = predecessor
  return [
    `  it follows the log ${safe(origin)}, whose last head it quotes: ${grouped(size)} entries, root ${root}`,
  ]
}
