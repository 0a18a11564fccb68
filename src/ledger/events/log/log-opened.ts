import { nullable, oneOf, t, text } from '../../../kernel/codec.ts'
import { defineEvent } from '../../define.ts'

const fieldsV1 = {
  origin: text(200),
  clock: oneOf('system', 'simulated'),
  software: text(100),
}

/** Of a quoted head; as many witnesses as a policy is likely to have find room in it. */
export const PREDECESSOR_MAX = 20_000

export const LogOpened = defineEvent({
  type: 'LogOpened',
  v: 2,
  summary:
    'The first entry of a ledger: its name, and whether its clock is real. A simulated ledger says so here and in its origin for ever. `predecessor`: the last signed head of the log that this one follows, the whole note as it stood.',
  fields: { ...fieldsV1, predecessor: nullable(text(PREDECESSOR_MAX)) },
})
export type LogOpened = t.TypeOf<typeof LogOpened.codec>

/** Version 1 knew no log before it. */
export const LogOpenedV1 = defineEvent({ type: 'LogOpened', v: 1, summary: '', fields: fieldsV1 })
export const logOpenedFromV1 = (old: t.TypeOf<typeof LogOpenedV1.codec>): LogOpened => ({
  ...old,
  v: 2,
  predecessor: null,
})
