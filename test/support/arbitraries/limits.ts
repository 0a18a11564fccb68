import type { FoldLimits } from '../../../src/shell/projecting/walk.ts'
import { fc } from '../property.ts'

/** Bounds of memory so small that pages, batches and commits end everywhere in a short history. */
export const anyLimits: fc.Arbitrary<FoldLimits> = fc.record({
  pageEvents: fc.integer({ min: 1, max: 30 }),
  batchEvents: fc.integer({ min: 1, max: 30 }),
  batchBytes: fc.constantFrom(1, 600, 1_000_000),
  heldBytes: fc.constantFrom(1, 5_000, 1_000_000),
  newKeys: fc.constantFrom(1, 3, 1_000),
})
