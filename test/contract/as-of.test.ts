/** Earlier moments, looked up in every store of projections. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  adsTxtState,
  PROJECTIONS,
  requestLog,
  robotsDecisions,
  siteCooldown,
} from '../../projections/index.ts'
import { postgresLedger } from '../../src/adapters/postgres/ledger.ts'
import { postgresProjectionStore } from '../../src/adapters/postgres/projections/store.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { canonicalJson } from '../../src/kernel/canonical-json.ts'
import { instant } from '../../src/kernel/instant.ts'
import { nearestRequests } from '../../src/shell/projecting/nearest-requests.ts'
import { catchUp } from '../../src/shell/projecting/catch-up.ts'
import { rebuild } from '../../src/shell/projecting/rebuild.ts'
import { rowsAt } from '../../src/shell/projecting/rows-at.ts'
import { execute, openAgain, places, testDatabase } from '../support/database.ts'
import { right } from '../support/either.ts'
import { History, site, url } from '../support/history.ts'
import { insertEvents, nights } from '../support/nights.ts'
import { portsOf, rowsThen } from '../support/projecting.ts'

const history = nights(300, 3)
const EVENTS = history.recorded.length
const SITE = site('publisher-1.example')
const LIMITS = { pageEvents: 50, batchEvents: 20, batchBytes: 5_000, heldBytes: 9_000, newKeys: 5 }
const POSITIONS = [0, 2, 37, 151, 224, EVENTS - 1, EVENTS + 9]

type Place = (typeof places)[number]

/** A ledger with the history, half of which came after the first build. */
const opened = async (place: Place) => {
  const { database, settings } = await testDatabase(place)
  const ledger = right(await postgresLedger(database, systemClock())())
  const ports = { ...portsOf(history, postgresProjectionStore(database)), ledger }
  const half = EVENTS >> 1
  const grow = {
    first: () => insertEvents(database, history.recorded.slice(0, half)),
    second: () => insertEvents(database, history.recorded.slice(half)),
  }
  return { ports, settings, grow, close: ledger.close }
}

for (const place of places)
  describe(`as of: ${place.name}`, () => {
    test('CL6 every projection is as of every position and time what history says, whole and by site', async () => {
      const { ports, grow, close } = await opened(place)
      const given = PROJECTIONS.map((one) => ({ ...one, snapshotEvery: 3 }))
      await grow.first()
      for (const one of given) right(await catchUp(ports)(one, { limits: LIMITS })())
      await grow.second()
      for (const one of given)
        for (const position of POSITIONS) {
          const { rows } = right(await rowsAt(portsOf(history))(one, { position })())
          const expected = rows.map((row) => canonicalJson(row))
          deepEqual(await rowsThen(ports, one, { moment: { position } }), expected, one.name)
          const ts = history.recorded[position - 1]?.ts
          if (ts !== undefined)
            deepEqual(await rowsThen(ports, one, { moment: { ts } }), expected, one.name)
          if (!one.table.columns.includes('site')) continue
          deepEqual(
            await rowsThen(ports, one, { moment: { position }, site: SITE }),
            rows.filter((row) => row['site'] === SITE).map((row) => canonicalJson(row)),
            one.name,
          )
        }
      await close()
    })

    test('CL6 a snapshot that was altered, moved, taken away or made by another build is not believed', async () => {
      const { ports, settings, grow, close } = await opened(place)
      await grow.first()
      await grow.second()
      const one = { ...siteCooldown, snapshotEvery: 3 }
      right(await catchUp(ports)(one)())
      const expected = new Map<number, readonly string[]>()
      for (const position of POSITIONS)
        expected.set(position, await rowsThen(ports, one, { moment: { position } }))
      const table = 'projection.site_cooldown__snapshots'
      for (const damage of [
        `update ${table} set state = replace(state, 'publisher', 'someone')`,
        `update ${table} set touched = touched[2:]`,
        `update ${table} set since = since - 1 where since > 0`,
        `update ${table} set position = position + 1`,
        `update ${table} set digest = state_digest`,
        `update ${table} a set (state, state_digest) = (b.state, b.state_digest) from ${table} b where a.key <> b.key`,
        `delete from ${table} where position % 3 = 0`,
        `truncate ${table}`,
      ]) {
        await execute(settings, damage)
        for (const [position, rows] of expected)
          deepEqual(await rowsThen(ports, one, { moment: { position } }), rows, damage)
        right(await rebuild(ports)(one)())
      }
      await close()
    })

    test('CL6 with another reader or version nothing older is believed', async () => {
      const { ports, grow, close } = await opened(place)
      await grow.first()
      await grow.second()
      const one = { ...adsTxtState, snapshotEvery: 3 }
      right(await catchUp(ports)(one)())
      const newer = {
        ...one,
        version: one.version + 1,
        rowsOf: (state: Parameters<typeof one.rowsOf>[0]) =>
          one.rowsOf(state).map((row) => ({ ...row, reader: 'x@9' })),
      }
      const rows = await rowsThen(ports, newer, { moment: { position: 200 }, site: SITE })
      const { rows: expected } = right(await rowsAt(ports)(newer, { position: 200 }, SITE)())
      deepEqual(
        rows,
        expected.map((row) => canonicalJson(row)),
      )
      await close()
    })

    test('CL6 tables of the layout before are built anew, with the reader they were made with', async () => {
      const OTHER = 'robots-parser@3.0.1'
      const { ports, settings, grow, close } = await opened(place)
      await grow.first()
      await grow.second()
      right(await catchUp(ports)({ ...robotsDecisions, readWith: OTHER })())
      await execute(
        settings,
        'drop table projection.layout, projection.robots_decisions__snapshots',
        'alter table projection.robots_decisions__states drop column since, drop column touched',
      )
      const [one, other] = await Promise.all(
        [1, 2].map(async () => {
          const store = postgresProjectionStore(await openAgain(settings))
          return { ...ports, store }
        }),
      )
      ok(one && other)
      const moment = { position: 200 }
      const { rows } = right(
        await rowsAt(portsOf(history))({ ...robotsDecisions, readWith: OTHER }, moment)(),
      )
      const expected = rows.map((row) => canonicalJson(row))
      const both = [one, other].map((each) => rowsThen(each, robotsDecisions, { moment }))
      deepEqual(await Promise.all(both), [expected, expected])
      equal(right(await other.store.live(robotsDecisions)())?.reader, OTHER)
      await close()
    })

    test('RC26 the nearest requests to an address come first, from both sides and within the window', async () => {
      const { ports, grow, close } = await opened(place)
      await grow.first()
      await grow.second()
      const sent = history.recorded.flatMap(({ event, ts, position }) =>
        event.type === 'RequestSent' ? [{ url: event.url, ts, position }] : [],
      )
      const asked = url(`https://${SITE}/ads.txt`)
      const times = sent.filter((one) => one.url === asked).map(({ ts }) => ts)
      equal(times.length > 3, true)
      for (const time of [times[0], times[2], history.recorded[150]?.ts].map((ts) => ts ?? 0))
        for (const windowMs of [0, 60_000, 86_400_000])
          for (const address of [asked, url('https://never.example/')]) {
            const found = await nearestRequests(ports, {
              url: address,
              time: instant(time),
              windowMs,
            })
            const expected = sent
              .filter((one) => one.url === address && Math.abs(one.ts - time) <= windowMs)
              .toSorted((a, b) => Math.abs(a.ts - time) - Math.abs(b.ts - time))
            deepEqual(
              found.map((row) => row['request']),
              expected.map(({ position }) => position),
            )
          }
      await close()
    })

    test('RC26 an address that is too long for an index of its text is found all the same', async () => {
      const { ports, close } = await opened(place)
      const long = new History()
      // No two parts alike: PostgreSQL would pack a repetitive one into an entry.
      const path = Array.from({ length: 1_200 }, (_, i) => ((i * 7_919) % 46_656).toString(36))
      const target = `https://long.example/${path.join('/')}`
      long.fetch({ site: 'long.example', purpose: 'page', target }, { tag: 'answer', status: 200 })
      const there = { ...ports, ...portsOf(long, ports.store) }
      const [time] = long.recorded.map(({ ts }) => ts)
      const wanted = { url: url(target), time: instant(time ?? 0), windowMs: 60_000 }
      equal((await nearestRequests(there, wanted)).length, 1)
      right(await rebuild(there)(requestLog)())
      equal((await nearestRequests(there, wanted)).length, 1)
      await close()
    })
  })
