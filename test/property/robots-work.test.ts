/**
 * Work and memory for hostile files, counted and not timed: compared characters and stored things
 * grow with file and address, whatever the machine does besides.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHttpUrl } from '../../src/kernel/url.ts'
import { decideRobots } from '../../src/robots/decide.ts'
import { matcherOf } from '../../src/robots/match.ts'
import { canonicalPath } from '../../src/robots/octets.ts'
import { readRobots } from '../../src/robots/read.ts'
import type { RobotsFile } from '../../src/robots/robots-file.ts'
import { eachOf } from '../../src/robots/rows.ts'
import { right } from '../support/either.ts'
import { HOSTILE, hostileFile, hostilePath, type Recipe } from '../support/hostile-robots.ts'
import { fc } from '../support/property.ts'

/** Characters compared when every rule of the file is tried: more than any decision takes. */
const comparedBy = (file: RobotsFile, path: string): number => {
  let compared = 0
  const matches = matcherOf(canonicalPath(path), (characters) => (compared += characters))
  for (const { pattern } of eachOf(file.rules)) matches(pattern)
  return compared
}

/** Two binary searches in the sorted suffixes of the address for each piece, a comparison each step. */
const workBound = (octets: number, path: string): number => {
  const steps = Math.ceil(Math.log2(canonicalPath(path).length + 1))
  return (2 * (steps + 1) + 1) * 3 * (octets + path.length)
}

const isLinear = (recipe: Recipe, octets: number, characters: number): void => {
  const bytes = hostileFile(recipe, octets)
  const path = hostilePath(recipe, characters)
  const file = readRobots(bytes)
  const compared = comparedBy(file, path)
  const bound = workBound(bytes.length, path)
  assert.ok(compared <= bound, `${compared} compared, ${bound} bound: ${JSON.stringify(recipe)}`)
}

/** Everything that is stored of a file comes from octets of its own. */
const isStoredOnce = (bytes: Buffer): void => {
  const { agents, rules, groups, delays, sitemaps, issues } = readRobots(bytes)
  const lines = bytes.toString('latin1').split(/\r\n|\r|\n/).length
  const texts = [...eachOf(rules)].reduce((sum, { text }) => sum + text.length, 0)
  assert.ok(texts <= bytes.length)
  assert.ok(groups.length <= agents.length)
  assert.ok(delays.length <= 1 + 2 * agents.length)
  assert.ok(issues.length <= 200)
  // A line of its own has at least so many octets, a record on a shared one as many.
  assert.ok(rules.length <= bytes.length / 6 + 1)
  assert.ok(agents.length <= bytes.length / 10 + 1)
  assert.ok(sitemaps.length <= Math.max(lines, bytes.length / 8))
}

for (const [name, recipe] of Object.entries(HOSTILE)) {
  test(`work is linear in file and address: ${name}`, () => {
    isLinear(recipe, 64_000, 1_000)
    isLinear(recipe, 16_000, 8_000)
  })

  test(`what is stored is linear in the file: ${name}`, () => {
    isStoredOnce(hostileFile(recipe, 64_000))
  })
}

const chunk = fc.oneof(
  fc.constantFrom('*', '*a', '*ab', '*b', 'a', 'b', 'ab', 'ba', 'aab', '$', '%61', '\u00e9', '№'),
  fc.constantFrom(
    '\nAllow:',
    '\nDisallow: /',
    '\nUser-agent:*\n',
    '\nCrawl-delay:1',
    '\nSitemap:/',
    ' ',
  ),
  fc
    .tuple(
      fc.constantFrom('*', 'a', '*a', '*ab', 'ab', ' ', '%61'),
      fc.integer({ min: 2, max: 2_000 }),
    )
    .map(([piece, count]) => piece.repeat(count)),
)

const anyRecipe: fc.Arbitrary<Recipe> = fc.record({
  head: fc.constantFrom('User-agent: *\nAllow:/', 'User-agent: *Allow:/', ''),
  unit: fc.array(chunk, { minLength: 1, maxLength: 8 }).map((chunks) => chunks.join('')),
  address: fc
    .array(fc.constantFrom('a', 'b', 'ab', 'aab', 'é'), { minLength: 1, maxLength: 6 })
    .map((parts) => parts.join('')),
})

test('work and storage are linear, whatever is repeated', () => {
  let compared = 0
  fc.assert(
    fc.property(anyRecipe, (recipe) => {
      isLinear(recipe, 16_000, 1_000)
      const bytes = hostileFile(recipe, 16_000)
      isStoredOnce(bytes)
      compared += comparedBy(readRobots(bytes), hostilePath(recipe, 1_000))
      const url = right(parseHttpUrl(`https://a.example${hostilePath(recipe, 1_000)}`))
      decideRobots(readRobots(bytes), 'OurBot', url)
    }),
  )
  assert.ok(compared > 100_000, 'the generator must make rules that are work')
})
