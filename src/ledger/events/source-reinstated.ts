import { nullable, text, type t } from '../../kernel/codec.ts'
import { sourceActFields } from '../act.ts'
import { defineEvent } from '../define.ts'

export const SourceReinstated = defineEvent({
  type: 'SourceReinstated',
  v: 1,
  summary: 'A person decided that a source marked as not read is read again (RC23).',
  fields: { ...sourceActFields, note: nullable(text(1_000)) },
})
export type SourceReinstated = t.TypeOf<typeof SourceReinstated.codec>
