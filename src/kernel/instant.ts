import { parse, type ParseFailure, t } from './codec.ts'
import { assert } from './assert.ts'
import type { Either } from './fp.ts'

interface InstantBrand {
  readonly Instant: unique symbol
}
/** A moment: whole milliseconds since 1970-01-01T00:00:00.000Z, UTC. */
export type Instant = number & t.Branded<number, InstantBrand>

const isInstant = (value: unknown): value is Instant =>
  typeof value === 'number' && Number.isSafeInteger(value) && Math.abs(value) <= 8.64e15

/** The last moment JavaScript can name; "never" in a schedule. */
export const instant = (milliseconds: number): Instant => {
  assert(isInstant(milliseconds), `not a moment in milliseconds: ${milliseconds}`)
  return milliseconds
}

const RFC3339_MILLISECONDS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** RFC 3339 in UTC with exactly three decimals: the only form in which a time enters the ledger. */
export const formatInstant = (moment: Instant): string => new Date(moment).toISOString()

/** Between RFC 3339 text (`2026-11-30T02:30:00.000Z`) and an `Instant`. */
export const InstantText: t.Type<Instant, string> = new t.Type(
  'RFC 3339 time in UTC with milliseconds',
  isInstant,
  (input, context) => {
    if (typeof input !== 'string' || !RFC3339_MILLISECONDS.test(input))
      return t.failure(input, context)
    const milliseconds = Date.parse(input)
    // Date.parse rolls 30 February over: only a text that prints back as itself is a real date.
    return isInstant(milliseconds) && formatInstant(milliseconds) === input
      ? t.success(milliseconds)
      : t.failure(input, context)
  },
  formatInstant,
)

/** Reads what people type: full RFC 3339 with any zone, or a bare date (midnight UTC). */
export const parseInstant = (what: string, input: string): Either<ParseFailure, Instant> => {
  const dated = /^\d{4}-\d{2}-\d{2}$/.test(input) ? `${input}T00:00:00Z` : input
  const zoned = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/
  const milliseconds = zoned.test(dated) ? Date.parse(dated) : Number.NaN
  return parse(
    what,
    InstantText,
    isInstant(milliseconds) ? formatInstant(milliseconds) : 'not a time',
  )
}

export const later = (moment: Instant, milliseconds: number): Instant =>
  instant(Math.min(moment + Math.max(0, Math.ceil(milliseconds)), 8.64e15))

export const latest = (...moments: readonly Instant[]): Instant => instant(Math.max(...moments))
