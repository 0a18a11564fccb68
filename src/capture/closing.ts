/** The closing event of an exchange: what came back, as a fact. Pure. */
import type { Instant } from '../kernel/instant.ts'
import type { Position } from '../kernel/position.ts'
import { clip } from '../kernel/text.ts'
import type { ClosingEvent, EventOf } from '../ledger/event.ts'
import type { Body, Refusal } from '../ledger/events/response-received.ts'
import type { NextAllowed } from '../ledger/exchange.ts'
import { recordedHeaders } from './headers.ts'
import type { HttpAnswer, HttpFailure } from './port.ts'

/** A request that is durable in the ledger. `position` is the name of its exchange everywhere. */
export type Sent = {
  readonly position: Position
  readonly ts: Instant
  readonly event: EventOf<'RequestSent'>
}

const common = ({ position, event }: Pick<Sent, 'position' | 'event'>, next: NextAllowed) => ({
  v: 1 as const,
  programme: event.programme,
  subject: event.subject,
  request: position,
  n: event.n,
  url: event.url,
  target: event.target,
  purpose: event.purpose,
  night: event.night,
  hop: event.hop,
  next,
})

export type Understood = {
  readonly body: Body
  readonly refusal: Refusal | null
  readonly next: NextAllowed
}

export const responseReceived = (
  sent: Sent,
  answer: HttpAnswer,
  { body, refusal, next }: Understood,
): EventOf<'ResponseReceived'> => ({
  type: 'ResponseReceived',
  ...common(sent, next),
  status: answer.status,
  ...recordedHeaders(answer.headers, body.kept),
  body,
  refusal,
  remote: answer.remote,
  tls: answer.tls,
  timing: answer.timing,
})

export const requestFailed = (
  sent: Sent,
  failure: HttpFailure,
  next: NextAllowed,
): EventOf<'RequestFailed'> => ({
  type: 'RequestFailed',
  ...common(sent, next),
  reason: failure.reason,
  code: clip(failure.code, 100),
  remote: failure.remote,
  timing: failure.timing,
})

/** Closes a request whose process is gone: unknown whether it was sent, so it counts as sent. */
export const requestAbandoned = (
  sent: Pick<Sent, 'position' | 'event'>,
  sentIn: string,
  next: NextAllowed,
): ClosingEvent => ({ type: 'RequestAbandoned', ...common(sent, next), sentIn })
