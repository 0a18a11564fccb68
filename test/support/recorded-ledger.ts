import { isInPart } from '../../src/adapters/memory/ledger.ts'
import { E } from '../../src/kernel/fp.ts'
import { position } from '../../src/kernel/position.ts'
import type { Recorded } from '../../src/ledger/entry.ts'
import { followByPages } from '../../src/ledger/follow-by-pages.ts'
import type { Follow, Ledger, ReadAll } from '../../src/ledger/port.ts'

/** The reading half of a ledger over a list, which may grow. `upTo` hides what comes later. */
export const recordedLedger = (
  recorded: readonly Recorded[],
  upTo: () => number = () => recorded.length,
): Pick<Ledger, 'readAll' | 'readAt' | 'follow' | 'head' | 'positionAt'> => ({
  readAll: picked(recorded, upTo),
  follow: (query) =>
    followByPages(picked(recorded, upTo))({ ...query, to: Math.min(query.to, upTo()) }),
  readAt: (positions) => async () =>
    E.right(recorded.slice(0, upTo()).filter((one) => positions.includes(one.position))),
  positionAt: (ts) => async () =>
    E.right(recorded.slice(0, upTo()).findLast((one) => one.ts <= ts)?.position ?? 0),
  head: () => async () => {
    const last = recorded[upTo() - 1]
    return E.right({ position: upTo(), ts: last?.ts ?? 0 })
  },
})

const picked =
  (recorded: readonly Recorded[], upTo: () => number) =>
  ({ after, limit, types, stream, part }: ReadAll & Pick<Follow, 'part'>) =>
  async () => {
    const wanted = recorded
      .slice(after, upTo())
      .filter(({ event }) => types === undefined || types.includes(event.type))
      .filter((event) => stream === undefined || event.stream === stream)
      .filter((event) => part === undefined || isInPart(event.stream, part))
    return E.right(wanted.slice(0, limit))
  }

/** Events in any order of making, as a ledger would number them. */
export const numbered = (events: readonly Omit<Recorded, 'position'>[]): readonly Recorded[] =>
  events.map((event, i) => ({ ...event, position: position(i + 1) }))
