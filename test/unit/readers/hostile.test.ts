/**
 * Five megabytes made to be slow. A reader that does quadratic work on one of them takes minutes;
 * the limit only ends such a hang.
 */
import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { readAdNetwork } from '../../../src/readers/ad-network/read.ts'
import { readAdsTxt } from '../../../src/readers/ads-txt/read.ts'
import { readSellersJson } from '../../../src/readers/sellers-json/read.ts'

const HANG = { timeout: 60_000 }
const SIZE = 5_000_000

/** `piece` until the size is reached. */
const fill = (piece: string, size = SIZE): string => piece.repeat(Math.ceil(size / piece.length))
/** As many lines of the longest length that is read whole. */
const longLines = (head: string, piece: string, tail = ''): string =>
  fill(`${head}${fill(piece, 16_000)}${tail}\n`)

const files: Readonly<Record<string, string>> = {
  commas: fill(','),
  'line ends': fill('\r'),
  quotes: fill('"'),
  equals: fill('a='),
  tabs: fill('\t') + 'x',
  blanks: `a${fill(' ')}b`,
  'invisible characters': fill('\u200b'),
  'dotted names': longLines('', 'a.', ',1,DIRECT'),
  'hyphened names': longLines('', 'a-', '.,1,DIRECT'),
  'relations without commas': longLines('', 'x direct'),
  'accounts like placeholders': longLines('a.example,', 'your-', ',DIRECT'),
  'accounts like words': longLines('a.example,', 'account', ',DIRECT'),
  'blanks in the relation': longLines('a.example,1,', ' ', '/,x'),
  'blanks before a relation': longLines('a.example,1', ' ', 'x direct'),
  'glued records': longLines('a.example,1,DIRECT', 'a-', ',x,DIRECT'),
  'a long certificate': longLines('a.example,1,DIRECT,', 'a.', '1,x,DIRECT'),
  'owner with a tail': longLines('OWNERDOMAIN=', ' ,', 'x'),
  'manager with a tail': longLines('MANAGERDOMAIN=a.example,', ' ,', 'x'),
  'percent signs': longLines('a.example,', '%2', ',DIRECT'),
  'one record over and over': fill('a.example,1,DIRECT\n'),
  'one owner over and over': fill('ownerdomain=a.example\n'),
}
for (const [name, text] of Object.entries(files))
  test(`ads.txt of ${name}`, HANG, () => {
    const { records, faults } = readAdsTxt(Buffer.from(text))
    ok(records.length <= 1 && faults.length > 0)
  })

test('ads.txt of 100,000 records', HANG, () => {
  const lines = Array.from({ length: 100_000 }, (_, n) => `a.example,a${n},DIRECT`)
  equal(readAdsTxt(Buffer.from(lines.join('\n'))).records.length, 100_000)
})

const numbered = (piece: (n: number) => string, count: number): string =>
  Array.from({ length: count }, (_, n) => piece(n)).join('')

const pages: Readonly<Record<string, string>> = {
  'nested elements': fill('<div><b><font color=x>'),
  'formatting elements and paragraphs': numbered((n) => `<b a${n}=1><p>`, 200_000),
  'one tag of attributes': `<a ${numbered((n) => `a${n} `, 500_000)}`,
  'one script of attributes': `<script ${numbered((n) => `a${n} `, 500_000)}>`,
  'comments that never end': fill('<!--'),
  'scripts that never end': fill('<script>'),
  'script openings in a script': `<script>${fill('<!--<script>')}`,
  'open angles': fill('<'),
  ampersands: fill('&'),
  'references that never end': fill('&amp'),
  'block comments that never end': `<script>${fill(' /*')}</script>`,
  'block comments in patterns': `<script>${fill('/*')}</script>`,
  'line comments': `<script>${fill(';// x')}</script>`,
  slashes: `<script>${fill('/')}</script>`,
  'escaped slashes': `<script>${fill('\\/')}</script>`,
  'blanks in a script': `<script>${fill(' ')}</script>`,
  'line ends in a script': `<script>${fill('\n')}</script>`,
  'addresses of nobody': `<script>${fill('"//a.b"')}</script>`,
  'names in quotes': `<script>${fill('"a.a')}</script>`,
  'endless address': `<script src="//${fill('a.')}">`,
  'open templates': fill('<template>'),
  'open svg': fill('<svg><title/>'),
}
for (const [name, html] of Object.entries(pages))
  test(`a page of ${name}`, HANG, () => {
    equal(readAdNetwork(html).manager, null)
  })

test('a page of hosts of one network', HANG, () => {
  const hosts = numbered((n) => `"//a${n}.h-bid.com/"`, 250_000)
  const { manager, hosts: found } = readAdNetwork(`<script>${hosts}</script>`)
  equal(manager, 'snigel')
  equal(found.length, 250_000)
})

test('sellers.json of deep nesting, of one id, of one long string', HANG, () => {
  ok(!readSellersJson(Buffer.from(fill('['))).usable)
  ok(!readSellersJson(Buffer.from(fill('{"sellers":'))).usable)
  const entry = '{"seller_id":"1","seller_type":"BOTH","domain":"a.example"},'
  const list = `{"version":"1.0","sellers":[${fill(entry).slice(0, -1)}]}`
  equal(readSellersJson(Buffer.from(list)).sellers.length, Math.ceil(SIZE / entry.length))
  const long = JSON.stringify({ version: '1.0', sellers: [{ seller_id: '1', domain: fill('a.') }] })
  equal(readSellersJson(Buffer.from(long)).sellers.length, 1)
})
