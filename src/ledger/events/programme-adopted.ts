import { text, type t } from '../../kernel/codec.ts'
import { Digest } from '../../kernel/digest.ts'
import { ProgrammeName } from '../../kernel/words.ts'
import { defineEvent } from '../define.ts'

/** In UTF-16 units. A policy is JSON text: at most two of three of its characters need escaping. */
export const POLICY_LENGTH_MAX = 20_000

export const ProgrammeAdopted = defineEvent({
  type: 'ProgrammeAdopted',
  v: 1,
  summary:
    'A policy came into force, byte for byte. Every later run of the programme names the position of the policy it ran under.',
  fields: {
    programme: ProgrammeName,
    policy: text(POLICY_LENGTH_MAX),
    policyDigest: Digest,
  },
})
export type ProgrammeAdopted = t.TypeOf<typeof ProgrammeAdopted.codec>
