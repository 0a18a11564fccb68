import type { Instant } from '../kernel/instant.ts'
import type { Position } from '../kernel/position.ts'
import { originOf } from '../kernel/url.ts'
import type { Recorded } from '../ledger/entry.ts'
import type { EventOf } from '../ledger/event.ts'
import { isOf } from './exchange.ts'
import { type KeptFile, keptOf } from './kept-file.ts'
import type { Past } from './past.ts'

/** How a request could come to be made that the other reader would have refused, or the reverse. */
export type Cause =
  /** The two read the same file in different ways. */
  | 'misread-file'
  /** A redirect led to another host, whose own robots.txt did not decide. */
  | 'redirect-to-unread-host'
  /** The robots.txt of another port or scheme of the host decided. */
  | 'file-of-another-port'
  /** The robots.txt of another host decided, or none at all. */
  | 'file-of-another-host'

export type RobotsWindow = {
  readonly since: Instant | undefined
  readonly programme: string | undefined
}

type Step = Recorded<'RequestSent' | 'RequestWithheld'>

/** A step with the decision it rests on, where that is one by robots.txt. */
export type DecidedStep = {
  readonly step: Step
  readonly ruling: EventOf<'RobotsDecided'>
  readonly decision: Position
  /** The kept robots.txt in force for the address. */
  readonly file: KeptFile | undefined
  /** Set where another file than that decided. */
  readonly wrongFile: Exclude<Cause, 'misread-file'> | undefined
}

/** The step as decided by robots.txt; undefined for any other event, or one outside the window. */
export const decidedStep = (
  recorded: Recorded,
  past: Past,
  window: RobotsWindow,
): DecidedStep | undefined => {
  if (!isOf(recorded, 'RequestSent', 'RequestWithheld') || !isIn(recorded, window)) return undefined
  const { decision } = recorded.event
  const ruling = decision === null ? undefined : past.decision(decision)?.event
  if (decision === null || ruling === undefined || !byTheFile(ruling)) return undefined
  return {
    step: recorded,
    ruling,
    decision,
    file: fileInForce(recorded, past),
    wrongFile: wrongFileOf(recorded, ruling, past),
  }
}

const isIn = ({ event, ts }: Step, { since, programme }: RobotsWindow): boolean =>
  ts >= (since ?? ts) && event.programme === (programme ?? event.programme)

const fileInForce = (step: Step, past: Past): KeptFile | undefined => {
  const read = past.robotsFor(step)?.event
  return read === undefined ? undefined : keptOf(read)
}

/** Whether rules were asked: an exempt file, or one that could not be reached, has none to ask. */
const byTheFile = ({ basis, purpose, verdict }: EventOf<'RobotsDecided'>): boolean => {
  if (purpose === 'robots' || basis === 'exempt' || basis === 'robots-file') return false
  return verdict === 'allow' || basis === 'rule'
}

const wrongFileOf = (
  { event }: Step,
  ruling: EventOf<'RobotsDecided'>,
  past: Past,
): DecidedStep['wrongFile'] => {
  const { programme, url, night } = event
  const origin = originOf(url)
  const from = ruling.robots === null ? undefined : past.exchange(ruling.robots)
  if (from !== undefined && past.robotsAddresses({ programme, origin, night }).has(from.url))
    return undefined
  if (from !== undefined && new URL(from.target).hostname === new URL(url).hostname)
    return 'file-of-another-port'
  const before = 'via' in event && event.via !== null ? past.exchange(event.via) : undefined
  const led = before !== undefined && new URL(before.url).hostname !== new URL(url).hostname
  return led ? 'redirect-to-unread-host' : 'file-of-another-host'
}
