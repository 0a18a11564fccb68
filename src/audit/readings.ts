/** The robots.txt files as they were read, and which of them a request may rest on. */
import { originOf } from '../kernel/url.ts'
import type { Recorded } from '../ledger/entry.ts'
import type { EventOf } from '../ledger/event.ts'
import type { Policy } from '../programmes/policy.ts'

export type Reading = Recorded<'RobotsRead'>
/** What may rest on a reading: a request, or that it was not made. */
export type Step = Recorded<'RequestSent' | 'RequestWithheld'>

export type Readings = {
  readonly take: (reading: Reading) => void
  /** The newest reading that counts for the step under its policy. */
  readonly inForce: (step: Step, by: Occasion) => Reading | undefined
}

type Occasion = {
  readonly policy: Policy | undefined
  readonly kind: EventOf<'RunStarted'>['kind'] | undefined
}

const HOUR_MS = 3_600_000
/** A night may be 25 hours long, and a run of it may go on for a while. */
const REMEMBERED_MS = 50 * HOUR_MS
/** Jobs that go on at once each have a reading of their own; there are never more. */
const READINGS_MAX = 300

export const newReadings = (): Readings => {
  const byOrigin = new Map<string, readonly Reading[]>()
  return {
    take: (reading) => {
      const key = `${reading.event.programme} ${reading.event.origin}`
      const recent = (byOrigin.get(key) ?? []).filter(({ ts }) => ts > reading.ts - REMEMBERED_MS)
      byOrigin.set(key, [...recent, reading].slice(-READINGS_MAX))
    },
    inForce: (step, by) => {
      const { programme, url } = step.event
      const all = byOrigin.get(`${programme} ${originOf(url)}`)
      return all?.findLast((reading) => counts(reading, step, by))
    },
  }
}

/** PR2, PK6, PK7, RC14: for its night, for its run, or by hand for so many hours. */
const counts = ({ event, run, ts }: Reading, step: Step, { policy, kind }: Occasion): boolean => {
  if (policy === undefined) return event.night === step.event.night
  const { fresh, byHandHours } = policy.robots
  const isOwn = run === step.run
  if (kind === 'hand' && byHandHours !== null)
    return isOwn || (step.ts - ts <= byHandHours * HOUR_MS && event.access !== 'unreachable')
  return fresh === 'run' ? isOwn : event.night === step.event.night
}
