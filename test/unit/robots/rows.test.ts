import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachOf, intColumn, rowsOf } from '../../../src/robots/rows.ts'

test('a column keeps every number, however many there are', () => {
  const column = intColumn()
  for (let value = 0; value < 1_000; value += 1) column.push(value * 3)
  assert.equal(column.length(), 1_000)
  assert.deepEqual([column.at(0), column.at(15), column.at(16), column.at(999)], [0, 45, 48, 2_997])
  assert.throws(() => column.at(1_000), RangeError)
  assert.throws(() => column.at(-1), RangeError)
})

test('rows are made when asked for, all of them, a stretch, or some', () => {
  const squares = { length: 5, at: (index: number) => index * index }
  assert.deepEqual([...eachOf(squares)], [0, 1, 4, 9, 16])
  assert.deepEqual([...eachOf(squares, 1, 3)], [1, 4])
  assert.deepEqual([...eachOf(rowsOf(squares, [4, 0]))], [16, 0])
})
