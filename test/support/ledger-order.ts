/** What must hold of any ledger, whoever wrote it and whatever happened meanwhile. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import type { Recorded } from '../../src/ledger/entry.ts'
import type { Ledger } from '../../src/ledger/port.ts'
import { right } from './either.ts'

/** Everything, page by page. */
export const readWhole = async (ledger: Ledger): Promise<readonly Recorded[]> => {
  const all: Recorded[] = []
  for (;;) {
    const page = right(await ledger.readAll({ after: all.length, limit: 1_000 })())
    if (page.length === 0) return all
    all.push(...page)
  }
}

/** Positions without a gap up to the head, versions without a gap in each stream, times in order. */
export const checkOrder = async (ledger: Ledger): Promise<readonly Recorded[]> => {
  const all = await readWhole(ledger)
  deepEqual(
    all.map(({ position }) => position),
    all.map((_, i) => i + 1),
  )
  equal(right(await ledger.head()()).position, all.length)
  for (const [stream, events] of Map.groupBy(all, (recorded) => recorded.stream))
    deepEqual(
      events.map(({ version }) => version),
      events.map((_, i) => i + 1),
      stream,
    )
  let last = 0
  for (const { ts } of all) {
    ok(ts >= last, 'a time goes back')
    last = ts
  }
  return all
}
