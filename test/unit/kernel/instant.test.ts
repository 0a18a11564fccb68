import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { Defect } from '../../../src/kernel/assert.ts'
import { parse } from '../../../src/kernel/codec.ts'
import { E } from '../../../src/kernel/fp.ts'
import {
  formatInstant,
  instant,
  InstantText,
  later,
  latest,
  parseInstant,
} from '../../../src/kernel/instant.ts'
import { right } from '../../support/either.ts'

const at = (text: string) => right(InstantText.decode(text))

test('RFC3339: a moment is written in UTC with exactly three decimals', () => {
  equal(formatInstant(instant(0)), '1970-01-01T00:00:00.000Z')
  equal(formatInstant(instant(1_795_986_062_007)), '2026-11-29T21:01:02.007Z')
})

const strict: readonly (readonly [string, string])[] = [
  ['no decimals', '2026-11-30T02:30:00Z'],
  ['two decimals', '2026-11-30T02:30:00.00Z'],
  ['six decimals', '2026-11-30T02:30:00.000000Z'],
  ['an offset', '2026-11-30T02:30:00.000+00:00'],
  ['no zone', '2026-11-30T02:30:00.000'],
  ['small letters', '2026-11-30t02:30:00.000z'],
  ['a space', '2026-11-30 02:30:00.000Z'],
  ['30 February, which Date would roll over', '2026-02-30T00:00:00.000Z'],
  ['29 February of a common year', '2027-02-29T00:00:00.000Z'],
  ['29 February of a century', '2100-02-29T00:00:00.000Z'],
  ['month 13', '2026-13-01T00:00:00.000Z'],
  ['day 0', '2026-11-00T00:00:00.000Z'],
  ['hour 24', '2026-11-30T24:00:00.000Z'],
  ['a leap second, which UTC milliseconds cannot tell', '2016-12-31T23:59:60.000Z'],
  ['a year of six digits', '+012026-11-30T02:30:00.000Z'],
  ['an end of line', '2026-11-30T02:30:00.000Z\n'],
  ['nothing', ''],
]
for (const [what, text] of strict) {
  test(`RFC3339: the ledger's form refuses ${what}`, () => {
    ok(E.isLeft(parse('ts', InstantText, text)))
  })
}

test('RFC3339: 29 February is a day in leap years', () => {
  for (const text of ['2028-02-29T00:00:00.000Z', '2000-02-29T23:59:59.999Z'])
    equal(formatInstant(at(text)), text)
})

test('the first and the last moment are those that four digits of a year can write', () => {
  equal(formatInstant(at('0000-01-01T00:00:00.000Z')), '0000-01-01T00:00:00.000Z')
  equal(formatInstant(at('9999-12-31T23:59:59.999Z')), '9999-12-31T23:59:59.999Z')
  throws(() => instant(at('9999-12-31T23:59:59.999Z') + 1), Defect)
  throws(() => instant(at('0000-01-01T00:00:00.000Z') - 1), Defect)
  throws(() => instant(0.5), Defect)
  throws(() => instant(Number.NaN), Defect)
})

test('a wait beyond the last moment ends at the last moment', () => {
  equal(formatInstant(later(instant(0), Number.MAX_VALUE)), '9999-12-31T23:59:59.999Z')
  equal(formatInstant(later(instant(0), 9e15)), '9999-12-31T23:59:59.999Z')
})

test('a wait is rounded up to whole milliseconds, and a negative one is none', () => {
  deepEqual(
    [later(instant(5), 0.2), later(instant(5), 2), later(instant(5), -3)],
    [6, 7, 5].map(instant),
  )
  throws(() => later(instant(5), Number.NaN), Defect)
})

test('the latest of several moments', () => {
  equal(latest(instant(3), instant(9), instant(4)), 9)
  throws(() => latest(), Defect)
})

const typed: readonly (readonly [string, string])[] = [
  ['2026-11-30', '2026-11-30T00:00:00.000Z'],
  ['2026-11-30T02:30Z', '2026-11-30T02:30:00.000Z'],
  ['2026-11-30T02:30:15Z', '2026-11-30T02:30:15.000Z'],
  ['2026-11-30T02:30:15.5Z', '2026-11-30T02:30:15.500Z'],
  ['2026-11-30T02:30+05:00', '2026-11-29T21:30:00.000Z'],
  ['2026-11-30T02:30:15.123-03:30', '2026-11-30T06:00:15.123Z'],
]
for (const [input, moment] of typed) {
  test(`a person may write ${input}`, () => {
    equal(formatInstant(right(parseInstant('--since', input))), moment)
  })
}

const notTimes = [
  '',
  'yesterday',
  '2026-11',
  '30.11.2026',
  '2026-02-30',
  '2026-02-30T10:00Z',
  '2026-11-30T24:00Z',
  '2026-11-30T02:30',
  '2026-11-30T02:30+5',
  '2026-11-30T02:30+24:00',
  '2026-11-30T02:30:15.1234Z',
  '2026-11-30T02:30:60Z',
  ' 2026-11-30',
  '1e3',
]
for (const input of notTimes) {
  test(`what a person writes is not guessed at: ${JSON.stringify(input)} is refused`, () => {
    ok(E.isLeft(parseInstant('--since', input)))
  })
}
