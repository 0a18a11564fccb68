/**
 * Retry-After (RFC 9110 §10.2.3): delay-seconds or an HTTP-date, read by grammar. `Date.parse` takes
 * "120" for the year 120 and "-5" for a day in 2001, so it is never asked.
 */
import type { Instant } from '../kernel/instant.ts'

/** The longest wait that still names a moment: the range of JavaScript's dates. */
const LONGEST_MS = 8.64e15

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const LONG_DAY = '(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)'
const MONTH = `(?<month>${MONTHS.join('|')})`
const TIME = '(?<hour>[01]\\d|2[0-3]):(?<minute>[0-5]\\d):(?<second>[0-5]\\d|60)'

/** RFC 9110 §5.6.7: the one form to write and the two old ones that must be understood. */
const HTTP_DATES: readonly RegExp[] = [
  new RegExp(`^${DAY}, (?<day>\\d{2}) ${MONTH} (?<year>\\d{4}) ${TIME} GMT$`),
  new RegExp(`^${LONG_DAY}, (?<day>\\d{2})-${MONTH}-(?<year>\\d{2}) ${TIME} GMT$`),
  new RegExp(`^${DAY} ${MONTH} (?<day>\\d{2}| \\d) ${TIME} (?<year>\\d{4})$`),
]

/** §5.6.7: two digits that seem more than 50 years ahead mean the most recent such year past. */
const fullYear = (digits: string, now: Instant): number => {
  if (digits.length === 4) return Number(digits)
  const thisYear = new Date(now).getUTCFullYear()
  const year = thisYear - (thisYear % 100) + Number(digits)
  return year > thisYear + 50 ? year - 100 : year
}

/** The moment an HTTP-date names, in milliseconds; undefined if it is not one or no such day exists. */
const parseHttpDate = (text: string, now: Instant): number | undefined => {
  const parts = HTTP_DATES.map((form) => form.exec(text)?.groups).find((g) => g !== undefined)
  if (parts === undefined) return undefined
  const month = MONTHS.indexOf(parts['month'] ?? '')
  const day = Number(parts['day'])
  const date = new Date(0)
  // Not Date.UTC: it reads the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(fullYear(parts['year'] ?? '', now), month, day)
  if (date.getUTCDate() !== day) return undefined
  // A leap second (:60) is the next minute's first.
  return date.setUTCHours(Number(parts['hour']), Number(parts['minute']), Number(parts['second']))
}

const parseOne = (text: string, now: Instant): number | undefined => {
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, LONGEST_MS)
  const moment = parseHttpDate(text, now)
  return moment === undefined ? undefined : Math.max(0, moment - now)
}

/** Header values joined by a comma stay apart; the comma after a day's name is part of the date. */
const BETWEEN_VALUES = /(?<!Mon|Tue|Wed|Thu|Fri|Sat|Sun|day),/

/**
 * The wait a response asks for, in milliseconds from `now`; null if nothing valid asks for one.
 * Of several values the longest counts. A moment that has passed is 0. Never shortened: what would
 * overflow becomes the longest wait there is.
 */
export const retryAfterMs = (values: readonly string[], now: Instant): number | null => {
  const waits = values
    .flatMap((value) => value.split(BETWEEN_VALUES))
    .map((value) => parseOne(value.trim(), now))
    .filter((wait) => wait !== undefined)
  return waits.length === 0 ? null : Math.max(...waits)
}
