/**
 * Real robots.txt files, where they are at hand: each is read and explained, and each difference
 * from robots-parser has a known kind.
 */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { parseHttpUrl } from '../../src/kernel/url.ts'
import { compareReaders } from '../../src/robots/compare.ts'
import { explainRobots } from '../../src/robots/explain.ts'
import { readRobots } from '../../src/robots/read.ts'
import type { RobotsFile } from '../../src/robots/robots-file.ts'
import { eachOf } from '../../src/robots/rows.ts'
import { secondReader } from '../../src/robots/second-reader.ts'
import { right } from '../support/either.ts'

const CORPUS = fileURLToPath(new URL('../../../shared/corpus/robots', import.meta.url))
const absent = !existsSync(CORPUS) && 'no corpus here'

const corpus = (): readonly { name: string; bytes: Buffer }[] =>
  readdirSync(CORPUS, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ name: path.slice(CORPUS.length + 1), bytes: readFileSync(path) }))

/** Every agent the file names, and one it does not. */
const agentsOf = (file: RobotsFile): readonly string[] => [
  'UnheardOfBot',
  ...new Set(Array.from(eachOf(file.agents), ({ name }) => name)),
]

test(
  'every real file is read, and decisions for all its agents explained',
  { skip: absent },
  () => {
    const files = corpus()
    const urls = ['/', '/search?q=a'].map((path) =>
      right(parseHttpUrl(`https://shop.example${path}`)),
    )
    for (const { name, bytes } of files) {
      const file = readRobots(bytes)
      for (const agent of agentsOf(file)) {
        for (const url of urls) {
          const { why, warnings } = explainRobots(file, agent, url)
          assert.match(why[0] ?? '', /^(?:Allowed|Disallowed)/, name)
          for (const sentence of [...why, ...warnings]) {
            assert.match(sentence, /[.]$/, name)
            assert.ok(sentence.length < 5_000, name)
            assert.doesNotMatch(sentence, /undefined|NaN|\[object/, name)
          }
        }
      }
    }
    assert.ok(files.length > 100)
  },
)

test(
  'every difference from robots-parser over real files is of a known kind',
  { skip: absent },
  (t) => {
    const kinds = new Map<string, number>()
    let decisions = 0
    for (const { name, bytes } of corpus()) {
      const comparison = compareReaders(bytes, secondReader)
      decisions += comparison.decisions
      for (const difference of comparison.differences) {
        const kind = difference.kinds.join(' + ')
        assert.notEqual(kind, 'unexplained', `${name}: ${JSON.stringify(difference)}`)
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
      }
    }
    assert.ok(decisions > 5_000)
    for (const [kind, count] of kinds) t.diagnostic(`${count} of ${decisions} decisions: ${kind}`)
  },
)
