import { text, type t } from '../../kernel/codec.ts'
import { actFields } from '../act.ts'
import { defineEvent } from '../define.ts'

export const PathExcluded = defineEvent({
  type: 'PathExcluded',
  v: 1,
  summary:
    'A person left a part of the site alone: `path` is matched as a Disallow rule’s value is (RFC 9309 §2.2.3), on every host of the site and for every purpose (RC25).',
  fields: { ...actFields, path: text(2_048) },
})
export type PathExcluded = t.TypeOf<typeof PathExcluded.codec>
