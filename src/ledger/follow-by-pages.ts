import { E } from '../kernel/fp.ts'
import type { Follow, Ledger, ReadAll } from './port.ts'

/** `follow` for a ledger that gives pages, each asked for when it is its turn. */
export const followByPages = (
  readAll: (query: ReadAll & Pick<Follow, 'part'>) => ReturnType<Ledger['readAll']>,
): Ledger['follow'] =>
  async function* ({ after, to, ...query }) {
    for (let from = after; from < to;) {
      const page = await readAll({ ...query, after: from })()
      if (E.isLeft(page)) {
        yield page
        return
      }
      const events = page.right.filter(({ position }) => position <= to)
      const last = events.at(-1)
      if (last === undefined) return
      yield E.right(events)
      if (page.right.length < query.limit) return
      from = last.position
    }
  }
