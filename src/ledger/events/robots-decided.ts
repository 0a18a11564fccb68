import { exactly, integer, listOf, nullable, oneOf, t, text } from '../../kernel/codec.ts'
import { Position } from '../../kernel/position.ts'
import { Site } from '../../kernel/site.ts'
import { HttpUrl } from '../../kernel/url.ts'
import { Milliseconds, ProgrammeName, Purpose } from '../../kernel/words.ts'
import { defineEvent } from '../define.ts'
import { RobotsAccess } from './robots-read.ts'

/**
 * Why the verdict is as it is.
 * robots-file: `/robots.txt` itself is always allowed (RFC 9309 §2.2.2). exempt: the policy's exempt
 * purpose (PR4). rule, no-rule: the longest matching rule, or none matched. no-group: no group
 * applies. unavailable, unreachable: §2.3.1.3 and §2.3.1.4. unread: no reading of the file to rest on.
 */
export const RobotsBasis = oneOf(
  'robots-file',
  'exempt',
  'rule',
  'no-rule',
  'no-group',
  'unavailable',
  'unreachable',
  'unread',
)
export type RobotsBasis = t.TypeOf<typeof RobotsBasis>

export const RobotsDecided = defineEvent({
  type: 'RobotsDecided',
  v: 1,
  summary:
    'May this address be asked? The answer, and the group, rule, line and robots.txt capture (`robots`, the position of its request) it rests on.',
  fields: {
    programme: ProgrammeName,
    subject: Site,
    url: HttpUrl,
    purpose: Purpose,
    verdict: oneOf('allow', 'deny'),
    basis: RobotsBasis,
    access: nullable(RobotsAccess),
    robots: nullable(Position),
    token: text(100),
    group: listOf(text(200), 20),
    rule: nullable(
      exactly({ line: integer(1), text: text(2_048), verdict: oneOf('allow', 'disallow') }),
    ),
    crawlDelayMs: nullable(Milliseconds),
    reader: text(50),
  },
})
export type RobotsDecided = t.TypeOf<typeof RobotsDecided.codec>
