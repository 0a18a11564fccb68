import { integer, nullable, oneOf, text, type t } from '../../kernel/codec.ts'
import { Position } from '../../kernel/position.ts'
import { Site } from '../../kernel/site.ts'
import { HttpUrl } from '../../kernel/url.ts'
import { ProgrammeName, Purpose } from '../../kernel/words.ts'
import { defineEvent } from '../define.ts'

/** `followed` says it was allowed; the rest name the rule that refused it. */
export const RedirectReason = oneOf(
  'followed',
  'no-location',
  'ambiguous-location',
  'bad-location',
  'https-to-http',
  'too-many-redirects',
  'loop',
  'second-hop-outside',
  'other-site',
  'below-root',
  'discarded-page',
)
export type RedirectReason = t.TypeOf<typeof RedirectReason>

export const RedirectDecided = defineEvent({
  type: 'RedirectDecided',
  v: 1,
  summary:
    'A redirect was answered and decided by itself: followed as the next hop, or refused and by which rule. `location` is the header as sent, `to` the address it means.',
  fields: {
    programme: ProgrammeName,
    subject: Site,
    request: Position,
    purpose: Purpose,
    target: HttpUrl,
    from: HttpUrl,
    status: integer(300, 399),
    location: nullable(text(8_192)),
    to: nullable(HttpUrl),
    hop: integer(1, 20),
    verdict: oneOf('follow', 'refuse'),
    reason: RedirectReason,
  },
})
export type RedirectDecided = t.TypeOf<typeof RedirectDecided.codec>
