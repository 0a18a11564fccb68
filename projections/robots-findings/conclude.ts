/** Whom one reading of a robots.txt keeps out; null: it says nothing that could be compared. */
import { integer, oneOf, parse, t, text } from '../../src/kernel/codec.ts'
import { E } from '../../src/kernel/fp.ts'
import type { EventOf } from '../../src/ledger/event.ts'
import type { Folded } from '../projection.ts'

export type Blocked = t.TypeOf<typeof Blocked>
const Blocked = t.type({ token: text(100), trade: text(20), line: integer(0), rule: text(300) })
const ReadingShape = t.type({
  state: oneOf('read', 'unread'),
  robots: text(50),
  crawlers: integer(1),
  blocked: t.array(Blocked),
})

export type RobotsConclusion = { readonly blocked: readonly Blocked[]; readonly method: string }

export const concludeRobots = (
  { access, reader }: EventOf<'RobotsRead'>,
  reading: Folded['reading'],
): RobotsConclusion | null => {
  if (access === 'unavailable')
    return { blocked: [], method: `robots.txt unavailable by ${reader}` }
  if (access !== 'rules' || reading === undefined || 'unread' in reading) return null
  const shape = parse('reading', ReadingShape, reading.reading)
  if (E.isLeft(shape) || shape.right.state === 'unread') return null
  const { robots, blocked } = shape.right
  return {
    blocked: blocked.map(({ token, trade, line, rule }) => ({ token, trade, line, rule })),
    method: `${reading.reader} on ${robots}`,
  }
}
