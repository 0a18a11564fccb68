import { integer, listOf, nullable, oneOf, t, text } from '../../kernel/codec.ts'
import { Position } from '../../kernel/position.ts'
import { Site } from '../../kernel/site.ts'
import { Night, ProgrammeName } from '../../kernel/words.ts'
import { defineEvent } from '../define.ts'

export const NetworkObserved = defineEvent({
  type: 'NetworkObserved',
  v: 1,
  summary:
    'All that remains of a homepage (PR12): which ad network runs there and the few host names that gave the answer. `read`: whether the page was one that can answer.',
  fields: {
    programme: ProgrammeName,
    subject: Site,
    request: Position,
    night: Night,
    reader: text(50),
    read: oneOf('read', 'not-html', 'not-success', 'refused', 'truncated'),
    manager: nullable(text(60)),
    exchange: listOf(text(60), 12),
    hosts: listOf(text(253), 12),
    hostsOmitted: integer(0),
  },
})
export type NetworkObserved = t.TypeOf<typeof NetworkObserved.codec>
