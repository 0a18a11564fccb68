import { nullable, t, text } from '../kernel/codec.ts'
import { Site } from '../kernel/site.ts'
import { ProgrammeName, SourceId } from '../kernel/words.ts'

/** Who did it, in their own words why: only a person's act carries these fields. */
export const Person: t.Type<string> = t.refinement(
  text(200),
  (s) => s.trim() !== '',
  'the name of a person',
)
export const actFields = { site: Site, by: Person, note: nullable(text(1_000)) }

/** An act about one source of one programme, in the stream of the source’s site. */
export const sourceActFields = {
  programme: ProgrammeName,
  source: SourceId,
  site: Site,
  by: Person,
}
