import { nullable, type t, text } from '../../../kernel/codec.ts'
import { Person } from '../../act.ts'
import { defineEvent } from '../../define.ts'

export const KeyRotated = defineEvent({
  type: 'KeyRotated',
  v: 1,
  summary:
    'The log signs with a new key from here on. The first head that covers this event carries signatures of both keys; then the old private key is destroyed.',
  fields: { oldKey: text(500), newKey: text(500), by: Person, note: nullable(text(1_000)) },
})
export type KeyRotated = t.TypeOf<typeof KeyRotated.codec>
