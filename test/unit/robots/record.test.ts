import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LINE_OCTETS_MAX, readLine } from '../../../src/robots/record.ts'

const said = (line: string): readonly string[] =>
  readLine(line).records.map(({ kind, value }) => `${kind}=${value}`)

for (const [line, records, issues] of [
  ['User-agent: OurBot', ['agent=OurBot'], []],
  [' disallow\t:\t/a b # c', ['disallow=/a b'], []],
  ['Allow:', ['allow='], []],
  ['Sitemap: https://x.example/a:b', ['sitemap=https://x.example/a:b'], []],
  ['Crawl-delay: 3', ['crawl-delay=3'], []],
  ['Host: x.example', ['other=x.example'], []],
  ['Hots: x.example', ['other=x.example'], ['unknown-key']],
  [': /a', ['other=/a'], ['unknown-key']],
  ['', [], []],
  [' \t # only', [], []],
  ['prose', [], ['no-record']],
  ['two words', [], ['no-record']],
  ['Disallow /a', ['disallow=/a'], ['missing-colon']],
  ['Allow /a', [], ['missing-colon']],
  ['Disallow /a /b', [], ['no-record']],
  ['Disalow: /a', ['disallow=/a'], ['typo']],
  ['Alow: /a', ['other=/a'], ['unknown-key']],
  ['Disallow: /a\0b', ['disallow=/a'], ['nul']],
  ['Allow: /a\0b', [], ['nul']],
  ['\0', [], ['nul']],
  ['User-agent: * Disallow: /', ['agent=*', 'disallow=/'], ['one-line']],
  ['useragent: a Allow: /b', ['agent=a', 'allow=/b'], ['typo', 'one-line']],
  ['User-agent: User-agent: a', ['agent=', 'agent=a'], ['one-line']],
  ['User-agent: aDisallow: /b', ['agent=a', 'disallow=/b'], ['one-line']],
  ['User-agent: adisallow: /b', ['agent=adisallow: /b'], []],
  ['User-agent: ABCDisallow: /b', ['agent=ABCDisallow: /b'], []],
] as const) {
  test(`the line ${JSON.stringify(line)} says ${JSON.stringify(records)}`, () => {
    assert.deepEqual(said(line), records)
    assert.deepEqual(readLine(line).issues, issues)
  })
}

test('a line counts up to its limit, its comment left off', () => {
  const longest = `Disallow: /${'x'.repeat(LINE_OCTETS_MAX - 11)}`
  assert.deepEqual(readLine(longest).issues, [])
  assert.deepEqual(readLine(`${longest} # and so on`).issues, [])
  assert.deepEqual(readLine(`${longest}y`).issues, ['too-long'])
  assert.equal(readLine(`${longest}y`).records[0]?.text, longest)
})

test('a record keeps its text as it stands', () => {
  assert.equal(readLine('  Disallow :  /a  # b').records[0]?.text, 'Disallow :  /a')
  assert.deepEqual(
    readLine('User-agent: a Disallow: /b').records.map(({ text }) => text),
    ['User-agent: a', 'Disallow: /b'],
  )
})
