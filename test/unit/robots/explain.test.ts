import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHttpUrl } from '../../../src/kernel/url.ts'
import { explainRobots, reasonOf } from '../../../src/robots/explain.ts'
import { readRobots } from '../../../src/robots/read.ts'
import { right } from '../../support/either.ts'

const explain = (robots: string, path: string): string =>
  explainRobots(
    readRobots(Buffer.from(robots)),
    'OurBot',
    right(parseHttpUrl(`https://a.example${path}`)),
  ).join('\n')

test('the reason comes first, with line and rule', () => {
  assert.match(
    explain('User-agent: *\nDisallow: /a\n', '/a/b'),
    /^Disallowed for OurBot: line 2, “Disallow: \/a”, is the most specific rule that matches/,
  )
  assert.match(explain('', '/a'), /^Allowed: the file has no group for OurBot and none for \*/)
  assert.match(
    explain('User-agent: *\nDisallow: /', '/robots.txt'),
    /^Allowed: \/robots\.txt itself/,
  )
  assert.match(explain('User-agent: *\nDisallow: /b', '/a'), /^Allowed for OurBot: no rule/)
})

test('the group is named with the lines that selected it', () => {
  assert.match(
    explain('User-agent: *\nDisallow: /\nUser-agent: ourbot\nAllow: /\n', '/'),
    /The group is its own, named on line 3; rules for \* do not count/,
  )
  assert.match(
    explain('User-agent: *\nDisallow: /a\nUser-agent: *\nAllow: /\n', '/'),
    /No group names OurBot, so the group for \*, named on lines 1, 3, counts/,
  )
})

test('the rule that lost and the Crawl-delay are told', () => {
  const text = explain('User-agent: *\nDisallow: /a\nAllow: /a/ü\nCrawl-delay: 2.5', '/a/ü')
  assert.match(text, /compared with \/a\/%C3%BC; line 2, “Disallow: \/a”, matches too/)
  assert.match(text, /Line 4 asks for 2\.5 seconds between requests\./)
})

test('an owner is warned of rules that several agents share', () => {
  const text = explain('User-agent: *\nSitemap: /s\nUser-agent: GreedyBot\nDisallow: /\n', '/')
  assert.match(text, /The same rules bind GreedyBot, named on line 3/)
  assert.match(text, /Note on line 3: this crawler shares the rules of those above it/)
  assert.doesNotMatch(
    explain('User-agent: *\nDisallow: /\nUser-agent: x\nDisallow: /', '/'),
    /bind/,
  )
})

test('issues of the chosen groups and of the file are told, others only counted', () => {
  const text = explain(
    'nonsense\nUser-agent: Other\nDisalow: /x\nUser-agent: *\nDissallow: /a\nDisallow: b\n',
    '/a',
  )
  assert.match(text, /Note on line 5: the key is misspelt/)
  assert.match(text, /Note on line 6: a pattern must start with/)
  assert.doesNotMatch(text, /line 3/)
  assert.match(text, /2 more line\(s\)/)
})

test('a hostile file is explained briefly', () => {
  const robots = Array.from({ length: 3_000 }, (_, i) => `User-agent: a${i}\n\n`).join('')
  assert.ok(explain(`${robots}User-agent: *\nDisallow: /\n`, '/').length < 3_000)
})

test('what the ledger keeps of a decision is enough for the reason', () => {
  const about = { token: 'OurBot', rule: null } as const
  const reasons = (
    [
      ['allow', 'robots-file'],
      ['allow', 'exempt'],
      ['allow', 'no-rule'],
      ['allow', 'no-group'],
      ['allow', 'unavailable'],
      ['deny', 'unreachable'],
      ['deny', 'unread'],
    ] as const
  ).map(([verdict, basis]) => reasonOf({ ...about, verdict, basis }))
  assert.equal(new Set(reasons).size, reasons.length)
  assert.ok(reasons.slice(0, 5).every((reason) => reason.startsWith('Allowed')))
  assert.ok(reasons.slice(5).every((reason) => reason.startsWith('Disallowed')))
  assert.equal(
    reasonOf({
      token: 'OurBot',
      verdict: 'deny',
      basis: 'rule',
      rule: { line: 7, text: 'Disallow: /', verdict: 'disallow' },
    }),
    'Disallowed for OurBot: line 7, “Disallow: /”, is the most specific rule that matches (RFC 9309 §2.2.2).',
  )
})
