/** docs/threat-model.md names for each attack what catches it, where, and the tests that show it. */
import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { holds, tableRows, testsIn, testsOf } from '../support/named-tests.ts'

const HEADER = ['attack', 'caught by', 'position named', 'shown by']

const rows = tableRows('docs/threat-model.md')
const from = rows.findIndex(({ cells }) => cells.join() === HEADER.join())
const attacks = rows.slice(from + 1).filter(({ cells }) => cells.length === HEADER.length)

test('the table of attacks is there, and no attack twice', () => {
  ok(from >= 0 && attacks.length >= 20, `${attacks.length} attacks`)
  const said = attacks.map(({ cells }) => cells[0])
  deepEqual(said.length, new Set(said).size)
})

test('every attack names what catches it, the position, and a test', () => {
  deepEqual(
    attacks
      .filter(({ cells }) => cells.includes('') || testsOf(cells[3] ?? '').length === 0)
      .map(({ line }) => line),
    [],
  )
})

for (const [file, name] of testsIn(attacks, 3))
  test(`attacks: ${file} › ${name} is there`, () => {
    ok(holds(file, name), `${file} has no test “${name}”`)
  })
