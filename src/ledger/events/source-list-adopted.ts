import { exactly, integer, listOf, t, text } from '../../kernel/codec.ts'
import { Digest } from '../../kernel/digest.ts'
import { HttpUrl } from '../../kernel/url.ts'
import { ProgrammeName } from '../../kernel/words.ts'
import { defineEvent } from '../define.ts'

export const SourceListAdopted = defineEvent({
  type: 'SourceListAdopted',
  v: 1,
  summary:
    'The list of sources a programme starts from, as a person gave it. A long list comes in several parts with one digest.',
  fields: {
    programme: ProgrammeName,
    digest: Digest,
    part: integer(1),
    parts: integer(1),
    sources: listOf(exactly({ id: text(100), url: HttpUrl }), 200),
  },
})
export type SourceListAdopted = t.TypeOf<typeof SourceListAdopted.codec>
