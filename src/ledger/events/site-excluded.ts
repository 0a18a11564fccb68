import type { t } from '../../kernel/codec.ts'
import { actFields } from '../act.ts'
import { defineEvent } from '../define.ts'

export const SiteExcluded = defineEvent({
  type: 'SiteExcluded',
  v: 1,
  summary:
    'A person removed the site: no programme asks it anything any more. Only a person’s SiteReadmitted ends this (PR15).',
  fields: actFields,
})
export type SiteExcluded = t.TypeOf<typeof SiteExcluded.codec>
