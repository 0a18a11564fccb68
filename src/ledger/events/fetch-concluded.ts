import { integer, listOf, nullable, oneOf, t, text } from '../../kernel/codec.ts'
import { Digest } from '../../kernel/digest.ts'
import { Position } from '../../kernel/position.ts'
import { Site } from '../../kernel/site.ts'
import { HttpUrl } from '../../kernel/url.ts'
import { Header, Night, ProgrammeName, Purpose } from '../../kernel/words.ts'
import { defineEvent } from '../define.ts'

export const FetchOutcome = oneOf(
  'answered',
  'failed',
  'redirect-refused',
  'withheld',
  'interrupted',
)
export type FetchOutcome = t.TypeOf<typeof FetchOutcome>

export const FetchConcluded = defineEvent({
  type: 'FetchConcluded',
  v: 1,
  summary:
    'What asking a site for one file came to, after all redirects, wherever they led. `request` is the exchange that answered (or failed) last; `reused`: another site’s redirect had already fetched that address this night, and it was not asked again. `because` is a tag: a failure, redirect or withholding reason, or empty.',
  fields: {
    programme: ProgrammeName,
    subject: Site,
    purpose: Purpose,
    target: HttpUrl,
    night: Night,
    outcome: FetchOutcome,
    because: text(100),
    url: HttpUrl,
    hops: integer(0, 20),
    redirects: listOf(integer(300, 399), 20),
    request: nullable(Position),
    reused: t.boolean,
    status: nullable(integer(100, 999)),
    /** Content-Type and Content-Encoding only: what a reader needs. */
    headers: listOf(Header, 8),
    commit: nullable(Digest),
    truncated: t.boolean,
  },
})
export type FetchConcluded = t.TypeOf<typeof FetchConcluded.codec>
