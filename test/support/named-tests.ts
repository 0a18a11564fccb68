/** Tables of documents that name tests, as `test/x.test.ts › its name`, and whether these are there. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import * as ts from 'typescript'
import { nodesOf, projectRoot, readProjectFile, sourceFiles } from './sources.ts'

export type Row = { readonly line: string; readonly cells: readonly string[] }

/** The rows of every table in a document, heads included, rulers not. */
export const tableRows = (path: string): readonly Row[] =>
  readProjectFile(path)
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|(?: -+ \|)+$/.test(line))
    .map((line) => ({
      line,
      cells: line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    }))

export type NamedTest = readonly [file: string, name: string]

export const testsOf = (cell: string): readonly NamedTest[] =>
  [...cell.matchAll(/`(test\/[^ `]+\.test\.ts) › ([^`]+)`/g)].map(([, file = '', name = '']) => [
    file,
    name,
  ])

/** Each test that a column names, once. */
export const testsIn = (rows: readonly Row[], column: number): Iterable<NamedTest> =>
  new Map(
    rows.flatMap(({ cells }) =>
      testsOf(cells[column] ?? '').map((of) => [of.join(' › '), of] as const),
    ),
  ).values()

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

/** Whether a test file has a test of that name; the names of tests are first arguments of calls. */
export const holds = (path: string, name: string): boolean =>
  existsSync(join(projectRoot, path)) &&
  sourceFiles(path).some((file) =>
    nodesOf(file, ts.isCallExpression).some(({ node }) => {
      const [first] = node.arguments
      if (first === undefined) return false
      if (ts.isStringLiteralLike(first)) return first.text === name
      return ts.isTemplateExpression(first) && makes(first, name)
    }),
  )
