import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerRobotsLine } from '../../../src/robots/batch.ts'
import { secondReader } from '../../../src/robots/second-reader.ts'

const question = {
  id: 'q1',
  robots: 'Sitemap: /s.xml\nUser-agent: *\nDisalow: /a\nCrawl-delay: 0.5\n',
  userAgent: 'OurBot',
  url: 'https://a.example/a/b',
}

const answer = (change: object): unknown =>
  answerRobotsLine(JSON.stringify({ ...question, ...change }))

test('a question is answered with verdict, line, group, delay in seconds, sitemaps and issues', () => {
  assert.deepEqual(answer({}), {
    id: 'q1',
    allowed: false,
    line: 3,
    group: ['*'],
    crawlDelay: 0.5,
    sitemaps: ['https://a.example/s.xml'],
    issues: [{ line: 3, code: 'typo' }],
  })
})

test('the file may be base64 or generated', () => {
  const file = { allowed: false, line: 2, group: ['*'], crawlDelay: null, sitemaps: [], issues: [] }
  assert.deepEqual(
    answer({
      robots: undefined,
      robotsB64: Buffer.from('User-agent: *\nDisallow: /a').toString('base64'),
    }),
    { id: 'q1', ...file },
  )
  assert.deepEqual(
    answer({ robots: undefined, robotsGen: ['User-agent: *\n', ['Disallow: /a\n', 1_000], ''] }),
    { id: 'q1', ...file },
  )
})

test('a version after the token is no part of it', () => {
  const robots = 'User-agent: OurBot\nAllow: /\nUser-agent: *\nDisallow: /\n'
  assert.deepEqual(answer({ robots, userAgent: 'OurBot/1.0 (+x)' }), {
    id: 'q1',
    allowed: true,
    line: 2,
    group: ['OurBot'],
    crawlDelay: null,
    sitemaps: [],
    issues: [],
  })
})

for (const [name, change] of [
  ['another origin', { robotsUrl: 'http://a.example/robots.txt' }],
  ['another port', { robotsUrl: 'https://a.example:8443/robots.txt' }],
  ['another host', { robotsUrl: 'https://b.example/robots.txt' }],
  ['no web address', { url: 'mailto:a@a.example' }],
  ['an address that cannot be parsed', { url: 'https://' }],
  ['a robots address that cannot be parsed', { robotsUrl: 'https://' }],
  ['an address too long to be asked for', { url: `https://a.example/${'x'.repeat(9_000)}` }],
] as const) {
  test(`the file must not decide: ${name}`, () => {
    assert.deepEqual(answer(change), {
      id: 'q1',
      allowed: null,
      line: 0,
      group: [],
      crawlDelay: null,
      sitemaps: [],
      issues: [{ line: 3, code: 'typo' }],
    })
  })
}

test('the same origin in another spelling is the same', () => {
  for (const robotsUrl of ['HTTPS://A.EXAMPLE:443/robots.txt', 'https://a.example/elsewhere.txt']) {
    const { allowed } = answer({ robotsUrl }) as { allowed: boolean }
    assert.equal(allowed, false)
  }
})

for (const [name, line, id] of [
  ['not JSON', '{', null],
  ['not an object', '[]', null],
  ['no id', '{"robots":"","userAgent":"x","url":"https://a.example/"}', null],
  ['no address', '{"id":"q2","robots":"","userAgent":"x"}', 'q2'],
  ['no file', '{"id":3,"userAgent":"x","url":"https://a.example/"}', 3],
  [
    'two files',
    '{"id":"q2","robots":"","robotsB64":"","userAgent":"x","url":"https://a.example/"}',
    'q2',
  ],
  ['bad base64', '{"id":"q2","robotsB64":"%%","userAgent":"x","url":"https://a.example/"}', 'q2'],
  [
    'negative count',
    '{"id":"q2","robotsGen":["",["a",-1],""],"userAgent":"x","url":"https://a.example/"}',
    'q2',
  ],
  [
    'endless file',
    '{"id":"q2","robotsGen":["",["a",1e15],""],"userAgent":"x","url":"https://a.example/"}',
    'q2',
  ],
] as const) {
  test(`a bad line answers with what is wrong: ${name}`, () => {
    const {
      id: answered,
      error,
      ...rest
    } = answerRobotsLine(line) as Readonly<Record<string, unknown>>
    assert.equal(answered, id)
    assert.ok(typeof error === 'string' && error.length > 0 && error.length < 300)
    assert.deepEqual(rest, {})
  })
}

test('a second reader answers in the same shape, or says that it declines', () => {
  const robots = 'User-agent: *\nDisallow: /a\nCrawl-delay: 2\n'
  const nothing = { id: 'q1', group: [], sitemaps: [], issues: [] }
  assert.deepEqual(answerRobotsLine(JSON.stringify({ ...question, robots }), secondReader), {
    ...nothing,
    allowed: false,
    line: 2,
    crawlDelay: 2,
  })
  const heavy = 'User-agent: *\n'.repeat(1_000) + 'Disallow: /a\n'.repeat(1_000)
  assert.deepEqual(answerRobotsLine(JSON.stringify({ ...question, robots: heavy }), secondReader), {
    ...nothing,
    allowed: null,
    line: 0,
    crawlDelay: null,
    declined: 'agents times rules would fill its memory',
  })
})
