/** A ledger that somebody changed behind its back is read up to there and no further. */
import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { E } from '../../src/kernel/fp.ts'
import type { ReadFailure } from '../../src/ledger/port.ts'
import { execute, testLedger } from '../support/database.ts'
import { left, right } from '../support/either.ts'
import { appendOf, noteOf, RUN, streamOf } from '../support/ledgers.ts'

/** Swaps the digits of a version inside the entry at position 3: still canonical, still an event. */
const otherVersion = `entry = convert_to(replace(convert_from(entry, 'UTF8'), '"version":3', '"version":7'), 'UTF8')`

/** What is done to the row at position 3 (or all), and what is found out: where and why. */
const tamperings: readonly (readonly [string, string, number, RegExp])[] = [
  ['an entry that is no JSON', `update event set entry = 'x' where position = 3`, 3, /JSON/],
  [
    'an entry of no known type',
    `update event set entry = replace(convert_from(entry, 'UTF8'), 'SiteExcluded', 'SiteForgotten')::bytea where position = 3`,
    3,
    /known event type/,
  ],
  [
    'an entry that lost a field',
    `update event set entry = replace(convert_from(entry, 'UTF8'), '"by"', '"bz"')::bytea where position = 3`,
    3,
    /by: expected/,
  ],
  [
    'an entry of another version',
    `update event set ${otherVersion} where position = 3`,
    3,
    /column version/,
  ],
  [
    'a column of another stream',
    `update event set stream = 'site-x.example', version = 1 where position = 3`,
    3,
    /column stream|missing/,
  ],
  [
    'a column of another type',
    `update event set type = 'LogOpened' where position = 3`,
    3,
    /column type/,
  ],
  ['a column of another time', `update event set ts = ts + 1 where position = 3`, 3, /column ts/],
  ['a row that is gone', 'delete from event where position = 3', 4, /position 3 is missing/],
  [
    'a row at another position',
    'update event set position = 9 where position = 3',
    4,
    /position 3 is missing/,
  ],
]

for (const [what, statement, at, why] of tamperings)
  test(`${what} is an integrity breach, named by its position`, async () => {
    const { settings, ledger, close } = await testLedger()
    right(await ledger.append(RUN, appendOf('a', 0, 'a1', 'a2', 'a3', 'a4'))())
    await execute(
      settings,
      `begin; alter table event disable trigger all; ${statement}; alter table event enable always trigger event_append_only; commit`,
    )
    const breached = (failure: ReadFailure): void => {
      equal(failure.tag, 'IntegrityBreach', JSON.stringify(failure))
      if (failure.tag !== 'IntegrityBreach') return
      equal(failure.position, at)
      equal(why.test(failure.because), true, failure.because)
    }
    breached(left(await ledger.readAll({ after: 0, limit: 100 })()))
    breached(left(await ledger.readAll({ after: 2, limit: 1 })()))
    breached(left(await ledger.readEntries({ after: 0, limit: 100 })()))
    deepEqual(right(await ledger.readAll({ after: 0, limit: 2 })()).map(noteOf), ['a1', 'a2'])
    await close()
  })

describe('a stream that lost an event', () => {
  test('is an integrity breach when it is read by itself too', async () => {
    const { settings, ledger, close } = await testLedger()
    right(await ledger.append(RUN, appendOf('a', 0, 'a1', 'a2', 'a3'))())
    await execute(
      settings,
      'begin; alter table event disable trigger all; delete from event where version = 2; commit',
    )
    const failure = left(await ledger.readStream(streamOf('a'), 0)())
    equal(failure.tag === 'IntegrityBreach' && failure.position, 3)
    equal(E.isRight(await ledger.readStream(streamOf('a'), 2)()), true)
    await close()
  })
})
