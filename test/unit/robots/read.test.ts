import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ISSUES_LISTED_MAX } from '../../../src/robots/issue.ts'
import { readRobots } from '../../../src/robots/read.ts'

test('a file is groups of agent lines with their rules, delays and line numbers', () => {
  const { groups, sitemaps, truncated } = readRobots(
    Buffer.from(
      'User-agent: One\nCrawl-delay: 2\nUser-agent: Two\nDisallow: /a\nSitemap: /s.xml\n\nUser-agent: *\nAllow: /$\n',
    ),
  )
  assert.deepEqual(groups, [
    {
      agents: [
        { line: 1, name: 'One', run: 0 },
        { line: 3, name: 'Two', run: 1 },
      ],
      rules: [
        {
          line: 4,
          verdict: 'disallow',
          text: 'Disallow: /a',
          pattern: { text: '/a', anchored: false, octets: 2 },
        },
      ],
      delays: [{ line: 2, milliseconds: 2_000 }, null],
      closed: true,
    },
    {
      agents: [{ line: 7, name: '*', run: 0 }],
      rules: [
        {
          line: 8,
          verdict: 'allow',
          text: 'Allow: /$',
          pattern: { text: '/', anchored: true, octets: 2 },
        },
      ],
      delays: [null],
      closed: true,
    },
  ])
  assert.deepEqual(sitemaps, [{ line: 5, value: '/s.xml' }])
  assert.equal(truncated, false)
})

test('rules are stored once, however many agents share them', () => {
  const bytes = Buffer.from('User-agent: *\n'.repeat(10_000) + 'Disallow: /a\n'.repeat(10_000))
  const { groups } = readRobots(bytes)
  assert.equal(groups.length, 1)
  assert.equal(groups[0]?.agents.length, 10_000)
  assert.equal(groups[0]?.rules.length, 10_000)
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
  const { groups, issueCount } = readRobots(view)
  assert.equal(groups[0]?.agents[0]?.name, '*')
  assert.equal(issueCount, 0)
})
