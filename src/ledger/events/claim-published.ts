import { exactly, integer, listOf, nullable, t, text } from '../../kernel/codec.ts'
import { Position } from '../../kernel/position.ts'
import { Site } from '../../kernel/site.ts'
import { Person } from '../act.ts'
import { defineEvent } from '../define.ts'

/** Twelve hexadecimal digits, drawn when the claim is published. */
export const ClaimId: t.Type<string> = t.refinement(
  text(12),
  (s) => /^[0-9a-f]{12}$/.test(s),
  'claim id (12 hexadecimal digits)',
)

/** The type is repeated, so that an audit can tell another event in that place. */
export const Cited = exactly({ position: Position, type: text(60) })
export type Cited = t.TypeOf<typeof Cited>

/** Values are canonical JSON. Two long texts and all else must fit into one entry. */
export const CLAIM_VALUE_MAX = 3_000
const Value = text(CLAIM_VALUE_MAX)

/** Nothing was derived: that these events stand, and the bodies they commit to. */
const OnEvents = exactly({ kind: t.literal('events') })
/** One cell of a projection as it stood at a position; `where` tells one row of the site from others. */
const OnState = exactly({
  kind: t.literal('state'),
  projection: text(60),
  version: integer(1),
  reader: nullable(text(50)),
  site: Site,
  where: listOf(exactly({ column: text(60), value: text(500) }), 4),
  column: text(60),
  value: Value,
  at: Position,
})
/** What a reader takes from the kept body of one cited fetch; `path`: the field, from the outside in. */
const OnReading = exactly({
  kind: t.literal('reading'),
  position: Position,
  reader: text(50),
  path: listOf(text(100), 12),
  value: Value,
})

export const Basis = t.union([OnEvents, OnState, OnReading])
export type Basis = t.TypeOf<typeof Basis>
export type StateBasis = t.TypeOf<typeof OnState>
export type ReadingBasis = t.TypeOf<typeof OnReading>

export const CLAIM_STATEMENT_MAX = 2_000
export const CLAIM_CITES_MAX = 50

export const ClaimPublished = defineEvent({
  type: 'ClaimPublished',
  v: 1,
  summary:
    'A person published a statement that rests on events. `cites` are the events, `basis` what was derived from them and how: nothing but the events, a cell of a projection at a position, or a field of a reading. The versions of projection and reader are those of that moment, the value is canonical JSON.',
  fields: {
    id: ClaimId,
    statement: text(CLAIM_STATEMENT_MAX),
    by: Person,
    cites: listOf(Cited, CLAIM_CITES_MAX),
    basis: Basis,
  },
})
export type ClaimPublished = t.TypeOf<typeof ClaimPublished.codec>
