import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** A fresh directory, removed with everything in it when the test is over. */
export const temporaryDirectory = async (test: TestContext): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'crawl-ledger-test-'))
  test.after(() => rm(directory, { recursive: true, force: true }))
  return directory
}
