import { integer, type t } from '../../kernel/codec.ts'
import { actFields } from '../act.ts'
import { defineEvent } from '../define.ts'

export const SitePaced = defineEvent({
  type: 'SitePaced',
  v: 1,
  summary:
    'A person gave the site a slower pace of its own: seconds from the end of one request to the start of the next. It holds over all programmes beside each one’s own pause, never instead of it; 0 ends it (PK16, RC25).',
  fields: { ...actFields, seconds: integer(0, 31_536_000) },
})
export type SitePaced = t.TypeOf<typeof SitePaced.codec>
