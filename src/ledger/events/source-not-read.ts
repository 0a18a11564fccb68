import { text, type t } from '../../kernel/codec.ts'
import { sourceActFields } from '../act.ts'
import { defineEvent } from '../define.ts'

export const SourceNotRead = defineEvent({
  type: 'SourceNotRead',
  v: 1,
  summary:
    'A person marked a source as not read, and why. From now on it is only looked at, as the policy allows, to see whether its no still stands; no record is taken from it (RC23).',
  fields: { ...sourceActFields, reason: text(1_000) },
})
export type SourceNotRead = t.TypeOf<typeof SourceNotRead.codec>
