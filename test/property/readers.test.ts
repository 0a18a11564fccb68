import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalJson, type Json } from '../../src/kernel/canonical-json.ts'
import { siteOfHost } from '../../src/kernel/site.ts'
import { parseHttpUrl } from '../../src/kernel/url.ts'
import { readAdNetwork, readAdNetworkBytes } from '../../src/readers/ad-network/read.ts'
import type { AdsTxtFault } from '../../src/readers/ads-txt/fault.ts'
import { judgeAdsTxtFetch, type FetchStep } from '../../src/readers/ads-txt/fetch.ts'
import { readAdsTxt, type AdsTxtReading } from '../../src/readers/ads-txt/read.ts'
import type { AdsTxtRecord } from '../../src/readers/ads-txt/record.ts'
import { BATCH_READER_NAMES, batchReader } from '../../src/readers/batch.ts'
import { readChange } from '../../src/readers/change/read.ts'
import { READERS } from '../../src/readers/index.ts'
import { publishersOf } from '../../src/readers/sellers-json/publishers.ts'
import { readSellersJson } from '../../src/readers/sellers-json/read.ts'
import { anyText } from '../support/arbitraries/kernel.ts'
import { right } from '../support/either.ts'
import { fc } from '../support/property.ts'

const anyBytes = fc.uint8Array({ maxLength: 400 })

/** Pieces of which real files, broken files and pages are made. */
const anyPiece = fc.constantFrom(
  'ssp.example',
  'google.com',
  'www.a.example',
  'pub-1234567890123456',
  '57',
  'aB',
  'DIRECT',
  'RESELLER',
  'reseller',
  ',',
  ', ',
  ';',
  '|',
  '\t',
  ' ',
  '#',
  '=',
  '%',
  '%2C',
  '"',
  '“',
  '，',
  '\u00a0',
  '\u200b',
  '\ufeff',
  '\u0000',
  '\ud800',
  '//',
  '--',
  '<',
  '>',
  '<html>',
  '</script>',
  'MANAGERDOMAIN',
  'ownerdomain',
  'subdomain',
  'contact',
  'x.example',
  ', DE',
  ', UK',
  '/*',
  'placeholder.example.com, placeholder, DIRECT',
  '<script src="//monu.delivery/a">',
  '<!--',
  '<script>',
  '//a.pub.network/',
  '\\/',
  '<svg>',
  '<template>',
  '{"sellers":[',
  '"seller_id":',
)
const anyMess = fc
  .array(fc.oneof(anyPiece, fc.constantFrom('\n', '\r\n', '\r'), anyText(6)), { maxLength: 40 })
  .map((pieces) => pieces.join(''))

const anyAccount = fc.stringMatching(/^[A-Za-z0-9]{4,12}$/)
const anyRecord = fc.record({
  domain: fc.constantFrom('a.example', 'b.example', 'video.c.example'),
  account: anyAccount,
  rel: fc.constantFrom('DIRECT', 'RESELLER'),
})
const anyRecords = fc.array(anyRecord, { minLength: 1, maxLength: 20 })
type Written = { readonly domain: string; readonly account: string; readonly rel: string }
const written = ({ domain, account, rel }: Written): string => `${domain}, ${account}, ${rel}`

const read = (text: string): AdsTxtReading => readAdsTxt(Buffer.from(text))
const authorised = ({ records }: Pick<AdsTxtReading, 'records'>): readonly string[] =>
  records.map(({ domain, account, rel }) => written({ domain, account, rel })).sort()
const withoutLines = (items: readonly (AdsTxtRecord | AdsTxtFault)[]): readonly object[] =>
  items.map((item) => ({ ...item, line: 0 }))

const HOME = right(parseHttpUrl('https://site.example/ads.txt'))
const capture = (body: Uint8Array, status: number, type: string) => ({
  subject: siteOfHost('site.example'),
  target: HOME,
  url: HOME,
  status,
  headers: [['content-type', type]] as const,
  truncated: false,
  token: null,
  body: Buffer.from(body),
})

const anyBody = fc.oneof(
  anyBytes,
  anyMess.map((text) => Buffer.from(text, 'utf8')),
  anyMess.map((text) => Buffer.from(text, 'latin1')),
  anyMess.map((text) => Buffer.from(`\ufeff${text}`, 'utf16le')),
)

test('every reader reads any bytes under any status, and the reading is canonical JSON', () => {
  const anyType = fc.constantFrom('text/plain', 'text/html; charset=utf-16', 'x', '')
  fc.assert(
    fc.property(anyBody, fc.integer({ min: 100, max: 599 }), anyType, (body, status, type) => {
      for (const { read } of READERS)
        ok(
          canonicalJson(
            read({ ...capture(body, status, type), headers: [['content-type', type]] }),
          ),
        )
    }),
  )
})

test('the batch readers answer any line', () => {
  const anyInput = fc.oneof(anyMess, fc.jsonValue() as fc.Arbitrary<Json>)
  const anyLine = fc.oneof(
    anyMess,
    fc.record({ id: fc.integer(), input: anyInput }).map((row) => JSON.stringify(row)),
  )
  fc.assert(
    fc.property(anyLine, fc.constantFrom(...BATCH_READER_NAMES), (line, name) => {
      const answer = batchReader(name)?.(line)
      ok(answer !== undefined && 'id' in answer)
    }),
  )
})

test('ads.txt: every line named is a line of the file, and lines are read in order', () => {
  fc.assert(
    fc.property(anyMess, (text) => {
      const { records, variables, faults } = read(text)
      const last = text.split(/\r\n|\r|\n/).length
      for (const { line, of = 1 } of faults) ok(line >= 0 && line <= last && of >= 1 && of <= last)
      for (const { line } of [...records, ...variables]) ok(line >= 1 && line <= last)
      const numbers = records.map(({ line }) => line)
      deepEqual(
        numbers,
        numbers.toSorted((a, b) => a - b),
      )
    }),
  )
})

test('C3: what is written in order is read back to the letter', () => {
  fc.assert(
    fc.property(anyRecords, (records) => {
      const unique = [...new Set(records.map(written))]
      deepEqual(authorised(read(unique.join('\n'))), unique.toSorted())
    }),
  )
})

test('C6: saying records again adds no record', () => {
  fc.assert(
    fc.property(anyRecords, (records) => {
      const once = records.map(written)
      const again = read([...once, ...once].join('\n'))
      deepEqual(authorised(again), authorised(read(once.join('\n'))))
      equal(
        again.faults.filter(({ code }) => code === 'L_DUPLICATE').length,
        2 * once.length - again.records.length,
      )
    }),
  )
})

test('B2, B3: comments, blank lines and line ends change no record and no fault', () => {
  const anyNoise = fc.array(fc.constantFrom('', '# note, with, commas', '  \t'), { maxLength: 3 })
  fc.assert(
    fc.property(
      fc.array(fc.oneof(anyRecord.map(written), fc.constantFrom('bad line', 'a.example, 1')), {
        minLength: 1,
        maxLength: 10,
      }),
      anyNoise,
      fc.constantFrom('\n', '\r', '\r\n'),
      (lines, noise, end) => {
        const plain = read(lines.join('\n'))
        const noisy = read(lines.flatMap((line) => [...noise, `${line} # why`]).join(end))
        deepEqual(withoutLines(noisy.records), withoutLines(plain.records))
        deepEqual(
          noisy.faults.map(({ code }) => code),
          plain.faults.map(({ code }) => code),
        )
      },
    ),
  )
})

test('two files one after the other authorise whom either of them authorises', () => {
  fc.assert(
    fc.property(anyRecords, anyRecords, (first, second) => {
      const [a, b] = [first.map(written).join('\n'), second.map(written).join('\n')]
      const both = new Set([...authorised(read(a)), ...authorised(read(b))])
      deepEqual(authorised(read(`${a}\n${b}`)), [...both].sort())
    }),
  )
})

test('a reading does not depend on what was read before', () => {
  fc.assert(
    fc.property(anyMess, anyMess, (text, other) => {
      const reading = read(text)
      const page = readAdNetwork(text)
      read(other)
      readAdNetwork(other)
      deepEqual(read(text), reading)
      deepEqual(readAdNetwork(text), page)
    }),
  )
})

test('A5: whoever redirects on from outside the root domain is never believed', () => {
  const anyHost = fc.constantFrom('site.example', 'www.site.example', 'one.test', 'two.test')
  fc.assert(
    fc.property(fc.array(anyHost, { minLength: 1, maxLength: 7 }), (hosts) => {
      const urls = ['site.example', ...hosts].map((host, n) => `https://${host}/ads.txt?${n}`)
      const chain = urls.map((url, n): FetchStep =>
        n === urls.length - 1
          ? { url, status: 200, type: 'text/plain', body: Buffer.from('a.example,1,DIRECT') }
          : { url, status: 302, location: urls[n + 1] ?? '' },
      )
      const outside = hosts.slice(0, -1).some((host) => !host.endsWith('site.example'))
      const { state } = judgeAdsTxtFetch(chain, { domain: 'site.example' })
      equal(state, outside || hosts.length > 5 ? 'keep_last' : 'ok')
    }),
  )
})

test('PR17: a file compared with itself is no news, and news is told both ways', () => {
  fc.assert(
    fc.property(anyMess, anyMess, (before, after) => {
      deepEqual(readChange(before, before), { bytesChanged: false, events: [] })
      const [there, back] = [readChange(before, after), readChange(after, before)]
      equal(there.events.length === 0, back.events.length === 0)
    }),
  )
})

const anySeller = fc.record(
  {
    seller_id: fc.oneof(anyAccount, fc.integer(), fc.constant(null)),
    seller_type: fc.constantFrom('PUBLISHER', 'Both', 'INTERMEDIARY', 'x', 7),
    domain: fc.constantFrom('a.example', 'www.a.example', 'https://a.example', 'A Ltd', 7),
    name: fc.constantFrom('A', '', null),
    is_confidential: fc.constantFrom(0, 1, true, 'no'),
  },
  { requiredKeys: [], noNullPrototype: true },
)

test('PR16: every entry is a naming, left out and counted, or a fault; and is named by its place', () => {
  fc.assert(
    fc.property(fc.array(anySeller, { maxLength: 30 }), (sellers) => {
      const reading = readSellersJson(Buffer.from(JSON.stringify({ version: '1.0', sellers })))
      const { publishers, leftOut } = publishersOf(reading)
      const namings = publishers.flatMap((publisher) => publisher.namings)
      const omitted = Object.values(leftOut).reduce((sum, count) => sum + count, 0)
      equal(namings.length + omitted, reading.sellers.length)
      for (const { index, sellerId } of namings) equal(String(sellers[index]?.seller_id), sellerId)
      const unread = reading.faults.filter(({ code }) => /^S_(ID_(MISSING|INVALID))$/.test(code))
      const lost = unread.reduce((sum, { count }) => sum + count, 0)
      equal(reading.sellers.length + lost, sellers.length)
    }),
  )
})

test('nw: page text around a tag changes nothing, and inside a comment the tag does', () => {
  const tag = '<script src="//monu.delivery/x.js"></script>'
  const anyWords = fc.stringMatching(/^[A-Za-z0-9 .,&;!?()/:-]{0,30}$/)
  fc.assert(
    fc.property(anyWords, anyWords, (before, after) => {
      const words = `${before}<p>${after}</p>`
      deepEqual(readAdNetwork(words + tag + words), readAdNetwork(tag))
      deepEqual(readAdNetworkBytes(Buffer.from(words + tag)), readAdNetwork(tag))
      equal(readAdNetwork(`<!-- ${after.replaceAll('-', '')}${tag} -->${words}`).manager, null)
    }),
  )
})
