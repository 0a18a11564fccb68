import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHttpUrl } from '../../../src/kernel/url.ts'
import { explainRobots, type Explanation, reasonOf } from '../../../src/robots/explain.ts'
import { readRobots } from '../../../src/robots/read.ts'
import { right } from '../../support/either.ts'

const explanation = (robots: string, path: string, token = 'OurBot'): Explanation =>
  explainRobots(
    readRobots(Buffer.from(robots)),
    token,
    right(parseHttpUrl(`https://a.example${path}`)),
  )

const why = (robots: string, path: string): string => explanation(robots, path).why.join('\n')
const warnings = (robots: string, path: string, token?: string): string =>
  explanation(robots, path, token).warnings.join('\n')

test('the reason comes first, with line and rule', () => {
  assert.match(
    why('User-agent: *\nDisallow: /a\n', '/a/b'),
    /^Disallowed for OurBot: line 2, “Disallow: \/a”, is the most specific rule that matches/,
  )
  assert.match(why('', '/a'), /^Allowed: the file has no group for OurBot and none for \*/)
  assert.match(why('User-agent: *\nDisallow: /', '/robots.txt'), /^Allowed: \/robots\.txt itself/)
  assert.match(why('User-agent: *\nDisallow: /b', '/a'), /^Allowed for OurBot: no rule/)
})

test('the group is named with the lines that selected it', () => {
  assert.match(
    why('User-agent: *\nDisallow: /\nUser-agent: ourbot\nAllow: /\n', '/'),
    /Its group is the one that names it, on line 3; rules for \* do not count/,
  )
  assert.match(
    why('User-agent: *\nDisallow: /a\nUser-agent: *\nAllow: /\n', '/'),
    /No group names OurBot, so the group for \*, named on lines 1, 3, counts/,
  )
})

test('the rules that lost are told, each with why it lost', () => {
  const file =
    'User-agent: *\nDisallow: /a\nAllow: /a/ü\nDisallow: /a/%C3%BC\nAllow: /a/ü\nAllow: /b'
  assert.match(
    why(file, '/a/ü'),
    /compared with \/a\/%C3%BC; with 9 octets it goes before line 2, “Disallow: \/a” \(2 octets\), line 4, “Disallow: \/a\/%C3%BC” \(as long, and between equals Allow wins\), line 5, “Allow: \/a\/ü” \(as long, and says the same\)\./,
  )
  assert.match(why(file, '/b'), /compared with \/b; no other rule matches\./)
})

test('Crawl-delay and sitemaps are told', () => {
  const file =
    'Sitemap: /s.xml\nUser-agent: *\nCrawl-delay: 2.5\nDisallow: /a\nSitemap: https://b.example/'
  assert.match(why(file, '/'), /Line 3 asks OurBot for 2\.5 seconds between requests\./)
  assert.match(
    why(file, '/'),
    /lists 2 sitemap\(s\): https:\/\/a\.example\/s\.xml, https:\/\/b\.example\/\./,
  )
  assert.match(why('User-agent: *\nDisallow:', '/'), /The group asks OurBot for no Crawl-delay\./)
})

test('an owner is warned of rules that several agents share (jimmyjohns: a Sitemap parts nobody)', () => {
  const text = warnings('User-agent: *\nSitemap: /s\nUser-agent: GreedyBot\nDisallow: /\n', '/')
  assert.match(text, /The same rules bind GreedyBot, named on line 3: only a rule ends a run/)
  assert.match(text, /Line 3: this crawler shares the rules of those above it/)
  assert.doesNotMatch(
    warnings('User-agent: *\nDisallow: /\nUser-agent: x\nDisallow: /', '/'),
    /bind/,
  )
})

test('an owner is warned of what a group of its own hides: the rules for * and their Crawl-delay', () => {
  const file = 'User-agent: *\nDisallow: /a\nCrawl-delay: 30\nUser-agent: OurBot\nDisallow: /b\n'
  const text = warnings(file, '/a')
  assert.match(
    text,
    /The group for \*, named on line 1, says the opposite with line 2, “Disallow: \/a”; it does not count, because OurBot has a group of its own/,
  )
  assert.match(text, /The Crawl-delay of 30 seconds on line 3 is for \* and does not count/)
  assert.doesNotMatch(warnings(file, '/c'), /opposite/)
  assert.doesNotMatch(warnings(file, '/a', '*'), /own/)
  assert.doesNotMatch(warnings(`${file}Crawl-delay: 1\n`, '/c'), /does not count/)
})

test('an owner is warned of a Disallow that a longer or equal Allow puts out of effect', () => {
  assert.match(
    warnings('User-agent: *\nAllow: /a/b\nDisallow: /a\n', '/a/b'),
    /On this address line 3, “Disallow: \/a”, has no effect: the longer Allow on line 2 wins/,
  )
  assert.match(
    warnings('User-agent: *\nDisallow: /\nAllow: /\n', '/x'),
    /has no effect: the equally long Allow on line 3 wins/,
  )
  assert.equal(warnings('User-agent: *\nAllow: /\nDisallow: /a\n', '/a'), '')
})

test('an owner is warned of a last group that has no rules', () => {
  const file = 'User-agent: *\nDisallow: /\n\nUser-agent: OurBot\n'
  assert.match(
    warnings(file, '/'),
    /The group of OurBot, named on line 4, ends with the file and has no rule, so it forbids nothing; the rules above belong to other groups/,
  )
  assert.doesNotMatch(warnings(`${file}Disallow:\n`, '/'), /ends with the file/)
})

test('an owner is warned of a Crawl-delay that speaks to other agents of the same group', () => {
  const file = 'User-agent: One\nCrawl-delay: 10\nUser-agent: OurBot\nDisallow: /x\n'
  assert.match(
    warnings(file, '/'),
    /The Crawl-delay of 10 seconds on line 2 speaks to the User-agent lines right above it only, which do not name OurBot/,
  )
  assert.doesNotMatch(warnings(file, '/', 'One'), /right above/)
})

test('an owner is warned of a name that is nearly ours', () => {
  const near = /Line 1 names OurBot-Image, which is not OurBot: names are compared whole/
  assert.match(warnings('User-agent: OurBot-Image\nDisallow: /', '/'), near)
  assert.match(warnings('User-agent: OurB\nDisallow: /', '/'), /names OurB, which is not OurBot/)
  assert.equal(warnings('User-agent: OtherBot\nDisallow: /', '/'), '')
  assert.doesNotMatch(
    warnings('User-agent: OurBot-Image\nDisallow: /\nUser-agent: OurBot\nAllow: /', '/'),
    near,
  )
})

test('issues of the chosen groups, of the lines in them and of the file are told, others only counted', () => {
  const text = warnings(
    'Disallow: /early\nUser-agent: Other\nDisalow: /x\nUser-agent: *\nDissallow: /a\nAlow: /b\nDisallow: b\n',
    '/a',
  )
  assert.match(text, /Line 1: this stands before the first User-agent line/)
  assert.match(text, /Line 5: the key is misspelt/)
  assert.match(text, /Line 6: nobody has defined this key/)
  assert.match(text, /Line 7: a pattern must start with/)
  assert.doesNotMatch(text, /Line 3/)
  assert.match(text, /1 more line\(s\)/)
})

test('a page in place of the file and a file too long are told first', () => {
  assert.match(
    warnings('<html>User-agent: *\nDisallow: /', '/'),
    /^The file starts like a web page/m,
  )
  const long = `User-agent: *\n${'Disallow: /a\n'.repeat(40_000)}`
  assert.match(warnings(long, '/'), /^The file is longer than 512,000 bytes; no rule beyond them/m)
})

test('a hostile file is explained briefly', () => {
  const agents = Array.from({ length: 3_000 }, (_, i) => `User-agent: a${i}\n\n`).join('')
  const rules = Array.from({ length: 3_000 }, (_, i) => `Allow: /*${'x'.repeat(i % 500)}\n`).join(
    '',
  )
  const sitemaps = Array.from(
    { length: 3_000 },
    (_, i) => `Sitemap: /${'s'.repeat(400)}${i}\n`,
  ).join('')
  const file = `${agents}User-agent: *\nDisallow: /\n${rules}${sitemaps}`
  const { why, warnings } = explanation(file, `/${'x'.repeat(900)}`)
  assert.ok([...why, ...warnings].join('').length < 10_000)
  assert.ok([...why, ...warnings].length < 40)
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
