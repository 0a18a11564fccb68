import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HttpUrl, parseHttpUrl } from '../../src/kernel/url.ts'
import { decideRobots, RULE_TEXT_MAX } from '../../src/robots/decide.ts'
import { explainRobots } from '../../src/robots/explain.ts'
import { ISSUES_LISTED_MAX } from '../../src/robots/issue.ts'
import { readRobots } from '../../src/robots/read.ts'
import { secondReader } from '../../src/robots/second-reader.ts'
import { sitemapsOf } from '../../src/robots/sitemaps.ts'
import { right } from '../support/either.ts'
import { HOSTILE, hostileFile, hostilePath } from '../support/hostile-robots.ts'
import { fc, RUNS } from '../support/property.ts'

const urlOf = (path: string): HttpUrl => right(parseHttpUrl(`https://shop.example${path}`))
const ROBOTS_URL = urlOf('/robots.txt')

// --- generators -----------------------------------------------------------------------------------

/** Paths and patterns over few characters, so that they meet often. */
const plainPath = fc
  .array(fc.constantFrom('a', 'b', 'ab', '/', '.', '?', '=', '%20', 'ü', '~', '%7E', '%C3%BC'), {
    maxLength: 6,
  })
  .map((parts) => `/${parts.join('')}`)

const pattern = fc
  .tuple(
    fc.array(fc.constantFrom('a', 'b', 'ab', '/', '.', '?', '=', '*', '**', '~', '%7e', 'ü'), {
      maxLength: 6,
    }),
    fc.constantFrom('', '', '$'),
  )
  .map(([parts, end]) => `/${parts.join('')}${end}`)

const token = fc.constantFrom('OurBot', 'Other', 'Third-bot', '*')

type Rule = { readonly key: 'Allow' | 'Disallow'; readonly value: string }
type Group = { readonly agents: readonly string[]; readonly rules: readonly Rule[] }

const rule: fc.Arbitrary<Rule> = fc.record({
  key: fc.constantFrom('Allow' as const, 'Disallow' as const),
  value: fc.oneof({ weight: 9, arbitrary: pattern }, { weight: 1, arbitrary: fc.constant('') }),
})

const group: fc.Arbitrary<Group> = fc.record({
  agents: fc.array(token, { minLength: 1, maxLength: 3 }),
  rules: fc.array(rule, { minLength: 1, maxLength: 5 }),
})

const groups = fc.array(group, { maxLength: 4 })

const linesOf = (all: readonly Group[]): readonly string[] =>
  all.flatMap(({ agents, rules }) => [
    ...agents.map((agent) => `User-agent: ${agent}`),
    ...rules.map(({ key, value }) => `${key}: ${value}`),
  ])

const fileOf = (lines: readonly string[], end = '\n'): Buffer =>
  Buffer.from(lines.map((line) => line + end).join(''))

const allowed = (lines: readonly string[], path: string, end = '\n'): boolean =>
  decideRobots(readRobots(fileOf(lines, end)), 'OurBot', urlOf(path)).allowed

/** Pieces that hurt readers: odd keys, broken encodings, control characters, long runs. */
const hostilePiece = fc.oneof(
  fc.constantFrom(
    'User-agent:',
    'user-agent : *',
    'Disallow:',
    'Allow: /',
    'disallow',
    '* Disallow:',
  ),
  fc.constantFrom(
    '\r',
    '\n',
    '\r\n',
    '\n\r',
    '\0',
    '\t',
    ' ',
    '#',
    ':',
    '*',
    '$',
    '%',
    '%2',
    '%zz',
  ),
  fc.constantFrom(
    '\u00ff',
    '\u00ef\u00bb\u00bf',
    '\u00ff\u00fe',
    '<',
    '>',
    '<pre>',
    'OurBot',
    '__proto__',
  ),
  fc.constantFrom(
    'Crawl-delay: ',
    'Sitemap: ',
    '99999999999999999999',
    '1e9',
    '-1',
    '.5',
    'http://',
  ),
  fc
    .tuple(fc.constantFrom('*', 'a', '*a', ' ', '%', '\u00c3'), fc.integer({ min: 1, max: 20_000 }))
    .map(([piece, count]) => piece.repeat(count)),
)

const anyFile = fc.oneof(
  fc.array(hostilePiece, { maxLength: 40 }).map((pieces) => Buffer.from(pieces.join(''), 'latin1')),
  fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes)),
)

const anyPath = fc.oneof(
  fc.webPath().map((path) => (path.startsWith('/') ? path : `/${path}`)),
  fc
    .tuple(fc.constantFrom('a', '*', "'", 'ü', '%', '$'), fc.integer({ min: 0, max: 1_000 }))
    .map(([piece, count]) => `/${piece.repeat(count)}`),
)

// --- total ----------------------------------------------------------------------------------------

test('any bytes and any address end in a verdict, bounded in all it says', () => {
  fc.assert(
    fc.property(anyFile, anyPath, token, (bytes, path, agent) => {
      const file = readRobots(bytes)
      const lineCount = bytes.toString('latin1').split(/\r\n|\r|\n/).length
      assert.ok(file.issues.length <= Math.min(file.issueCount, ISSUES_LISTED_MAX))
      assert.ok(file.issues.every(({ line }) => line >= 0 && line <= lineCount))
      const verdict = decideRobots(file, agent, urlOf(path))
      assert.equal(verdict.rule !== null, verdict.basis === 'rule')
      if (verdict.rule !== null) {
        assert.equal(verdict.allowed, verdict.rule.verdict === 'allow')
        assert.ok(verdict.rule.line >= 1 && verdict.rule.line <= lineCount)
        assert.ok(verdict.rule.text.length <= RULE_TEXT_MAX && verdict.rule.text.isWellFormed())
        assert.doesNotMatch(verdict.rule.text, /[\u0000-\u001f\u007f-\u009f]/)
      }
      assert.ok(verdict.crawlDelayMs === null || Number.isSafeInteger(verdict.crawlDelayMs))
      assert.ok(explainRobots(file, agent, urlOf(path)).why.length >= 1)
      assert.ok(sitemapsOf(file, ROBOTS_URL).every((url) => /^https?:/.test(url)))
      assert.ok(
        ['Decided', 'Declined'].includes(secondReader.answer(bytes, agent, urlOf(path)).tag),
      )
    }),
  )
})

// --- what may not matter --------------------------------------------------------------------------

test('a decision does not depend on line ends (RFC9309_2.2)', () => {
  fc.assert(
    fc.property(groups, plainPath, (all, path) => {
      const answers = ['\n', '\r', '\r\n'].map((end) => allowed(linesOf(all), path, end))
      assert.equal(new Set(answers).size, 1)
    }),
  )
})

test('a decision does not depend on blank lines, comments or other records (RFC9309_2.2.4, PK8, RC15)', () => {
  const noise = fc.constantFrom(
    '',
    ' \t',
    '# note',
    'Sitemap: /s.xml',
    'Crawl-delay: 4',
    'Host: x.example',
    'Nonsense: yes',
    'prose without a colon',
  )
  fc.assert(
    fc.property(groups, plainPath, fc.array(fc.tuple(fc.nat(), noise)), (all, path, added) => {
      const noisy = added.reduce<readonly string[]>(
        (lines, [place, line]) => lines.toSpliced(place % (lines.length + 1), 0, line),
        linesOf(all),
      )
      assert.equal(allowed(noisy, path), allowed(linesOf(all), path))
    }),
  )
})

test('a decision does not depend on the case of keys and tokens, or on white space around them', () => {
  const dressed = (line: string): string => {
    const [key = '', value = ''] = line.split(': ')
    const isAgent = key === 'User-agent'
    return `\t${key.toUpperCase()} \t:\t${isAgent ? value.toLowerCase() : value} \t# x`
  }
  fc.assert(
    fc.property(groups, plainPath, (all, path) => {
      assert.equal(allowed(linesOf(all).map(dressed), path), allowed(linesOf(all), path))
    }),
  )
})

test('a decision does not depend on the order of rules in a group, or of groups in the file', () => {
  fc.assert(
    fc.property(groups, plainPath, (all, path) => {
      const turned = all.toReversed().map((one) => ({ ...one, rules: one.rules.toReversed() }))
      assert.equal(allowed(linesOf(turned), path), allowed(linesOf(all), path))
    }),
  )
})

test('a group may be written as several groups for the same agents (RFC9309_2.2.1)', () => {
  fc.assert(
    fc.property(groups, plainPath, (all, path) => {
      const apart = all.flatMap(({ agents, rules }) =>
        rules.map((one) => ({ agents, rules: [one] })),
      )
      assert.equal(allowed(linesOf(apart), path), allowed(linesOf(all), path))
    }),
  )
})

test('one more Disallow never allows, one more Allow never forbids, and no other group matters', () => {
  fc.assert(
    fc.property(groups, plainPath, pattern, (all, path, value) => {
      const own: Group = { agents: ['OurBot'], rules: [{ key: 'Disallow', value: '' }] }
      const before = allowed(linesOf([...all, own]), path)
      const plus = (key: Rule['key']): boolean =>
        allowed(linesOf([...all, { ...own, rules: [{ key, value }] }]), path)
      if (!before) assert.equal(plus('Disallow'), false)
      if (before) assert.equal(plus('Allow'), true)
      const stranger: Group = {
        agents: ['Stranger', '*'],
        rules: [{ key: 'Disallow', value: '/' }],
      }
      assert.equal(allowed(linesOf([...all, own, stranger]), path), before)
    }),
  )
})

// --- the second reader ----------------------------------------------------------------------------

test('robots-parser agrees, line and all, where the file leaves no room for two readings', () => {
  // Without: octets beyond plain ones, a bare `?`, empty groups, /robots.txt (docs/decisions/0010 §11).
  const simple = fc.constantFrom('a', 'b', 'ab', '/', '.', '=', 'c?d')
  const simplePath = fc.array(simple, { maxLength: 6 }).map((parts) => `/${parts.join('')}`)
  const simplePattern = fc
    .tuple(fc.array(fc.oneof(simple, fc.constant('*')), { maxLength: 6 }), fc.constantFrom('', '$'))
    .map(([parts, end]) => `/${parts.join('')}${end}`)
  const simpleGroup = fc.record({
    agents: fc.array(token, { minLength: 1, maxLength: 3 }),
    rules: fc.array(
      fc.record({
        key: fc.constantFrom('Allow' as const, 'Disallow' as const),
        value: simplePattern,
      }),
      { minLength: 1, maxLength: 6 },
    ),
  })
  let decidedByRule = 0
  fc.assert(
    fc.property(fc.array(simpleGroup, { maxLength: 4 }), simplePath, (all, path) => {
      const bytes = fileOf(linesOf(all))
      const { allowed, rule } = decideRobots(readRobots(bytes), 'OurBot', urlOf(path))
      if (rule !== null) decidedByRule += 1
      const line = rule?.line ?? 0
      assert.deepEqual(secondReader.answer(bytes, 'OurBot', urlOf(path)), {
        tag: 'Decided',
        allowed,
        line,
        crawlDelayMs: null,
      })
    }),
    { numRuns: Math.max(500, RUNS) },
  )
  assert.ok(decidedByRule > 50, 'the generator must make rules that decide')
})

// --- work -----------------------------------------------------------------------------------------

const timeOf = (work: () => unknown): number => {
  const start = performance.now()
  work()
  return performance.now() - start
}

const PARTS = 16
const ROUNDS = 8

/**
 * One large input against sixteen small ones of the same size together, right after each other: about
 * the same if time is linear, 16 times if it is quadratic. A busy machine slows both, and one round in
 * which it does not is enough, since what is quadratic is so in all of them.
 */
const isLinearInTime = (large: () => unknown, small: () => unknown): boolean => {
  small()
  for (let round = 0; round < ROUNDS; round += 1) {
    const parts = timeOf(() => {
      for (let part = 0; part < PARTS; part += 1) small()
    })
    if (timeOf(large) < (PARTS / 3) * parts) return true
  }
  return false
}

// What is counted (robots-work.test.ts) is our own steps; this sees those of the runtime, too.
for (const [name, recipe] of Object.entries(HOSTILE)) {
  test(`time grows with the file, not with its square: ${name}`, () => {
    const url = urlOf(hostilePath(recipe, 500))
    const [large, small] = [512_000, 32_000].map((octets) => hostileFile(recipe, octets))
    const decide = (file: Buffer | undefined): unknown =>
      decideRobots(readRobots(file ?? assert.fail()), 'OurBot', url)
    assert.ok(
      isLinearInTime(
        () => decide(large),
        () => decide(small),
      ),
      'quadratic in the file',
    )
  })
}

test('time grows with the address, not with its square', () => {
  const recipe = HOSTILE['rules of five hundred stars'] ?? assert.fail()
  const file = readRobots(hostileFile(recipe, 100_000))
  const [large, small] = [8_000, 500].map((length) => urlOf(hostilePath(recipe, length)))
  const decide = (url: HttpUrl | undefined): unknown =>
    decideRobots(file, 'OurBot', url ?? assert.fail())
  assert.ok(
    isLinearInTime(
      () => decide(large),
      () => decide(small),
    ),
    'quadratic in the address',
  )
})
