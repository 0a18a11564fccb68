/** docs/known-bugs.md names a test for each bug, or says why there is none: no row may go stale. */
import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { holds, tableRows, testsIn, testsOf } from '../support/named-tests.ts'

const HEADER = ['what went wrong', 'where', 'what holds here', 'shown by']

const rows = tableRows('docs/known-bugs.md')
const bugs = rows.filter(({ cells }) => cells.join() !== HEADER.join())

test('the table of known bugs has its columns, a thread in each row, and no bug twice', () => {
  ok(bugs.length > 80, `${bugs.length} rows`)
  deepEqual(
    rows.filter(({ cells }) => cells.length !== HEADER.length).map(({ line }) => line),
    [],
  )
  const thread =
    /\[[\w.-]+\/[\w.-]+#\d+\]\(https:\/\/github\.com\/[\w.-]+\/[\w.-]+\/(?:issues|pull)\/\d+\)|tried here|its source/
  deepEqual(
    bugs.filter(({ cells }) => !thread.test(cells[1] ?? '')).map(({ line }) => line),
    [],
  )
  const said = bugs.map(({ cells }) => cells[0])
  deepEqual(said.length, new Set(said).size)
})

test('a thread is linked to where it says', () => {
  const wrong = bugs.flatMap(({ cells }) =>
    [...(cells[1] ?? '').matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].filter(
      ([, name = '', link = '']) => {
        const [repository, number] = name.split('#')
        const ends = ['issues', 'pull'].map(
          (kind) => `https://github.com/${repository}/${kind}/${number}`,
        )
        return !ends.includes(link)
      },
    ),
  )
  deepEqual(wrong, [])
})

test('every bug names a test, or says why it does not apply here', () => {
  const neither = bugs.filter(
    ({ cells }) =>
      testsOf(cells[3] ?? '').length === 0 && !/^does not apply: \S/.test(cells[3] ?? ''),
  )
  deepEqual(
    neither.map(({ line }) => line),
    [],
  )
})

for (const [file, name] of testsIn(bugs, 3))
  test(`known bugs: ${file} › ${name} is there`, () => {
    ok(holds(file, name), `${file} has no test “${name}”`)
  })

test('known bugs: a test that is not there would be missed', () => {
  const file = 'test/architecture/known-bugs.test.ts'
  ok(holds(file, 'a thread is linked to where it says'))
  ok(!holds(file, 'a thread is linked to'))
  ok(holds('test/fault/hostile-server.test.ts', 'hostile server: two lengths → bad-response'))
  ok(!holds('test/fault/hostile-server.test.ts', 'hostile server: nobody’s case → bad-response'))
  ok(!holds('test/fault/no-such.test.ts', 'a thread is linked to where it says'))
})
