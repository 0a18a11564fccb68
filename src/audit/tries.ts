/** The tries of one address: which was the one before, and whether another one may follow. */
import type { Recorded } from '../ledger/entry.ts'
import type { FailureReason } from '../ledger/exchange.ts'
import type { Policy } from '../programmes/policy.ts'
import type { Closed, Exchange } from './exchange.ts'
import { recentOf } from './recent.ts'

export type Tries = {
  readonly take: (exchange: Exchange, policy: Policy | undefined, now: Exchange['sentAt']) => void
  /** The newest time that the address was asked this night or in this run, as the policy counts. */
  readonly before: (
    sent: Recorded<'RequestSent'>,
    policy: Policy | undefined,
  ) => Exchange | undefined
}

const REMEMBERED_MS = 72 * 3_600_000

type Address = Pick<Exchange, 'programme' | 'night' | 'run' | 'url'>

const keyOf = ({ programme, night, run, url }: Address, policy: Policy | undefined): string =>
  `${programme} ${policy?.once.per === 'run' ? run : night} ${url}`

export const newTries = (): Tries => {
  const newest = recentOf<string, Exchange>(REMEMBERED_MS)
  return {
    take: (exchange, policy, now) => newest.set(keyOf(exchange, policy), exchange, now),
    before: ({ event, run }, policy) => newest.get(keyOf({ ...event, run }, policy)),
  }
}

/** No answer came, for a reason that another try may not meet. */
const PASSING: ReadonlySet<FailureReason> = new Set([
  'dns',
  'connect-refused',
  'connect-timeout',
  'connect-failed',
  'timeout',
  'reset',
  'cut-short',
])

/** An answer that wants us away, whatever else it says. A robots.txt that is refused is not there. */
export const isRefusal = ({ closed, purpose }: Exchange): boolean => {
  if (closed === null) return false
  const { status, refusal } = closed
  if (refusal !== null) return !(status === 429 && refusal.kind === 'status')
  return purpose !== 'robots' && (status === 401 || status === 403)
}

/** PK10, RC13: whether the address may be tried once more after this exchange. */
export const mayTryAgain = ({ retries }: Policy, exchange: Exchange): boolean => {
  const { attempt, closed } = exchange
  if (closed === null || closed.abandoned || attempt > retries.limit) return false
  if (isRefusal(exchange)) return false
  if ((closed.retryAfterMs ?? 0) > retries.retryAfterMaxSeconds * 1_000) return false
  return causesIn(closed).some((cause) => retries.on.includes(cause))
}

/** By which of a policy's words such an end is tried again, if it names one of them. */
const causesIn = ({ failure, status }: Closed): Policy['retries']['on'] => {
  if (failure !== null) return PASSING.has(failure) ? ['network'] : []
  if (status === 429) return ['429']
  if (status === 503) return ['503', '5xx']
  return status !== null && status >= 500 && status <= 599 ? ['5xx'] : []
}

/** Every try of the address, this one included, ended with a connection closed unanswered (RC20). */
export const isAlwaysClosed = ({ attempt, closed, resetsBefore }: Exchange): boolean =>
  closed?.failure === 'reset' && resetsBefore === attempt - 1
