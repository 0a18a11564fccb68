/**
 * Counts over the whole market for each night of a programme (PR17): how many sites were asked, what
 * their robots.txt and ads.txt came to, and which ad managers their homepages name.
 */
import { parse, t, text } from '../../src/kernel/codec.ts'
import { E } from '../../src/kernel/fp.ts'
import type { Recorded } from '../../src/ledger/entry.ts'
import type { EventOf } from '../../src/ledger/event.ts'
import type { Fold, Folded } from '../projection.ts'

export type Counts = { readonly [word: string]: number }

export type MarketDayState = {
  readonly programme: string
  readonly night: string
  readonly position: number
  readonly sites: number
  readonly robots: Counts
  readonly adsTxt: Counts
  readonly homepages: Counts
  readonly managers: Counts
  readonly exchanges: Counts
}

/** More words of one kind than this are counted together. */
const WORDS_MAX = 500
const OTHERS = 'others'
export const NO_MANAGER = 'none'

const counted = (counts: Counts, words: readonly string[]): Counts => {
  const next: Record<string, number> = { ...counts }
  for (const given of words) {
    const isKnown = Object.hasOwn(next, given) || Object.keys(next).length < WORDS_MAX
    const word = isKnown ? given : OTHERS
    next[word] = (Object.hasOwn(next, word) ? (next[word] ?? 0) : 0) + 1
  }
  return next
}

/** A site's own origin: that of a redirect or of www is asked beside it. */
const isOwnOrigin = ({ origin, subject }: EventOf<'RobotsRead'>): boolean =>
  URL.parse(origin)?.hostname === subject

const ReadingShape = t.type({ state: text(30) })

/** The state the file is in by itself, or why the asking gave nothing to read. */
const adsTxtWord = (event: EventOf<'FetchConcluded'>, reading: Folded['reading']): string => {
  if (event.outcome !== 'answered') return event.outcome
  if (reading === undefined || 'unread' in reading) return 'unread'
  const shape = parse('reading', ReadingShape, reading.reading)
  return E.isLeft(shape) ? 'unread' : shape.right.state
}

const fold = (state: MarketDayState, { recorded, reading }: Folded): MarketDayState => {
  const { event, position } = recorded
  if (event.type === 'RobotsRead') {
    if (!isOwnOrigin(event)) return state
    const robots = counted(state.robots, [event.access])
    return { ...state, position, sites: state.sites + 1, robots }
  }
  if (event.type === 'FetchConcluded') {
    if (event.purpose !== 'ads-txt') return state
    return { ...state, position, adsTxt: counted(state.adsTxt, [adsTxtWord(event, reading)]) }
  }
  if (event.type !== 'NetworkObserved') return state
  const homepages = counted(state.homepages, [event.read])
  if (event.read !== 'read') return { ...state, position, homepages }
  const managers = counted(state.managers, [event.manager ?? NO_MANAGER])
  const exchanges = counted(state.exchanges, event.exchange)
  return { ...state, position, homepages, managers, exchanges }
}

const SEPARATOR = ' '

const keysOf = ({ event }: Recorded): readonly string[] => {
  const counts =
    event.type === 'RobotsRead' ||
    event.type === 'NetworkObserved' ||
    (event.type === 'FetchConcluded' && event.purpose === 'ads-txt')
  return counts ? [`${event.night}${SEPARATOR}${event.programme}`] : []
}

export const marketDayFold: Fold<MarketDayState> = {
  name: 'market-day',
  version: 1,
  interestedIn: ['RobotsRead', 'FetchConcluded', 'NetworkObserved'],
  reads: { purpose: 'ads-txt', reader: 'ads-txt' },
  keysOf,
  initial: (key) => ({
    // A night never holds a blank.
    night: key.slice(0, key.indexOf(SEPARATOR)),
    programme: key.slice(key.indexOf(SEPARATOR) + 1),
    position: 0,
    sites: 0,
    robots: {},
    adsTxt: {},
    homepages: {},
    managers: {},
    exchanges: {},
  }),
  fold,
}
