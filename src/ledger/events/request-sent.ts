import { integer, listOf, nullable, type t } from '../../kernel/codec.ts'
import { Position } from '../../kernel/position.ts'
import { Site } from '../../kernel/site.ts'
import { HttpUrl } from '../../kernel/url.ts'
import { Header, Night, ProgrammeName, Purpose, SourceId } from '../../kernel/words.ts'
import { defineEvent } from '../define.ts'

const fieldsV1 = {
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
}

export const RequestSent = defineEvent({
  type: 'RequestSent',
  v: 2,
  summary:
    'Durable before the first byte leaves. `n` numbers the run’s requests without a gap; `source` is the source it was made for (null: a site that a source names), `target` the address the fetch began with (hop 0), `attempt` 1 or a retry’s number, `via` the request whose redirect led here, `fence` the claim on the site, `subject` the site the request is for.',
  fields: { ...fieldsV1, source: nullable(SourceId) },
})
export type RequestSent = t.TypeOf<typeof RequestSent.codec>

/** Version 1 did not say for which source. */
export const RequestSentV1 = defineEvent({
  type: 'RequestSent',
  v: 1,
  summary: '',
  fields: fieldsV1,
})
export const requestSentFromV1 = (old: t.TypeOf<typeof RequestSentV1.codec>): RequestSent => ({
  ...old,
  v: 2,
  source: null,
})
