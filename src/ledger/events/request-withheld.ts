import { nullable, oneOf, text, type t } from '../../kernel/codec.ts'
import { InstantText } from '../../kernel/instant.ts'
import { Position } from '../../kernel/position.ts'
import { Site } from '../../kernel/site.ts'
import { HttpUrl } from '../../kernel/url.ts'
import { Night, ProgrammeName, Purpose } from '../../kernel/words.ts'
import { defineEvent } from '../define.ts'

export const WithheldReason = oneOf(
  'excluded',
  'stopped-after-failures',
  'robots-disallow',
  'robots-unreachable',
  'crawl-delay-too-long',
  'cooldown',
  'out-of-scope',
  'address-refused',
  'left-alone',
  'not-read',
  'night-limit',
  'budget',
)
export type WithheldReason = t.TypeOf<typeof WithheldReason>

export const RequestWithheld = defineEvent({
  type: 'RequestWithheld',
  v: 1,
  summary:
    'A request that was due was not made, and why. `until` is the first moment at which the reason may be gone (null: only a person’s act or the site’s can end it).',
  fields: {
    programme: ProgrammeName,
    subject: Site,
    url: HttpUrl,
    purpose: Purpose,
    night: Night,
    reason: WithheldReason,
    detail: text(300),
    until: nullable(InstantText),
    decision: nullable(Position),
  },
})
export type RequestWithheld = t.TypeOf<typeof RequestWithheld.codec>
