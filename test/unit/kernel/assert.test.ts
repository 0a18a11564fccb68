import { doesNotThrow, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { assert, Defect, present, unreachable } from '../../../src/kernel/assert.ts'

test('a broken assumption throws a Defect that says which', () => {
  throws(() => assert(false, 'the lease is held'), { name: 'Defect', message: 'the lease is held' })
  doesNotThrow(() => assert(true, 'the lease is held'))
})

test('present gives back zero, empty text and false, and refuses only what is missing', () => {
  equal(present(0, 'n'), 0)
  equal(present('', 's'), '')
  equal(present(false, 'b'), false)
  throws(() => present(undefined, 'a position'), new Defect('a position'))
  throws(() => present(null, 'a position'), new Defect('a position'))
})

test('a case that types rule out throws if it comes all the same', () => {
  throws(() => unreachable('fifth' as never), { name: 'Defect', message: /"fifth"/ })
})
