import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareReaders, type DifferenceKind } from '../../../src/robots/compare.ts'
import { firstReader, type RobotsReader } from '../../../src/robots/reader.ts'
import { repaired } from '../../../src/robots/repair.ts'
import { secondReader } from '../../../src/robots/second-reader.ts'

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')

const kindsIn = (robots: string, reader = secondReader): ReadonlySet<string> =>
  new Set(compareReaders(bytes(robots), reader).differences.map(({ kinds }) => kinds.join(' + ')))

const KINDS: readonly (readonly [DifferenceKind, robots: string])[] = [
  ['robots-txt', 'User-agent: *\nDisallow: /\n'],
  ['bare-query', 'User-agent: *\nDisallow: /*?\n'],
  [
    'bytes',
    '\u00ff\u00fe' + Buffer.from('User-agent: *\nDisallow: /x', 'utf16le').toString('latin1'),
  ],
  ['bytes', '<html><pre>User-agent: *\nDisallow: /x</pre>'],
  ['white-space', 'User-agent: *\n\u00c2\u00a0Disallow: /x\n'],
  ['cut-lines', 'User-agent: *\nDisallow: /x\0y\n'],
  ['keys', 'User-agent: *\nDisalow: /x\n'],
  ['keys', 'User-agent *\nDisallow /x\n'],
  ['one-line', 'User-agent: * Disallow: /x\n'],
  ['tokens', 'User-agent: SomeBot Extra\nDisallow: /x\n'],
  ['tokens', 'User-agent: SomeBot, OtherBot\nDisallow: /x\n'],
  ['other-records', 'User-agent: *\nSitemap: /s.xml\nUser-agent: GreedyBot\nDisallow: /x\n'],
  ['other-records', 'User-agent: SomeBot\nCrawl-delay: 3\nUser-agent: GreedyBot\nDisallow: /x\n'],
  ['empty-group', 'User-agent: *\nDisallow: /x\nUser-agent: SomeBot\n'],
  ['octets', 'User-agent: *\nDisallow: /*?f[a]=\n'],
  ['octets', 'User-agent: *\nDisallow: /%78/%7euser\n'],
]

for (const [kind, robots] of KINDS) {
  test(`what robots-parser reads otherwise is named: ${kind} in ${JSON.stringify(robots)}`, () => {
    assert.ok(kindsIn(robots).has(kind), [...kindsIn(robots)].join(', '))
    assert.ok(!kindsIn(robots).has('unexplained'))
  })
}

test('a difference with several causes names those that are needed, and no others', () => {
  assert.deepEqual(
    kindsIn('User-agent: SomeBot Extra\nCrawl-delay: 1\nUser-agent: b\nDisalow: /x\n'),
    new Set(['keys + tokens + other-records', 'keys']),
  )
})

test('a file that leaves no room for two readings has no differences', () => {
  const { decisions, declined, differences } = compareReaders(
    bytes('User-agent: SomeBot\nDisallow: /a\nAllow: /a/b*c\n\nUser-agent: *\nDisallow: /x$\n'),
    secondReader,
  )
  assert.ok(decisions > 10)
  assert.equal(declined, null)
  assert.deepEqual(differences, [])
})

test('a reader that is simply wrong is not explained away', () => {
  const contrary: RobotsReader = {
    name: 'contrary',
    version: 1,
    answer: (file, token, url) => {
      const answer = firstReader.answer(file, token, url)
      return answer.tag === 'Declined' ? answer : { ...answer, allowed: !answer.allowed }
    },
  }
  const kinds = kindsIn('User-agent: *\nDisallow: /a\n', contrary)
  assert.deepEqual(kinds, new Set(['unexplained', 'robots-txt']))
})

test('a difference names both verdicts with their lines', () => {
  const { differences } = compareReaders(
    bytes('User-agent: *\nDisallow: /x\nUser-agent: SomeBot\n'),
    secondReader,
  )
  assert.deepEqual(differences[0], {
    agent: 'SomeBot',
    url: 'https://origin.example/x',
    allowed: true,
    line: 0,
    second: { allowed: false, line: 2 },
    kinds: ['empty-group'],
  })
})

test('a file the second reader cannot take is said to be declined', () => {
  const heavy = 'User-agent: *\n'.repeat(1_000) + 'Disallow: /a\n'.repeat(1_000)
  const { decisions, declined } = compareReaders(bytes(heavy), secondReader)
  assert.equal(decisions, 0)
  assert.match(declined ?? '', /memory/)
})

test('without repairs a file stays as it is, but for its line ends', () => {
  const robots = '\u00efUser agent: x y\r\n\tDisallow : /a\u00c2\u00a0\r# c\nprose\0'
  assert.equal(
    repaired(bytes(robots), new Set()).toString('latin1'),
    robots.replaceAll(/\r\n|\r/g, '\n'),
  )
})
