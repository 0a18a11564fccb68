import { oneOf, t, text } from '../../kernel/codec.ts'
import { defineEvent } from '../define.ts'

export const LogOpened = defineEvent({
  type: 'LogOpened',
  v: 1,
  summary:
    'The first entry of a ledger: its name, and whether its clock is real. A simulated ledger says so here and in its origin for ever.',
  fields: {
    origin: text(200),
    clock: oneOf('system', 'simulated'),
    software: text(100),
  },
})
export type LogOpened = t.TypeOf<typeof LogOpened.codec>
