import { integer, oneOf, type t } from '../../kernel/codec.ts'
import { Digest } from '../../kernel/digest.ts'
import { Position } from '../../kernel/position.ts'
import { actFields } from '../act.ts'
import { defineEvent } from '../define.ts'

/** On what ground a body was erased. One closed list, so that a page can count them. */
export const ErasureBasis = oneOf(
  'site-request',
  'personal-data',
  'legal-order',
  'kept-by-mistake',
  'retention',
)
export type ErasureBasis = t.TypeOf<typeof ErasureBasis>

export const BodyErased = defineEvent({
  type: 'BodyErased',
  v: 1,
  summary:
    'A person had the kept body of one response erased: bytes and salt are deleted right after this event, never before it. `response` is the ResponseReceived that committed to it. What stays is the commitment, which tells nothing without the salt.',
  fields: {
    ...actFields,
    basis: ErasureBasis,
    response: Position,
    request: Position,
    commit: Digest,
    bytes: integer(0),
  },
})
export type BodyErased = t.TypeOf<typeof BodyErased.codec>
