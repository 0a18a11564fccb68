/** One exchange with everything that belongs to it: decision, request, answer, what followed. */
import type { Recorded } from '../ledger/entry.ts'
import type { Ledger } from '../ledger/port.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import { orHalt } from './halt.ts'

/** The events of one exchange stand close together in their stream; more than this lie between none. */
const NEAR = 50

export const eventAt = async (ledger: Ledger, position: number): Promise<Recorded | undefined> => {
  const [recorded] = await orHalt(ledger.readAll({ after: position - 1, limit: 1 }))
  return recorded?.position === position ? recorded : undefined
}

/** The position of the request an event belongs to; undefined for an event of no exchange. */
export const exchangeOf = ({ event, position }: Recorded): number | undefined => {
  if (event.type === 'RequestSent') return position
  return 'request' in event && event.request !== null ? event.request : undefined
}

/**
 * The neighbours of an event, itself included, in order: for an event of an exchange its decision, its
 * request and all that names the request; for a decision, the request or withholding that rests on it.
 */
export const neighboursOf = async (
  ledger: Ledger,
  recorded: Recorded,
): Promise<readonly Recorded[]> => {
  const request =
    recorded.event.type === 'RobotsDecided'
      ? await requestOn(ledger, recorded)
      : await requestNamed(ledger, exchangeOf(recorded))
  const decided =
    decisionOf(recorded.event) ?? (request === undefined ? undefined : decisionOf(request.event))
  const decision = decided === undefined ? undefined : await eventAt(ledger, decided)
  const followed = request === undefined ? [] : await around(ledger, request)
  const all = [decision, request, recorded, ...followed].filter((found) => found !== undefined)
  return [...new Map(all.map((found) => [found.position, found])).values()].toSorted(
    (a, b) => a.position - b.position,
  )
}

const decisionOf = (event: LedgerEvent): number | undefined =>
  event.type === 'RequestSent' || event.type === 'RequestWithheld'
    ? (event.decision ?? undefined)
    : undefined

const requestNamed = async (ledger: Ledger, position: number | undefined) =>
  position === undefined ? undefined : eventAt(ledger, position)

const requestOn = async (ledger: Ledger, decision: Recorded): Promise<Recorded | undefined> => {
  const page = await orHalt(ledger.readStream(decision.stream, decision.version))
  return page.slice(0, NEAR).find(({ event }) => decisionOf(event) === decision.position)
}

/** What names the request in its own stream, soon after it. */
const around = async (ledger: Ledger, request: Recorded): Promise<readonly Recorded[]> => {
  const page = await orHalt(ledger.readStream(request.stream, request.version))
  return page
    .slice(0, NEAR)
    .filter(
      (recorded) =>
        exchangeOf(recorded) === request.position && recorded.event.type !== 'RequestSent',
    )
}
