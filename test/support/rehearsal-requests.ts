/** The ledger's requests as the comparison with the access log takes them. */
import type { LedgerRequest } from '../../scripts/rehearsal/compare.ts'
import type { Recorded } from '../../src/ledger/entry.ts'
import type { ClosingEvent, EventType, LedgerEvent } from '../../src/ledger/event.ts'

const isOf =
  <T extends EventType>(type: T) =>
  (recorded: Recorded): recorded is Recorded<T> =>
    recorded.event.type === type

/** The events of one type, in order. */
export const eventsOf = <T extends EventType>(
  recorded: readonly Recorded[],
  type: T,
): readonly Recorded<T>[] => recorded.filter(isOf(type))

const isClosing = (event: LedgerEvent): event is ClosingEvent =>
  event.type === 'ResponseReceived' ||
  event.type === 'RequestFailed' ||
  event.type === 'RequestAbandoned'

export type Closing = Omit<Recorded, 'event'> & { readonly event: ClosingEvent }

/** The closing events of each request, by the request's position: exactly one, if all is well. */
export const closingsOf = (recorded: readonly Recorded[]): ReadonlyMap<number, Closing[]> =>
  Map.groupBy(
    recorded.flatMap((one): Closing[] =>
      isClosing(one.event) ? [{ ...one, event: one.event }] : [],
    ),
    ({ event }) => event.request,
  )

const OUTCOMES = {
  ResponseReceived: 'response',
  RequestFailed: 'failed',
  RequestAbandoned: 'abandoned',
} as const

export const requestsOf = (recorded: readonly Recorded[]): readonly LedgerRequest[] => {
  const closings = closingsOf(recorded)
  return eventsOf(recorded, 'RequestSent').map(({ position, ts, event }) => {
    const closing = closings.get(position)?.[0]
    return {
      position,
      sentAt: ts,
      closedAt: closing?.ts ?? null,
      outcome: closing === undefined ? 'abandoned' : OUTCOMES[closing.event.type],
      url: event.url,
      subject: event.subject,
      purpose: event.purpose,
      status: closing === undefined ? null : statusOf(closing.event),
    }
  })
}

const statusOf = (closing: ClosingEvent): number | null =>
  closing.type === 'ResponseReceived' ? closing.status : null
