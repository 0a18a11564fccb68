/** Shared cases that stand beside a checkout; a checkout alone has none, and the tests skip. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { batchReader } from '../../src/readers/batch.ts'

const SHARED = join(import.meta.dirname, '../../../shared')
const CASES = join(SHARED, 'cases/adstxt.jsonl')

export type CaseRow = {
  readonly id: string
  readonly group: string
  readonly expected: object
}

/** The rows of a group; none where there are no shared cases. */
export const sharedCases = (group: string): readonly CaseRow[] =>
  existsSync(CASES) ? rowsOf(group).map(({ row }) => row) : []

const rowsOf = (group: string): readonly { readonly row: CaseRow; readonly line: string }[] =>
  readFileSync(CASES, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ row: JSON.parse(line) as CaseRow, line }))
    .filter(({ row }) => row.group === group)

/** One test for each row of a group: the batch reader answers what the row expects. */
export const testSharedCases = (group: string, reader: string): void => {
  const skip = existsSync(CASES) ? false : 'no shared cases beside this checkout'
  if (skip !== false) {
    test(`shared cases of group ${group}`, { skip }, () => undefined)
    return
  }
  const answer = batchReader(reader)
  for (const { row, line } of rowsOf(group)) {
    test(`shared case ${row.id}`, () => {
      ok(answer !== undefined)
      const { expected: _, ...asked } = JSON.parse(line) as CaseRow
      deepEqual(plain(answer(JSON.stringify(asked))), { id: row.id, ...row.expected })
    })
  }
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** Real files of one kind; none where there is no corpus. */
export const corpusFiles = (kind: 'adstxt' | 'sellers'): readonly string[] => {
  const folder = join(SHARED, 'corpus', kind)
  return existsSync(folder) ? filesBelow(folder) : []
}

const filesBelow = (path: string): readonly string[] =>
  statSync(path).isDirectory()
    ? readdirSync(path).flatMap((name) => filesBelow(join(path, name)))
    : [path]
