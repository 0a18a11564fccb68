/** Which night a moment belongs to: the programme's schedule day, in the programme's own zone. */
import { assert } from '../kernel/assert.ts'
import { instant, type Instant } from '../kernel/instant.ts'
import type { Policy } from '../programmes/policy.ts'

export type NightSpan = {
  /** The local date on which the night starts: its name in events. */
  readonly name: string
  readonly startsAt: Instant
  /** The start of the next night. */
  readonly endsAt: Instant
}

type Schedule = Pick<Policy['night'], 'timezone' | 'start'>

const DAY_MS = 86_400_000

/** The night that `now` falls into. A zone's clock change makes that night 23 or 25 hours long. */
export const nightAt = (schedule: Schedule, now: Instant): NightSpan => {
  const today = localDate(schedule.timezone, now)
  const startToday = startOfNight(schedule, today)
  const name = now >= startToday ? today : addDays(today, -1)
  return {
    name,
    startsAt: startOfNight(schedule, name),
    endsAt: startOfNight(schedule, addDays(name, 1)),
  }
}

const addDays = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)

const startOfNight = (schedule: Schedule, date: string): Instant => {
  const wall = Date.parse(`${date}T${schedule.start}:00Z`)
  assert(Number.isFinite(wall), `not a date: ${date}`)
  // The offset at the start is found by asking twice: once near it, once at it.
  const near = wall - offsetMs(schedule.timezone, wall)
  return instant(wall - offsetMs(schedule.timezone, near))
}

const formats = new Map<string, Intl.DateTimeFormat>()

const formatOf = (timezone: string): Intl.DateTimeFormat => {
  const known = formats.get(timezone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-CA', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  formats.set(timezone, made)
  return made
}

const wallParts = (timezone: string, at: number): Map<string, string> =>
  new Map(
    formatOf(timezone)
      .formatToParts(at)
      .map((part) => [part.type, part.value]),
  )

const localDate = (timezone: string, at: number): string => {
  const parts = wallParts(timezone, at)
  return `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`
}

const offsetMs = (timezone: string, at: number): number => {
  const parts = wallParts(timezone, at)
  const wall = `${localDate(timezone, at)}T${parts.get('hour')}:${parts.get('minute')}:${parts.get('second')}Z`
  return Date.parse(wall) - Math.floor(at / 1000) * 1000
}
