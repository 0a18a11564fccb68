import { exactly, integer, listOf, nullable, type t, text } from '../../../kernel/codec.ts'
import { HttpUrl } from '../../../kernel/url.ts'
import { Person } from '../../act.ts'
import { defineEvent } from '../../define.ts'

export const WITNESSES_MAX = 16

export const WitnessesNamed = defineEvent({
  type: 'WitnessesNamed',
  v: 1,
  summary:
    'Who is asked to cosign heads from here on, each by key and address, and how many of them make a quorum (null: more than half). It replaces what was named before.',
  fields: {
    witnesses: listOf(exactly({ url: HttpUrl, vkey: text(500) }), WITNESSES_MAX),
    quorum: nullable(integer(1, WITNESSES_MAX)),
    by: nullable(Person),
    note: nullable(text(1_000)),
  },
})
export type WitnessesNamed = t.TypeOf<typeof WitnessesNamed.codec>
