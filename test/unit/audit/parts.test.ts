/** The small parts of an audit. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { before, test } from 'node:test'
import { closedBy } from '../../../src/audit/exchange.ts'
import { nightNamed } from '../../../src/audit/night-span.ts'
import { recentOf } from '../../../src/audit/recent.ts'
import { instant } from '../../../src/kernel/instant.ts'
import { position } from '../../../src/kernel/position.ts'
import { siteStream } from '../../../src/ledger/stream.ts'
import { nightAt } from '../../../src/plan/night.ts'
import { firstReader } from '../../../src/robots/reader.ts'
import { auditCompleteness, auditPromises, auditRobots } from '../../../src/shell/auditing/audit.ts'
import { fullHistory } from '../../support/audit-history.ts'
import type { AuditWorld } from '../../support/audit-world.ts'
import { fc } from '../../support/property.ts'
import { at, nextOf, received, sent, SITE } from '../../support/site.ts'

let world: AuditWorld
before(async () => {
  world = await fullHistory()
})

test('what is older than the window is forgotten, what is set anew is not', () => {
  const recent = recentOf<string, number>(10)
  for (const [key, time] of [
    ['a', 0],
    ['b', 5],
    ['a', 9],
    ['c', 16],
  ] as const)
    recent.set(key, time, instant(time))
  deepEqual([recent.get('a'), recent.get('b'), recent.get('c')], [9, undefined, 16])
})

test('a night is found by its name, in every zone', () => {
  const zones = fc.constantFrom(
    'UTC',
    'Asia/Karachi',
    'America/New_York',
    'Pacific/Kiritimati',
    'Pacific/Pago_Pago',
  )
  const starts = fc.constantFrom('00:00', '01:00', '02:30', '12:00', '23:59')
  fc.assert(
    fc.property(zones, starts, fc.integer({ min: 0, max: 4_000 }), (timezone, start, hours) => {
      const schedule = { timezone, start }
      const night = nightAt(schedule, instant(at('2026-01-01T00:00:00Z') + hours * 3_600_000))
      deepEqual(nightNamed(schedule, night.name), night)
    }),
  )
  equal(nightNamed({ timezone: 'UTC', start: '01:00' }, 'no-night'), undefined)
})

test('an exchange ends where its event says, unless it cannot have', () => {
  const sentAt = instant(1_000_000)
  const request = sent('https://news.example/robots.txt', 'robots')
  const endOf = (toldMs: number, totalMs: number, clock: 'system' | 'simulated'): number => {
    const next = nextOf(instant(sentAt + toldMs + 5_000))
    const timing = { connectMs: 1, firstByteMs: 1, totalMs }
    const event = { ...received(request, 1, 200, next), timing }
    const [ts, stream] = [instant(sentAt + 4_000), siteStream(SITE)] as const
    const closing = { ts, stream, version: 3, run: 'r', position: position(3), event }
    return closedBy(sentAt, closing, clock).endedAt - sentAt
  }
  equal(endOf(3_000, 2_900, 'system'), 3_000)
  equal(endOf(0, 3_000, 'system'), 2_969)
  equal(endOf(0, 9_000, 'system'), 4_000)
  equal(endOf(-1, 1, 'system'), 4_000)
  equal(endOf(4_001, 1, 'system'), 4_000)
  equal(endOf(3_000, 1, 'simulated'), 4_000)
})

const window = { since: undefined, until: undefined, programme: undefined }

test('an audit tells how far it is, and stops where it is told to', async () => {
  const events = await world.events()
  const told: number[] = []
  const stopping = new AbortController()
  const way = {
    stop: stopping.signal,
    progress: (position: number, of: number) => {
      told.push(position)
      equal(of, events.length)
      if (position === 100) stopping.abort()
    },
  }
  const found = await auditPromises(world, { window, ...way })
  deepEqual([found.position, found.interrupted, told.length], [100, true, 100])
  const all = { stop: new AbortController().signal, progress: () => undefined }
  const complete = await auditCompleteness(world, all)
  deepEqual([complete.position, complete.interrupted], [events.length, false])
  const reach = await auditRobots(world, firstReader, { window, ...all }, async () => undefined)
  equal(reach.position, events.length)
  ok(reach.totals.judged > 0)
})

test('what lies after --until is not read', async () => {
  const events = await world.events()
  const until = events[400]?.ts
  const last = events.findLast(({ ts }) => ts <= (until ?? 0))?.position
  const all = { stop: new AbortController().signal, progress: () => undefined }
  const { position } = await auditPromises(world, { window: { ...window, until }, ...all })
  equal(position, last)
})
