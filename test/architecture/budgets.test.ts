/** What the code may cost its reader, counted; the lint rules next to it count lines of functions. */
import { deepEqual, ok } from 'node:assert/strict'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import * as ts from 'typescript'
import {
  filesOf,
  nodesOf,
  readProjectFile,
  type SourceFile,
  sourceFiles,
} from '../support/sources.ts'

const FILE_LINES_MAX = 250
const FOLDER_FILES_MAX = 30
/** Every `as` says that the author knows better than the compiler: few, each explained. */
const ASSERTIONS_MAX = 40
/** Making a branded value is what `as` is for; these need no further words. */
const BRANDS = ['Digest', 'HttpUrl', 'Instant', 'Origin', 'Position', 'Site', 'StreamName']

const product = sourceFiles('src/**/*.ts', 'projections/**/*.ts')

const found = (pick: (node: ts.Node) => boolean): readonly string[] =>
  product.flatMap((file) =>
    nodesOf(file, (node): node is ts.Node => pick(node)).map(({ at }) => at),
  )

test('the budgets are counted over the whole product', () => {
  ok(product.length > 50, `${product.length} files`)
})

test(`no file is longer than ${FILE_LINES_MAX} lines`, () => {
  const long = filesOf('src/**/*.ts', 'projections/**/*.ts', 'schema/**/*.sql')
    .map((path) => `${path}: ${readProjectFile(path).trimEnd().split('\n').length}`)
    .filter((line) => Number(line.split(': ')[1]) > FILE_LINES_MAX)
  deepEqual(long, [])
})

test(`no folder holds more than ${FOLDER_FILES_MAX} files`, () => {
  const folders = Map.groupBy(product, ({ path }) => path.slice(0, path.lastIndexOf('/')))
  const full = [...folders].filter(([, files]) => files.length > FOLDER_FILES_MAX)
  deepEqual(
    full.map(([folder, files]) => `${folder}: ${files.length}`),
    [],
  )
})

test('no value has the type any', () => {
  deepEqual(
    found((node) => node.kind === ts.SyntaxKind.AnyKeyword),
    [],
  )
})

test('no non-null assertion: `present` says what is missing', () => {
  deepEqual(found(ts.isNonNullExpression), [])
})

const isAssertion = (node: ts.Node): node is ts.AsExpression =>
  ts.isAsExpression(node) && !ts.isConstTypeReference(node.type)

/** A comment behind the line, or before a node that begins the line or one above it in the same statement. */
const isExplained = ({ ast }: SourceFile, node: ts.Node): boolean => {
  const text = ast.text
  const rest = text.slice(node.end, text.indexOf('\n', node.end))
  if (rest.includes('//')) return true
  for (let outer: ts.Node = node; !ts.isSourceFile(outer); outer = outer.parent) {
    const comments = ts.getLeadingCommentRanges(text, outer.getFullStart()) ?? []
    if (comments.length > 0) return true
    if (ts.isFunctionDeclaration(outer) || ts.isClassDeclaration(outer)) return false
  }
  return false
}

test(`no more than ${ASSERTIONS_MAX} type assertions, each with a reason beside it`, () => {
  const assertions = product.flatMap((file) =>
    nodesOf(file, isAssertion).map(({ node, at }) => ({ file, node, at })),
  )
  ok(assertions.length <= ASSERTIONS_MAX, `${assertions.length} assertions`)
  const unexplained = assertions.filter(
    ({ file, node }) => !BRANDS.includes(node.type.getText(file.ast)) && !isExplained(file, node),
  )
  deepEqual(
    unexplained.map(({ at }) => at),
    [],
  )
})

const switchedOff = /@ts-(?:ignore|expect-error|nocheck)|(?:ox|es)lint-disable|prettier-ignore/
const unfinished = /\b(?:TODO|FIXME|XXX)\b/

const linesWith = (mark: RegExp, ...patterns: readonly string[]): readonly string[] =>
  filesOf(...patterns)
    .filter((path) => path !== 'test/architecture/budgets.test.ts')
    .flatMap((path) =>
      readProjectFile(path)
        .split('\n')
        .flatMap((line, i) => (mark.test(line) ? [`${path}:${i + 1}: ${line.trim()}`] : [])),
    )

test('no compiler or lint rule is switched off in the product, and elsewhere only with a reason', () => {
  deepEqual(linesWith(switchedOff, '{src,projections}/**/*.ts'), [])
  const elsewhere = linesWith(switchedOff, '{scripts,test}/**/*.ts')
  deepEqual(
    elsewhere.filter((line) => !/ -- \S/.test(line)),
    [],
  )
})

test('nothing is left to do', () => {
  deepEqual(linesWith(unfinished, '{src,projections,scripts,test}/**/*.ts', 'schema/**/*.sql'), [])
})

/** Time, chance and the surroundings: who may ask for them. All others are given them. */
const doors: readonly {
  readonly what: string
  readonly uses: RegExp
  readonly allowed: RegExp
}[] = [
  {
    what: 'the time',
    uses: /^(?:Date\.now|Temporal\.Now(?:\.\w+)?|performance\.now|process\.hrtime(?:\.bigint)?)$/,
    allowed: /^src\/(?:adapters|cli)\//,
  },
  {
    what: 'chance',
    uses: /^(?:Math\.random|crypto\.(?:random\w+|getRandomValues)|random(?:Bytes|UUID|Int|FillSync))$/,
    allowed: /^src\/(?:adapters|cli)\/|^src\/compose\.ts$/,
  },
  {
    what: 'the environment',
    uses: /^process\.(?:env|argv|cwd|platform|pid)$/,
    allowed: /^src\/(?:adapters\/|config\.ts$|compose\.ts$|cli(?:\/|\.ts$))/,
  },
  {
    what: 'a terminal',
    uses: /^(?:console|process\.(?:stdout|stderr|stdin))$/,
    allowed: /^src\/cli(?:\/|\.ts$)/,
  },
  {
    what: 'the end of the process',
    uses: /^process\.(?:exit|abort|kill|exitCode)$/,
    allowed: /^src\/(?:adapters\/|cli\.ts$|cli\/)/,
  },
  {
    what: 'a timer',
    uses: /^set(?:Timeout|Interval|Immediate)$/,
    allowed: /^src\/adapters\//,
  },
]

const isName = (node: ts.Node): node is ts.PropertyAccessExpression | ts.Identifier =>
  ts.isPropertyAccessExpression(node) ||
  (ts.isIdentifier(node) && !ts.isPropertyAccessExpression(node.parent))

for (const { what, uses, allowed } of doors) {
  test(`only adapters and the command line ask for ${what}`, () => {
    const askers = product
      .filter(({ path }) => !allowed.test(path))
      .flatMap((file) =>
        nodesOf(file, isName)
          .filter(({ node }) => uses.test(node.getText(file.ast)))
          .map(({ at }) => at),
      )
    deepEqual(askers, [])
  })
}

test('a Date is made of a moment, never of the present', () => {
  const isPresent = (node: ts.Node): node is ts.NewExpression =>
    ts.isNewExpression(node) &&
    node.expression.getText() === 'Date' &&
    (node.arguments ?? []).length === 0
  const askers = product.filter(({ path }) => !path.startsWith('src/adapters/system/'))
  deepEqual(
    askers.flatMap((file) => nodesOf(file, isPresent).map(({ at }) => at)),
    [],
  )
})

test('every test file holds tests', () => {
  const runner = /from 'node:test'/
  /** The file takes the runner itself, or through support that makes its tests. */
  const hasRunner = (path: string): boolean => {
    const text = readProjectFile(path)
    const support = [...text.matchAll(/from '(\.[^']*\/support\/[^']+)'/g)]
    return (
      runner.test(text) ||
      support.some(([, to = '']) => runner.test(readProjectFile(join(dirname(path), to))))
    )
  }
  const empty = filesOf('test/**/*.test.ts').filter((path) => !hasRunner(path))
  deepEqual(empty, [])
})
