import type { t } from '../../kernel/codec.ts'
import { text } from '../../kernel/codec.ts'
import { defineEvent } from '../define.ts'
import { closingFields } from '../exchange.ts'

export const RequestAbandoned = defineEvent({
  type: 'RequestAbandoned',
  v: 1,
  summary:
    'The one closing event of a request whose process died: unknown whether it was sent, so it counts as sent. Written by whoever claims the site next; `sentIn` is the run of the request.',
  fields: { ...closingFields, sentIn: text(64) },
})
export type RequestAbandoned = t.TypeOf<typeof RequestAbandoned.codec>
