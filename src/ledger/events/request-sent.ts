import { integer, listOf, nullable, type t } from '../../kernel/codec.ts'
import { Position } from '../../kernel/position.ts'
import { Site } from '../../kernel/site.ts'
import { HttpUrl } from '../../kernel/url.ts'
import { Header, Night, ProgrammeName, Purpose } from '../../kernel/words.ts'
import { defineEvent } from '../define.ts'

export const RequestSent = defineEvent({
  type: 'RequestSent',
  v: 1,
  summary:
    'Durable before the first byte leaves. `n` numbers the run’s requests without a gap; `target` is the address the fetch began with (hop 0), `via` the request whose redirect led here, `fence` the claim on the site, `subject` the site the request is for.',
  fields: {
    programme: ProgrammeName,
    subject: Site,
    n: integer(1),
    url: HttpUrl,
    target: HttpUrl,
    purpose: Purpose,
    night: Night,
    attempt: integer(1, 20),
    hop: integer(0, 20),
    via: nullable(Position),
    headers: listOf(Header, 20),
    fence: integer(1),
    decision: Position,
  },
})
export type RequestSent = t.TypeOf<typeof RequestSent.codec>
