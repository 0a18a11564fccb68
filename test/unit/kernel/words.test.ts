import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { Defect } from '../../../src/kernel/assert.ts'
import { Position, position } from '../../../src/kernel/position.ts'
import { Header, Night, ProgrammeName, Purpose } from '../../../src/kernel/words.ts'

test('a position counts from 1', () => {
  equal(position(1), 1)
  for (const wrong of [0, -1, 1.5, 2 ** 53, Number.NaN]) throws(() => position(wrong), Defect)
  deepEqual([Position.is(1), Position.is(0), Position.is('1')], [true, false, false])
})

test('a programme is named in small words joined by hyphens', () => {
  deepEqual(
    ['plain-reckoner', 'a1', '', '-a', '1a', 'Plain', 'a b', 'a_b', 'a'.repeat(65)].map((name) =>
      ProgrammeName.is(name),
    ),
    [true, true, false, false, false, false, false, false, false],
  )
})

test('a night is named by a date', () => {
  deepEqual(
    ['2026-11-30', '2026-1-1', '20261130', '2026-11-30T00:00:00Z', ''].map((name) =>
      Night.is(name),
    ),
    [true, false, false, false, false],
  )
})

test('a purpose is one of a closed list', () => {
  deepEqual([Purpose.is('homepage'), Purpose.is('image')], [true, false])
})

test('a header is a name and a value, both bounded', () => {
  deepEqual(
    [['A', 'b'], ['A'], ['A', 'b', 'c'], ['a'.repeat(257), ''], ['A', 'b'.repeat(8_193)]].map((h) =>
      Header.is(h),
    ),
    [true, false, false, false, false],
  )
})
