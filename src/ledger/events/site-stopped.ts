import { integer, listOf, type t } from '../../kernel/codec.ts'
import { Position } from '../../kernel/position.ts'
import { Site } from '../../kernel/site.ts'
import { ProgrammeName } from '../../kernel/words.ts'
import { defineEvent } from '../define.ts'

export const SiteStopped = defineEvent({
  type: 'SiteStopped',
  v: 1,
  summary:
    'The site could not be reached too many times in a row: the programme stops asking it, for good, until a person resumes it (PR7). `requests` are the failures that did it.',
  fields: {
    programme: ProgrammeName,
    site: Site,
    strikes: integer(1),
    requests: listOf(Position, 20),
  },
})
export type SiteStopped = t.TypeOf<typeof SiteStopped.codec>
