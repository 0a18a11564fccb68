import { exactly, integer, listOf, nullable, oneOf, t, text } from '../../kernel/codec.ts'
import { Digest } from '../../kernel/digest.ts'
import { Header } from '../../kernel/words.ts'
import { defineEvent } from '../define.ts'
import { closingFields, Remote, Timing, Tls } from '../exchange.ts'

/**
 * The body as it came off the wire (content coding untouched): kept in the body store behind a
 * commitment SHA-256(salt32 ‖ bytes), or not kept, and then nothing derived from it stands here.
 */
export const BodyKept = exactly({
  kept: t.literal(true),
  alg: t.literal('sha256-salt32'),
  commit: Digest,
  bytes: integer(0),
  truncated: t.boolean,
})
export const BodyNotKept = exactly({
  kept: t.literal(false),
  reason: t.literal('discarded-by-policy'),
})
export const Body = t.union([BodyKept, BodyNotKept])
export type Body = t.TypeOf<typeof Body>

/** A recognised "no": which signature matched, at which version, and the evidence in a few words. */
export const Refusal = exactly({
  kind: oneOf('status', 'block-page', 'captcha', 'browser-test'),
  signature: text(60),
  evidence: text(200),
})
export type Refusal = t.TypeOf<typeof Refusal>

export const ResponseReceived = defineEvent({
  type: 'ResponseReceived',
  v: 1,
  summary:
    'The one closing event of a request that was answered: status, headers in order (cookie values never, and none derived from a body that is not kept), body commitment, peer, timing, and when the site may be asked next.',
  fields: {
    ...closingFields,
    status: integer(100, 999),
    headers: listOf(Header, 100),
    headersOmitted: integer(0),
    body: Body,
    refusal: nullable(Refusal),
    remote: nullable(Remote),
    tls: nullable(Tls),
    timing: Timing,
  },
})
export type ResponseReceived = t.TypeOf<typeof ResponseReceived.codec>
