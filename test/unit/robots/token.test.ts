import assert from 'node:assert/strict'
import { test } from 'node:test'
import { namedAgent, sameToken } from '../../../src/robots/token.ts'

for (const [value, name, rest] of [
  ['OurBot', 'OurBot', ''],
  ['OurBot/1.0 (x)', 'OurBot', '/1.0 (x)'],
  ['our_bot-x y', 'our_bot-x', ' y'],
  ['OurBot2', 'OurBot2', ''],
  ['*', '*', ''],
  ['* all', '*', ' all'],
  ['*\tall', '*', '\tall'],
  ['*bot', '', '*bot'],
  ['**', '', '**'],
  ['', '', ''],
  ['(x)', '', '(x)'],
] as const) {
  test(`“${value}” names ${name === '' ? 'nobody' : name}`, () => {
    assert.deepEqual(namedAgent(value), { name, rest })
  })
}

test('tokens are the same whatever their case, and only if whole', () => {
  assert.equal(sameToken('OurBot', 'OURBOT'), true)
  assert.equal(sameToken('OurBot', 'OurBo'), false)
  assert.equal(sameToken('', 'a'), false)
})
