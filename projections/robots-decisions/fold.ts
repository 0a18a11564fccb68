/**
 * What each origin's robots.txt, as last read for a programme, decides about `/`, and its Crawl-delay.
 * Read from the kept bytes, so that another reader can be tried on all of history.
 *
 * RFC 9309 §2.3.1: unavailable (4xx) allows, unreachable (5xx, network) denies; neither needs a reader.
 */
import { integer, nullable, oneOf, parse, t, text } from '../../src/kernel/codec.ts'
import { E } from '../../src/kernel/fp.ts'
import { formatInstant } from '../../src/kernel/instant.ts'
import type { EventOf } from '../../src/ledger/event.ts'
import type { Fold, Folded } from '../projection.ts'

/** `undecided`: the reader does not take the file, or the body is gone. */
export type Decided = {
  readonly decision: 'allow' | 'deny' | 'undecided'
  readonly because: string
  readonly crawlDelayMs: number | null
  readonly reader: string | null
}

export type Read = Decided & {
  readonly origin: string
  readonly programme: string
  readonly position: number
  readonly at: string
  readonly access: EventOf<'RobotsRead'>['access']
  readonly request: number | null
  readonly commit: string | null
}

export type RobotsDecisionsState = { readonly last: Read | null }

const ReadingShape = t.type({
  decision: oneOf('allow', 'deny', 'undecided'),
  because: text(200),
  crawlDelayMs: nullable(integer(0)),
})

const decidedBy = (event: EventOf<'RobotsRead'>, reading: Folded['reading']): Decided => {
  const bare = { crawlDelayMs: null, reader: null }
  if (event.access === 'unreachable') return { ...bare, decision: 'deny', because: event.access }
  if (event.access === 'unavailable') return { ...bare, decision: 'allow', because: event.access }
  if (reading === undefined) return { ...bare, decision: 'deny', because: 'unread' }
  const { reader } = reading
  if ('unread' in reading)
    return { ...bare, reader, decision: 'undecided', because: reading.unread }
  const shape = parse('reading', ReadingShape, reading.reading)
  return E.isLeft(shape)
    ? { ...bare, reader, decision: 'undecided', because: 'reading-shape' }
    : { ...shape.right, reader }
}

export const robotsDecisionsFold: Fold<RobotsDecisionsState> = {
  name: 'robots-decisions',
  version: 1,
  perStream: true,
  interestedIn: ['RobotsRead'],
  reads: { purpose: 'robots', reader: 'rfc9309', others: ['robots-parser'] },
  keysOf: ({ event }) =>
    event.type === 'RobotsRead' ? [`${event.origin} ${event.programme}`] : [],
  initial: () => ({ last: null }),
  fold: (state, { recorded: { event, position, ts }, reading }) => {
    if (event.type !== 'RobotsRead') return state
    const { origin, programme, access, request, commit } = event
    const { decision, because, crawlDelayMs, reader } = decidedBy(event, reading)
    const read = { origin, programme, position, at: formatInstant(ts), access, request, commit }
    return { last: { ...read, decision, because, crawlDelayMs, reader } }
  },
}
