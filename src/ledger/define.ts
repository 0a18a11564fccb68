import { assert } from '../kernel/assert.ts'
import { exactly, integer, t } from '../kernel/codec.ts'

/** The fields every entry carries beside its own. An event may not use these names. */
export const ENVELOPE_FIELDS = ['run', 'stream', 'ts', 'type', 'v', 'version'] as const

/**
 * Declares one event type at one version: its codec (unknown keys are stripped, so a field an
 * author forgot to declare cannot slip into the ledger), and the sentence `docs/events.md` prints.
 *
 * A released version is for ever: a changed shape is a new version with an upcast in `event.ts`.
 */
export const defineEvent = <T extends string, V extends number, P extends t.Props>(definition: {
  readonly type: T
  readonly v: V
  readonly summary: string
  readonly fields: P
}) => {
  const { type, v, fields, summary } = definition
  const taken = ENVELOPE_FIELDS.filter((name) => Object.hasOwn(fields, name))
  assert(taken.length === 0, `${type}: the envelope already has ${taken.join(', ')}`)
  const codec = exactly({ type: t.literal(type), v: t.literal(v), ...fields }, type)
  return { type, v, summary, fields, codec }
}

export const EventVersion = integer(1, 999)
