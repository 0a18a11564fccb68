/** undici is used bare: what makes it comfortable is what makes it follow, retry, decode and pause. */
import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import * as ts from 'typescript'
import { nodesOf, sourceFiles } from '../support/sources.ts'

const product = sourceFiles('src/**/*.ts', 'projections/**/*.ts')

const importsOf = (modules: RegExp): readonly string[] =>
  product.flatMap((file) =>
    nodesOf(file, ts.isImportDeclaration)
      .filter(
        ({ node }) =>
          ts.isStringLiteral(node.moduleSpecifier) && modules.test(node.moduleSpecifier.text),
      )
      .flatMap(({ node }) => {
        const names = node.importClause?.namedBindings
        return names !== undefined && ts.isNamedImports(names)
          ? names.elements.map(({ name }) => name.text)
          : [node.getText()]
      }),
  )

test('of undici only the client is taken: no request, fetch, agent, interceptor or retry handler', () => {
  deepEqual(importsOf(/^undici/), ['Client', 'Dispatcher'])
})

test('no other HTTP client is in the product', () => {
  deepEqual(importsOf(/^(?:node:)?https?2?$/), [])
  const calls = product.flatMap((file) =>
    nodesOf(file, ts.isCallExpression)
      .filter(({ node }) =>
        /^(?:globalThis\.)?(?:fetch|XMLHttpRequest|WebSocket)$/.test(node.expression.getText()),
      )
      .map(({ at }) => at),
  )
  deepEqual(calls, [])
})

test('nodejs/undici#5360: nothing pauses a response, and nothing is put between it and us', () => {
  const told = product
    .filter(({ path }) => path.startsWith('src/adapters/http/'))
    .flatMap((file) =>
      nodesOf(file, ts.isPropertyAccessExpression)
        .filter(({ node }) => /^(?:pause|resume|compose|pipe|pipeline)$/.test(node.name.text))
        .map(({ at }) => at),
    )
  deepEqual(told, [])
})
