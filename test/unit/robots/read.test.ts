import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ISSUES_LISTED_MAX } from '../../../src/robots/issue.ts'
import { readRobots } from '../../../src/robots/read.ts'
import { eachOf } from '../../../src/robots/rows.ts'

test('a file is groups of agent lines with their rules, delays and line numbers', () => {
  const { agents, rules, groups, delays, sitemaps, truncated } = readRobots(
    Buffer.from(
      'User-agent: One\nCrawl-delay: 2\nUser-agent: Two\nDisallow: /a\nSitemap: /s.xml\n\nUser-agent: *\nAllow: /ü$\n',
    ),
  )
  assert.deepEqual(
    [...eachOf(agents)],
    [
      { line: 1, name: 'One', run: 0 },
      { line: 3, name: 'Two', run: 1 },
      { line: 7, name: '*', run: 2 },
    ],
  )
  assert.deepEqual(
    [...eachOf(rules)],
    [
      {
        line: 4,
        verdict: 'disallow',
        text: 'Disallow: /a',
        pattern: { text: '/a', anchored: false, octets: 2 },
      },
      {
        line: 8,
        verdict: 'allow',
        text: 'Allow: /\u00c3\u00bc$',
        pattern: { text: '/%C3%BC', anchored: true, octets: 8 },
      },
    ],
  )
  assert.deepEqual(
    [...eachOf(groups)],
    [
      { agents: { from: 0, to: 2 }, rules: { from: 0, to: 1 }, closed: true },
      { agents: { from: 2, to: 3 }, rules: { from: 1, to: 2 }, closed: true },
    ],
  )
  assert.deepEqual(delays, [{ line: 2, milliseconds: 2_000 }, null, null])
  assert.deepEqual([...eachOf(sitemaps)], [{ line: 5, value: '/s.xml' }])
  assert.equal(truncated, false)
})

test('only the last group can be open, and an empty rule closes it', () => {
  const closed = (robots: string): readonly boolean[] =>
    Array.from(eachOf(readRobots(Buffer.from(robots)).groups), (group) => group.closed)
  assert.deepEqual(closed('User-agent: a\nDisallow: /\nUser-agent: b\nCrawl-delay: 1'), [
    true,
    false,
  ])
  assert.deepEqual(closed('User-agent: a\nDisallow:\n'), [true])
})

test('rules are stored once, however many agents share them', () => {
  const bytes = Buffer.from('User-agent: *\n'.repeat(10_000) + 'Disallow: /a\n'.repeat(10_000))
  const { agents, rules, groups } = readRobots(bytes)
  assert.equal(groups.length, 1)
  assert.equal(agents.length, 10_000)
  assert.equal(rules.length, 10_000)
})

test('issues are listed up to a bound and all counted', () => {
  const { issues, issueCount } = readRobots(Buffer.from('nonsense\n'.repeat(1_000)))
  assert.equal(issueCount, 1_000)
  assert.equal(issues.length, ISSUES_LISTED_MAX)
  assert.deepEqual(issues[0], { line: 1, code: 'no-record' })
})

test('a view into a larger buffer is read as the view', () => {
  const whole = Buffer.from('xxUser-agent: *\nDisallow: /\nxx')
  const view = new Uint8Array(whole.buffer, whole.byteOffset + 2, whole.length - 4)
  const { agents, issueCount } = readRobots(view)
  assert.equal(agents.at(0).name, '*')
  assert.equal(issueCount, 0)
})
