import { oneOf, t, text } from '../../kernel/codec.ts'
import { Digest } from '../../kernel/digest.ts'
import { Position } from '../../kernel/position.ts'
import { Night, ProgrammeName } from '../../kernel/words.ts'
import { defineEvent } from '../define.ts'

export const RunStarted = defineEvent({
  type: 'RunStarted',
  v: 1,
  summary:
    'A run began: under which policy and source list, for which night, with which program and reader versions, in which process.',
  fields: {
    programme: ProgrammeName,
    adopted: Position,
    night: Night,
    kind: oneOf('night', 'hand'),
    sources: Digest,
    software: text(100),
    node: text(50),
    readers: t.record(text(50), text(50)),
    process: text(200),
  },
})
export type RunStarted = t.TypeOf<typeof RunStarted.codec>
