import { foldTogether, type ProjectionPorts } from '../../src/shell/projecting/folding.ts'
import type { Share, Workers } from '../../src/shell/projecting/shares.ts'
import type { FoldLimits } from '../../src/shell/projecting/walk.ts'

/** Workers over the same store, all in this thread; they take any ledger, and tell what they fold. */
export const workersOver = (
  ports: ProjectionPorts,
  count: number,
  limits: FoldLimits,
  see: (share: Share) => void = () => undefined,
): Workers => ({
  count,
  from: 0,
  fold: (share, onProgress) => {
    see(share)
    return foldTogether(ports, share.courses, { limits, part: share.part, onProgress })
  },
})
