import type { t } from '../../kernel/codec.ts'
import { actFields } from '../act.ts'
import { defineEvent } from '../define.ts'

export const SiteReadmitted = defineEvent({
  type: 'SiteReadmitted',
  v: 1,
  summary: 'A person lifted an exclusion.',
  fields: actFields,
})
export type SiteReadmitted = t.TypeOf<typeof SiteReadmitted.codec>
