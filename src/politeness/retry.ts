/** Which exchanges may be tried once more, and how long to wait before (PK10, RC13). */
import type { FailureReason } from '../ledger/exchange.ts'
import type { Refusal } from '../ledger/events/response-received.ts'
import type { Policy } from '../programmes/policy.ts'

/** How one attempt to ask an address ended. */
export type AttemptEnd = {
  /** 1 for the first. */
  readonly attempt: number
  /** null: no answer came. */
  readonly status: number | null
  /** null with a null status: nobody knows, the process died. */
  readonly failure: FailureReason | null
  /** The answer was a "no": see `saidNo`. */
  readonly refused: boolean
  readonly retryAfterMs: number | null
}

/** A 429 alone asks for patience; with a firewall's page or a bot check it is a refusal as well. */
export const saidNo = (status: number, refusal: Refusal | null): boolean =>
  refusal !== null && !(status === 429 && refusal.kind === 'status')

/**
 * Failures that another try may not meet. Not TLS: a connection that cannot be trusted is not tried
 * into being trusted. Not what our own side decided, and not an answer that came but broke a limit.
 */
const TRANSIENT: ReadonlySet<FailureReason> = new Set([
  'dns',
  'connect-refused',
  'connect-timeout',
  'connect-failed',
  'timeout',
  'reset',
  'cut-short',
])

const causesOf = ({ status, failure }: AttemptEnd): readonly Policy['retries']['on'][number][] => {
  if (failure !== null) return TRANSIENT.has(failure) ? ['network'] : []
  if (status === 429) return ['429']
  if (status === 503) return ['503', '5xx']
  return status !== null && status >= 500 && status <= 599 ? ['5xx'] : []
}

/** Whether the policy tries the address once more after this attempt. */
export const mayRetry = ({ retries }: Policy, end: AttemptEnd): boolean =>
  end.attempt <= retries.limit &&
  !end.refused &&
  causesOf(end).some((cause) => retries.on.includes(cause)) &&
  (end.retryAfterMs ?? 0) <= retries.retryAfterMaxSeconds * 1_000

/** The wait the policy itself puts before the next try; Retry-After, where given, takes its place. */
export const retryWaitMs = ({ retries }: Policy, end: AttemptEnd): number =>
  end.retryAfterMs === null ? (retries.waitsSeconds[end.attempt - 1] ?? 0) * 1_000 : 0
