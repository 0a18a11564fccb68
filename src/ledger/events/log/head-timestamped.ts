import { integer, type t, text } from '../../../kernel/codec.ts'
import { Digest } from '../../../kernel/digest.ts'
import { InstantText } from '../../../kernel/instant.ts'
import { HttpUrl } from '../../../kernel/url.ts'
import { defineEvent } from '../../define.ts'

/** Of a reply: with its certificates it has a few thousand bytes, and an entry at most 65,535. */
export const REPLY_BYTES_MAX = 30_000

export const HeadTimestamped = defineEvent({
  type: 'HeadTimestamped',
  v: 1,
  summary:
    'A time-stamping authority (RFC 3161) signed that the first three lines of the head of `size` entries existed at `time`, by its own clock. `digest` is their SHA-256, `reply` the authority’s TimeStampResp in base64, as it came.',
  fields: {
    size: integer(1),
    digest: Digest,
    authority: HttpUrl,
    time: InstantText,
    reply: text(4 * Math.ceil(REPLY_BYTES_MAX / 3)),
  },
})
export type HeadTimestamped = t.TypeOf<typeof HeadTimestamped.codec>
