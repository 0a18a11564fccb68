import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalPath, canonicalPattern, textOfOctets } from '../../../src/robots/octets.ts'

for (const [path, canonical] of [
  ['/a-b._~', '/a-b._~'],
  ['/%61%2D%7e', '/a-~'],
  ['/%2f%C3%bc', '/%2F%C3%BC'],
  ['/ü', '/%C3%BC'],
  ['/a*b$c', '/a%2Ab%24c'],
  ['/%2a%24', '/%2A%24'],
  ["/'[]|^", '/%27%5B%5D%7C%5E'],
  ['/%', '/%'],
  ['/%4', '/%4'],
  ['/:?#@!&()+,;=', '/:?#@!&()+,;='],
] as const) {
  test(`the path ${path} is ${canonical}`, () => {
    assert.equal(canonicalPath(path), canonical)
  })
}

for (const [value, text, anchored, octets] of [
  ['/a', '/a', false, 2],
  ['/a$', '/a', true, 3],
  ['/a$b$', '/a%24b', true, 7],
  ['/a**b***', '/a*b*', false, 8],
  ['$', '', true, 1],
  ['/%24', '/%24', false, 4],
  ['/\u00fc', '/%FC', false, 4],
] as const) {
  test(`the pattern ${value} is ${text}${anchored ? ', to the end' : ''}, ${octets} octets`, () => {
    assert.deepEqual(canonicalPattern(value), { text, anchored, octets })
  })
}

test('octets are shown as UTF-8, and never move a terminal’s cursor', () => {
  assert.equal(textOfOctets('caf\u00c3\u00a9', 100), 'café')
  assert.equal(textOfOctets('caf\u00e9', 100), 'caf\uFFFD')
  assert.equal(textOfOctets('a\u001b[2Jb\u0000', 100), 'a\uFFFD[2Jb\uFFFD')
  assert.equal(textOfOctets('\u00c2\u009b', 100), '\uFFFD')
  assert.equal(textOfOctets('\u00f0\u009f\u0098\u0080x', 1), '\uFFFD')
  assert.equal(textOfOctets('abc', 2), 'ab')
})
