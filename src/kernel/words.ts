/** Small closed vocabularies that events, policies and decisions share. */
import { integer, oneOf, t, text } from './codec.ts'

/**
 * What a request is for. Each purpose has its own reader, keeping rule and size limit. `probe`: whether
 * a source that a person marked as not read still says no (RC23).
 */
export const Purpose = oneOf('robots', 'sellers-json', 'ads-txt', 'homepage', 'page', 'probe')
export type Purpose = t.TypeOf<typeof Purpose>

/** What a person calls one source of a programme. */
export const SourceId: t.Type<string> = t.refinement(text(100), (s) => s !== '', 'a source id')

/** A programme's name: lower-case words joined by hyphens. */
export const ProgrammeName: t.Type<string> = t.refinement(
  text(64),
  (s) => /^[a-z][a-z0-9-]*$/.test(s),
  'programme name',
)

/** A schedule day, named by the local date on which the night starts. */
export const Night: t.Type<string> = t.refinement(
  text(10),
  (s) => /^\d{4}-\d{2}-\d{2}$/.test(s),
  'night (YYYY-MM-DD)',
)

/** Milliseconds as a whole number, zero or more. */
export const Milliseconds = integer(0)

/** One header as it stood on the wire: name as sent, value as latin-1 text. */
export const Header = t.tuple([text(256), text(8_192)])
export type Header = t.TypeOf<typeof Header>
