import { listOf, nullable, oneOf, t, text } from '../../kernel/codec.ts'
import { Digest } from '../../kernel/digest.ts'
import { Position } from '../../kernel/position.ts'
import { Site } from '../../kernel/site.ts'
import { Night, ProgrammeName, SourceId } from '../../kernel/words.ts'
import { defineEvent } from '../define.ts'

const fieldsV1 = {
  programme: ProgrammeName,
  adopted: Position,
  night: Night,
  kind: oneOf('night', 'hand'),
  sources: Digest,
  software: text(100),
  node: text(50),
  readers: t.record(text(50), text(50)),
  process: text(200),
}

export const RunStarted = defineEvent({
  type: 'RunStarted',
  v: 2,
  summary:
    'A run began: under which policy and source list, for which night, with which program and reader versions, in which process. `job` is the one source the run is for, where the programme runs a job for each; `also` the websites allowed for this run alone (PK2). `hand`: one page that a person asked for.',
  fields: { ...fieldsV1, job: nullable(SourceId), also: listOf(Site, 100) },
})
export type RunStarted = t.TypeOf<typeof RunStarted.codec>

/** Version 1 knew no jobs and allowed no further website. */
export const RunStartedV1 = defineEvent({
  type: 'RunStarted',
  v: 1,
  summary: '',
  fields: fieldsV1,
})
export const runStartedFromV1 = (old: t.TypeOf<typeof RunStartedV1.codec>): RunStarted => ({
  ...old,
  v: 2,
  job: null,
  also: [],
})
