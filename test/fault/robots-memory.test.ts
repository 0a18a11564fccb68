/** No robots.txt fills the memory: the readers do with little heap what others die of. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { firstReader } from '../../src/robots/reader.ts'
import { secondReader } from '../../src/robots/second-reader.ts'
import { HOSTILE } from '../support/hostile-robots.ts'

const PROCESS = join(import.meta.dirname, '../support/robots-reading-process.ts')

// An idle process holds some 10 MB of heap already.
for (const [{ name }, megabytes] of [
  [firstReader, 24],
  [secondReader, 64],
] as const) {
  test(`${name} reads every hostile file within ${megabytes} MB of heap, or declines it`, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      `--max-old-space-size=${megabytes}`,
      PROCESS,
      name,
    ])
    assert.equal(stdout, `${name} ${Object.keys(HOSTILE).length}\n`)
  })
}
