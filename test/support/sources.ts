/** The project's own files, and TypeScript's view of them, for the tests that judge the code. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as ts from 'typescript'

export const projectRoot = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

/** Paths of files relative to the project, in order. */
export const filesOf = (...patterns: readonly string[]): readonly string[] =>
  globSync(patterns, { cwd: projectRoot, exclude: ['node_modules/**'] }).toSorted()

export const readProjectFile = (path: string): string =>
  readFileSync(resolve(projectRoot, path), 'utf8')

export type SourceFile = { readonly path: string; readonly ast: ts.SourceFile }

export const sourceFiles = (...patterns: readonly string[]): readonly SourceFile[] =>
  filesOf(...patterns).map((path) => ({
    path,
    ast: ts.createSourceFile(path, readProjectFile(path), ts.ScriptTarget.Latest, true),
  }))

/** Every node of the file for which `pick` says yes, with its line as `path:line`. */
export const nodesOf = <N extends ts.Node>(
  { path, ast }: SourceFile,
  pick: (node: ts.Node) => node is N,
): readonly { readonly node: N; readonly at: string }[] => {
  const found: { node: N; at: string }[] = []
  const visit = (node: ts.Node): void => {
    if (pick(node))
      found.push({
        node,
        at: `${path}:${ast.getLineAndCharacterOfPosition(node.getStart(ast)).line + 1}`,
      })
    ts.forEachChild(node, visit)
  }
  visit(ast)
  return found
}
