import { integer, oneOf, type t } from '../../kernel/codec.ts'
import { ProgrammeName } from '../../kernel/words.ts'
import { defineEvent } from '../define.ts'

export const RunEnded = defineEvent({
  type: 'RunEnded',
  v: 1,
  summary:
    'A run is over. `requests` is also its last request number: numbers are gapless from 1, and each has exactly one closing event. `abandoned` as status: the process died and a later one closed the run.',
  fields: {
    programme: ProgrammeName,
    status: oneOf('completed', 'interrupted', 'abandoned'),
    requests: integer(0),
    responses: integer(0),
    failures: integer(0),
    abandoned: integer(0),
    withheld: integer(0),
    sites: integer(0),
  },
})
export type RunEnded = t.TypeOf<typeof RunEnded.codec>
