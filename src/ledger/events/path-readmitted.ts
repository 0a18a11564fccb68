import { text, type t } from '../../kernel/codec.ts'
import { actFields } from '../act.ts'
import { defineEvent } from '../define.ts'

export const PathReadmitted = defineEvent({
  type: 'PathReadmitted',
  v: 1,
  summary: 'A person let the programmes ask a part of the site again that had been left alone.',
  fields: { ...actFields, path: text(2_048) },
})
export type PathReadmitted = t.TypeOf<typeof PathReadmitted.codec>
