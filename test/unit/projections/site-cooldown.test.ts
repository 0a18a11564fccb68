import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { siteCooldown } from '../../../projections/index.ts'
import type { Row } from '../../../projections/projection.ts'
import { present } from '../../../src/kernel/assert.ts'
import { History, url } from '../../support/history.ts'
import { foldAll } from '../../support/projecting.ts'

const SITE = 'one.example'
const asked = { site: SITE, purpose: 'homepage' as const }
const rowOf = ({ recorded }: History, site = SITE): Row =>
  present(siteCooldown.rowsOf(foldAll(siteCooldown, site, recorded))[0], 'one row')

test('PR6 the pace is what the last closing event says, input by input', () => {
  const history = new History()
  history.fetch(asked, { tag: 'answer', status: 200 })
  const row = rowOf(history)
  const closing = present(
    history.recorded.find(({ event }) => event.type === 'ResponseReceived'),
    'a closing event',
  )
  deepEqual(
    [row['next_position'], row['floor_ms'], row['crawl_delay_ms'], row['retry_after_ms']],
    [closing.position, 5_000, null, null],
  )
  equal(
    row['next_allowed_at'],
    closing.event.type === 'ResponseReceived'
      ? new Date(closing.event.next.at).toISOString()
      : undefined,
  )
})

test('PR9 a cooldown is shown with its end and its cause', () => {
  const history = new History()
  history.fetch({ ...asked, cooldownMs: 60_000 }, { tag: 'answer', status: 429 })
  const row = rowOf(history)
  deepEqual([row['cooldown_because'], row['retry_after_ms']], ['status 429', 60_000])
  equal(row['cooldown_until'], row['next_allowed_at'])
})

test('PR6 the pace belongs to the site that was asked, not to the one it was asked for', () => {
  const history = new History()
  history.request(asked, url('https://elsewhere.test/moved'), 1, { tag: 'answer', status: 200 })
  equal(siteCooldown.rowsOf(foldAll(siteCooldown, SITE, history.recorded)).length, 0)
  equal(rowOf(history, 'elsewhere.test')['site'], 'elsewhere.test')
})

test('CL1 a request is open until its one closing event, be it its abandonment', () => {
  const history = new History()
  const request = history.fetch(asked, { tag: 'open' })
  equal(rowOf(history)['open_request'], request)
  const other = new History()
  other.fetch(asked, { tag: 'abandoned' })
  equal(rowOf(other)['open_request'], null)
})

test('PR7 a stop stays, programme by programme, until a person resumes the site', () => {
  const history = new History()
  const first = history.stop(SITE, [])
  deepEqual(rowOf(history)['stopped'], [
    { position: first, programme: 'plain-reckoner', strikes: 1, at: '2026-11-30T01:00:01.000Z' },
  ])
  history.fetch(asked, { tag: 'answer', status: 200 })
  equal(Array.isArray(rowOf(history)['stopped']) && rowOf(history)['stopped'] !== null, true)
  const resumed = history.act('SiteResumed', SITE)
  deepEqual([rowOf(history)['stopped'], rowOf(history)['position']], [[], resumed])
})

test('PR15 only a person’s readmission ends an exclusion', () => {
  const history = new History()
  const excluded = history.act('SiteExcluded', SITE)
  history.list(SITE, [])
  history.act('SiteResumed', SITE)
  const row = rowOf(history)
  deepEqual(
    [row['excluded'], row['excluded_by'], row['excluded_position']],
    [true, 'A Person', excluded],
  )
  history.act('SiteReadmitted', SITE)
  equal(rowOf(history)['excluded'], false)
})

test('PR10 the last request that was withheld is shown with its reason', () => {
  const history = new History()
  const withheld = history.withhold(SITE, 'homepage', 'robots-unreachable')
  const row = rowOf(history)
  deepEqual([row['withheld_reason'], row['withheld_position']], ['robots-unreachable', withheld])
})
