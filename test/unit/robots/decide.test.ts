import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHttpUrl } from '../../../src/kernel/url.ts'
import { decideRobots, RULE_TEXT_MAX } from '../../../src/robots/decide.ts'
import { readRobots } from '../../../src/robots/read.ts'
import { right } from '../../support/either.ts'

const decide = (robots: string, path: string, token = 'PlainReckonerBot') =>
  decideRobots(
    readRobots(Buffer.from(robots)),
    token,
    right(parseHttpUrl(`https://a.example${path}`)),
  )

test('a verdict names group, rule, line, text, what it outweighs and what was compared (PR3)', () => {
  assert.deepEqual(
    decide('User-agent: *\nDisallow: /a\nCrawl-delay: 2\nAllow:  /a/ü # kept\n', '/a/ü?x'),
    {
      allowed: true,
      basis: 'rule',
      group: ['*'],
      rule: { line: 4, text: 'Allow:  /a/ü', verdict: 'allow' },
      outweighed: { line: 2, text: 'Disallow: /a', verdict: 'disallow' },
      path: '/a/%C3%BC?x',
      crawlDelayMs: 2_000,
    },
  )
})

test('PR14: a group for the agent with Disallow: / stops page reading', () => {
  const robots = 'User-agent: *\nAllow: /\n\nUser-agent: plainreckonerbot\nDisallow: /\n'
  assert.equal(decide(robots, '/').allowed, false)
  assert.deepEqual(decide(robots, '/').group, ['plainreckonerbot'])
  assert.equal(decide(robots, '/', 'PtaKaroBot').allowed, true)
})

test('PR8: the verdict carries the Crawl-delay of the group that binds, null without one', () => {
  const robots =
    'User-agent: *\nCrawl-delay: 60\nDisallow:\nUser-agent: PlainReckonerBot\nAllow: /\n'
  assert.equal(decide(robots, '/').crawlDelayMs, null)
  assert.equal(decide(robots, '/', 'OtherBot').crawlDelayMs, 60_000)
})

test('group names are given once each, at most twenty of them and none over-long', () => {
  const robots = 'User-agent: ourbot\nUser-agent: OURBOT\nUser-agent: ourbot\nDisallow: /\n'
  assert.deepEqual(decide(robots, '/', 'OurBot').group, ['ourbot', 'OURBOT'])
  const spellings = Array.from({ length: 32 }, (_, i) =>
    Array.from('abcde', (letter, at) => ((i >> at) & 1 ? letter.toUpperCase() : letter)).join(''),
  )
  const many = spellings.map((name) => `User-agent: ${name}\n`).join('') + 'Disallow: /\n'
  assert.equal(decide(many, '/', 'abcde').group.length, 20)
  const long = 'x'.repeat(1_000)
  assert.deepEqual(decide(`User-agent: ${long}\nDisallow: /`, '/', long).group, ['x'.repeat(200)])
})

test('a rule’s text is bounded', () => {
  const { rule } = decide(`User-agent: *\nDisallow: /${'*'.repeat(5_000)}\n`, '/')
  assert.equal(rule?.text.length, RULE_TEXT_MAX)
})
