import { integer, listOf, nullable, oneOf, t, text } from '../../kernel/codec.ts'
import { Digest } from '../../kernel/digest.ts'
import { Position } from '../../kernel/position.ts'
import { Site } from '../../kernel/site.ts'
import { Origin } from '../../kernel/url.ts'
import { Header, Milliseconds, Night, ProgrammeName } from '../../kernel/words.ts'
import { defineEvent } from '../define.ts'

/** RFC 9309 §2.3.1: rules (2xx), unavailable (4xx, allow), unreachable (5xx, network: disallow). */
export const RobotsAccess = oneOf('rules', 'unavailable', 'unreachable')
export type RobotsAccess = t.TypeOf<typeof RobotsAccess>

export const RobotsRead = defineEvent({
  type: 'RobotsRead',
  v: 1,
  summary:
    'What asking an origin for its robots.txt came to (RFC 9309 §2.3.1). `request` is the last exchange of the fetch, `commit` the kept body the rules are read from, `because` why access is as it is.',
  fields: {
    programme: ProgrammeName,
    subject: Site,
    origin: Origin,
    night: Night,
    access: RobotsAccess,
    because: text(200),
    request: nullable(Position),
    commit: nullable(Digest),
    /** Content-Type and Content-Encoding only: how the kept body is coded. */
    headers: listOf(Header, 8),
    truncated: t.boolean,
    crawlDelayMs: nullable(Milliseconds),
    issues: integer(0),
    reader: text(50),
  },
})
export type RobotsRead = t.TypeOf<typeof RobotsRead.codec>
