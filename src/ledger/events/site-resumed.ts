import type { t } from '../../kernel/codec.ts'
import { actFields } from '../act.ts'
import { defineEvent } from '../define.ts'

export const SiteResumed = defineEvent({
  type: 'SiteResumed',
  v: 1,
  summary: 'A person let the programmes ask a site again that had been stopped after failures.',
  fields: actFields,
})
export type SiteResumed = t.TypeOf<typeof SiteResumed.codec>
