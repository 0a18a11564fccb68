import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../support/property.ts'
import { formatInstant, instant } from '../../../src/kernel/instant.ts'
import { nightAt } from '../../../src/plan/night.ts'
import { at } from '../../support/site.ts'

const utc = { timezone: 'UTC', start: '01:00' }
const karachi = { timezone: 'Asia/Karachi', start: '02:30' }
const newYork = { timezone: 'America/New_York', start: '02:30' }

const show = (schedule: typeof utc, iso: string): string => {
  const night = nightAt(schedule, at(iso))
  return `${night.name} ${formatInstant(night.startsAt)} ${formatInstant(night.endsAt)}`
}

describe('nightAt', () => {
  test('a night is named by the date it starts on, and lasts to the next start', () => {
    assert.equal(
      show(utc, '2026-11-30T00:59:59.999Z'),
      '2026-11-29 2026-11-29T01:00:00.000Z 2026-11-30T01:00:00.000Z',
    )
    assert.equal(
      show(utc, '2026-11-30T01:00:00Z'),
      '2026-11-30 2026-11-30T01:00:00.000Z 2026-12-01T01:00:00.000Z',
    )
  })
  test('PK10 the night of another zone starts at its own clock', () => {
    assert.equal(
      show(karachi, '2026-11-29T21:30:00Z'),
      '2026-11-30 2026-11-29T21:30:00.000Z 2026-11-30T21:30:00.000Z',
    )
  })
  test('the night before the clocks change is 23 hours long in spring and 25 in autumn', () => {
    assert.equal(
      show({ ...newYork, start: '01:30' }, '2026-03-08T07:00:00Z'),
      '2026-03-08 2026-03-08T06:30:00.000Z 2026-03-09T05:30:00.000Z',
    )
    assert.equal(
      show({ ...newYork, start: '03:30' }, '2026-11-01T06:00:00Z'),
      '2026-10-31 2026-10-31T07:30:00.000Z 2026-11-01T08:30:00.000Z',
    )
  })
  test('every moment lies in exactly one night, and the nights follow one another', () => {
    const schedule = fc.constantFrom(utc, karachi, newYork, {
      timezone: 'Europe/Berlin',
      start: '00:15',
    })
    fc.assert(
      fc.property(schedule, fc.integer({ min: 1.5e12, max: 2.5e12 }), (night, now) => {
        const span = nightAt(night, instant(now))
        assert.ok(span.startsAt <= now && now < span.endsAt)
        const following = nightAt(night, span.endsAt)
        assert.equal(following.startsAt, span.endsAt)
        assert.ok(following.name > span.name)
      }),
    )
  })
})
