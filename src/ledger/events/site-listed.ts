import { exactly, integer, listOf, t, text } from '../../kernel/codec.ts'
import { Position } from '../../kernel/position.ts'
import { Site } from '../../kernel/site.ts'
import { ProgrammeName } from '../../kernel/words.ts'
import { defineEvent } from '../define.ts'

/** One seller entry that names the site: which network file (by its request), which entry of it. */
export const Naming = exactly({
  source: text(100),
  request: Position,
  index: integer(0),
  sellerId: text(256),
  domain: text(256),
})
export type Naming = t.TypeOf<typeof Naming>

/** Further namings of one site are counted in `namings` and can be derived from the captures. */
export const NAMINGS_MAX = 20

export const SiteListed = defineEvent({
  type: 'SiteListed',
  v: 1,
  summary:
    'A site is on the programme’s list, and why: the seller entries that named it, each in the capture of a network’s sellers.json (PR16). Recorded when the site is new or its namings changed.',
  fields: {
    programme: ProgrammeName,
    site: Site,
    reader: text(50),
    namings: integer(1),
    namedBy: listOf(Naming, NAMINGS_MAX),
  },
})
export type SiteListed = t.TypeOf<typeof SiteListed.codec>
