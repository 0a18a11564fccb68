import { integer, nullable, t, text } from '../../kernel/codec.ts'
import { Person } from '../act.ts'
import { defineEvent } from '../define.ts'

export const ReaderAdopted = defineEvent({
  type: 'ReaderAdopted',
  v: 1,
  summary:
    'From here on a projection, and what is claimed from it, is made with another reader or another version of one. `before` is what its live table was made with; null if there was none. `by` and `reason` are null if the rebuild that did it was not told.',
  fields: {
    projection: text(40),
    /** Rows come from both, projection and reader. */
    projectionVersion: integer(1),
    reader: text(50),
    before: nullable(text(50)),
    by: nullable(Person),
    reason: nullable(text(1_000)),
  },
})
export type ReaderAdopted = t.TypeOf<typeof ReaderAdopted.codec>
