import { nullable, text, type t } from '../../kernel/codec.ts'
import { defineEvent } from '../define.ts'
import { closingFields, FailureReason, Remote, Timing } from '../exchange.ts'

export const RequestFailed = defineEvent({
  type: 'RequestFailed',
  v: 1,
  summary:
    'The one closing event of a request that got no complete answer. A failure is a fact about the network, not an error of ours.',
  fields: {
    ...closingFields,
    reason: FailureReason,
    code: text(100),
    remote: nullable(Remote),
    timing: Timing,
  },
})
export type RequestFailed = t.TypeOf<typeof RequestFailed.codec>
