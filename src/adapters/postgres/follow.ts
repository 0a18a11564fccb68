/** The ledger from a position on, as whoever folds all of it wants it. See `Ledger.follow`. */
import { assert } from '../../kernel/assert.ts'
import { E, type Either } from '../../kernel/fp.ts'
import type { Recorded } from '../../ledger/entry.ts'
import { isEventType } from '../../ledger/event.ts'
import type { Follow, Part, ReadFailure } from '../../ledger/port.ts'
import type { Database } from './database.ts'
import { unavailableBecause } from './failure.ts'
import { newest } from './newest.ts'
import { rowsAhead } from './rows-ahead.ts'
import { recorder } from './rows.ts'

type Events = Either<ReadFailure, readonly Recorded[]>

export async function* follow(
  database: Pick<Database, 'place' | 'writer' | 'projector'>,
  query: Follow,
): AsyncGenerator<Events, void, undefined> {
  // Everything after a position has no gaps; what is picked out of it may.
  const hasGaps = query.types !== undefined || query.part !== undefined
  let { after } = query
  try {
    const to = Math.min(query.to, (await newest(database)).position)
    for await (const rows of rowsAhead(database.projector, restsOf(query, to), query.limit)) {
      const { take, recorded } = recorder(hasGaps ? undefined : { of: 'position', after }, after)
      for (const row of rows) take(row)
      const events = recorded()
      yield events
      if (E.isLeft(events)) return
      after = events.right.at(-1)?.position ?? after
    }
  } catch (error) {
    yield E.left(unavailableBecause(database.place, error))
  }
}

/** One statement reads so many positions: a snapshot is not held for as long as all of it takes. */
const SPAN = 65_536

function* restsOf({ after, types, part }: Follow, to: number): Generator<string, void, undefined> {
  assert(Number.isSafeInteger(after), `not a position to follow from: ${after}`)
  const wanted = types?.filter(isEventType).map((type) => `'${type}'`)
  if (wanted?.length === 0) return
  const ofTypes = wanted === undefined ? '' : `and type in (${wanted.join(', ')})`
  for (let from = after; from < to; from += SPAN) {
    const span = `position > ${from} and position <= ${Math.min(from + SPAN, to)}`
    yield `where ${span} ${ofTypes} ${andIn(part)} order by position`
  }
}

/** `hashtext` need only be the same for as long as the server runs. */
const andIn = (part: Part | undefined): string => {
  if (part === undefined) return ''
  const { index, of } = part
  assert(Number.isInteger(index) && Number.isInteger(of), 'a part is a whole number of whole many')
  return `and (hashtext(stream) & 65535) % ${of} = ${index}`
}
