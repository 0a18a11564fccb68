/** docs/known-bugs.md names a test for each bug, or says why there is none: no row may go stale. */
import { deepEqual, ok } from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import * as ts from 'typescript'
import { nodesOf, projectRoot, readProjectFile, sourceFiles } from '../support/sources.ts'

type Row = { readonly line: string; readonly cells: readonly string[] }

const HEADER = ['what went wrong', 'where', 'what holds here', 'shown by']

const rows = readProjectFile('docs/known-bugs.md')
  .split('\n')
  .filter((line) => line.startsWith('|') && !/^\|(?: -+ \|)+$/.test(line))
  .map((line): Row => ({
    line,
    cells: line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  }))
const bugs = rows.filter(({ cells }) => cells.join() !== HEADER.join())

const testsOf = (cell: string): readonly (readonly [file: string, name: string])[] =>
  [...cell.matchAll(/`(test\/[^ `]+\.test\.ts) › ([^`]+)`/g)].map(([, file = '', name = '']) => [
    file,
    name,
  ])

/** Every text in a test file or its support: what the name of a generated test is made of. */
const texts = new Set(
  sourceFiles('test/**/*.ts').flatMap((file) =>
    nodesOf(file, ts.isStringLiteralLike).map(({ node }) => node.text),
  ),
)

const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** Whether a template makes the name, with texts that stand in the tests in its gaps. */
const makes = (template: ts.TemplateExpression, name: string): boolean => {
  const parts = [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)]
  const found = new RegExp(`^${parts.map(literally).join('(.+)')}$`).exec(name)
  return found !== null && found.slice(1).every((gap) => texts.has(gap))
}

/** The names of tests are first arguments of calls. */
const holds = (path: string, name: string): boolean =>
  sourceFiles(path).some((file) =>
    nodesOf(file, ts.isCallExpression).some(({ node }) => {
      const [first] = node.arguments
      if (first === undefined) return false
      if (ts.isStringLiteralLike(first)) return first.text === name
      return ts.isTemplateExpression(first) && makes(first, name)
    }),
  )

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

for (const [file, name] of new Map(
  bugs.flatMap(({ cells }) => testsOf(cells[3] ?? '')).map((of) => [of.join(' › '), of] as const),
).values())
  test(`known bugs: ${file} › ${name} is there`, () => {
    ok(existsSync(join(projectRoot, file)), file)
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
