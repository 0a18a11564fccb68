import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHttpUrl } from '../../../src/kernel/url.ts'
import { firstReader, ROBOTS_READER, ROBOTS_READER_LABEL } from '../../../src/robots/reader.ts'
import { secondReader } from '../../../src/robots/second-reader.ts'
import { right } from '../../support/either.ts'

const urlOf = (path: string) => right(parseHttpUrl(`https://a.example:8443${path}`))
const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')

test('both readers answer by the same shape, with line and delay', () => {
  const robots = bytes('User-agent: *\nCrawl-delay: 1.5\nDisallow: /a\n')
  for (const reader of [firstReader, secondReader]) {
    assert.deepEqual(reader.answer(robots, 'OurBot', urlOf('/a/b')), {
      tag: 'Decided',
      allowed: false,
      line: 3,
      crawlDelayMs: 1_500,
    })
    assert.deepEqual(reader.answer(bytes(''), 'OurBot', urlOf('/')), {
      tag: 'Decided',
      allowed: true,
      line: 0,
      crawlDelayMs: null,
    })
  }
  assert.equal(`${ROBOTS_READER.name}@${ROBOTS_READER.version}`, ROBOTS_READER_LABEL)
})

test('the second reader is as it is: a Crawl-delay splits its groups (PK8 is ours to keep)', () => {
  const robots = bytes('User-agent: OurBot\nCrawl-delay: 5\nUser-agent: b\nDisallow: /\n')
  const allowed = [firstReader, secondReader].map((reader) => {
    const answer = reader.answer(robots, 'OurBot', urlOf('/'))
    return answer.tag === 'Decided' && answer.allowed
  })
  assert.deepEqual(allowed, [false, true])
})

for (const [name, robots, path] of [
  ['longer than 512,000 bytes', '#'.repeat(512_001), '/'],
  ['one line too long', `User-agent: *\nDisallow: /${'*'.repeat(20_000)}\n`, '/'],
  ['agents times rules', 'User-agent: *\n'.repeat(1_000) + 'Disallow: /a\n'.repeat(1_000), '/'],
  [
    'many distinct agents times rules',
    Array.from({ length: 1_000 }, (_, i) => `User-agent: a${i}\n`).join('') +
      'Disallow: /a\n'.repeat(1_000),
    '/',
  ],
  [
    'agents times Crawl-delay lines',
    'User-agent: *\n'.repeat(1_000) + 'Crawl-delay: 1\n'.repeat(1_000),
    '/',
  ],
  [
    'stars against a long address',
    `User-agent: *\n${`Disallow: /${'*a'.repeat(500)}b\n`.repeat(490)}`,
    `/${'a'.repeat(2_000)}`,
  ],
] as const) {
  test(`the second reader declines what would exhaust it: ${name}`, () => {
    assert.equal(secondReader.answer(bytes(robots), 'OurBot', urlOf(path)).tag, 'Declined')
  })
}

test('the second reader takes large but ordinary files', () => {
  const groups = Array.from(
    { length: 400 },
    (_, i) => `User-agent: bot-${i}\nDisallow: /a${i}/\nDisallow: /*b${i}\n`,
  )
  assert.equal(secondReader.answer(bytes(groups.join('\n')), 'OurBot', urlOf('/x')).tag, 'Decided')
})

test('delays that are no delays are left out', () => {
  for (const delay of ['-5', 'Infinity', 'x']) {
    const answer = secondReader.answer(
      bytes(`User-agent: *\nCrawl-delay: ${delay}`),
      'x',
      urlOf('/'),
    )
    assert.equal(answer.tag === 'Decided' && answer.crawlDelayMs, null, delay)
  }
})
