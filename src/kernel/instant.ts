import { parse, type ParseFailure, parseFailure, t } from './codec.ts'
import { assert } from './assert.ts'
import { E, type Either } from './fp.ts'

interface InstantBrand {
  readonly Instant: unique symbol
}
/**
 * A moment: whole milliseconds since 1970-01-01T00:00:00.000Z, UTC, in the years 0000 to 9999 that
 * RFC 3339 can write.
 */
export type Instant = number & t.Branded<number, InstantBrand>

const FIRST = Date.parse('0000-01-01T00:00:00.000Z')
const LAST = Date.parse('9999-12-31T23:59:59.999Z')

const isInstant = (value: unknown): value is Instant =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= FIRST && value <= LAST

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
    if (!isInstant(milliseconds)) return t.failure(input, context)
    // Date.parse rolls 30 February and 24:00 over: only a text that prints back as itself is a real
    // time. Every month has 28 days, and printing costs more than all the rest.
    const canRoll = input[8] === '3' || input.startsWith('29', 8) || input.startsWith('24', 11)
    return !canRoll || formatInstant(milliseconds) === input
      ? t.success(milliseconds)
      : t.failure(input, context)
  },
  formatInstant,
)

const TYPED =
  /^(?<date>\d{4}-\d{2}-\d{2})(?:T(?<minute>\d{2}:\d{2})(?::(?<second>\d{2})(?:\.(?<fraction>\d{1,3}))?)?(?<zone>Z|[+-]\d{2}:\d{2}))?$/

/** Reads what people type: RFC 3339 with any zone, seconds optional, or a bare date (midnight UTC). */
export const parseInstant = (what: string, input: string): Either<ParseFailure, Instant> => {
  const typed = TYPED.exec(input)?.groups ?? {}
  const { date = '', minute = '00:00', second = '00', fraction = '', zone = 'Z' } = typed
  const civil = parse(what, InstantText, `${date}T${minute}:${second}.${fraction.padEnd(3, '0')}Z`)
  // The civil time is checked by itself: Date.parse would roll 30 February and 24:00 over.
  if (E.isLeft(civil)) return civil
  const moment = Date.parse(`${formatInstant(civil.right).slice(0, -1)}${zone}`)
  return isInstant(moment) ? E.right(moment) : E.left(parseFailure(what, InstantText.name))
}

/** `moment` plus so many milliseconds, rounded up; at most the last moment there is. */
export const later = (moment: Instant, milliseconds: number): Instant =>
  instant(Math.min(moment + Math.max(0, Math.ceil(milliseconds)), LAST))

export const latest = (...moments: readonly Instant[]): Instant => instant(Math.max(...moments))

export const earliest = (...moments: readonly Instant[]): Instant => instant(Math.min(...moments))
