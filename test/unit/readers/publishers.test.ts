import { deepEqual, equal } from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { test } from 'node:test'
import type { Header } from '../../../src/kernel/words.ts'
import { readSellersCapture } from '../../../src/readers/sellers-json/capture.ts'
import { publishersOf } from '../../../src/readers/sellers-json/publishers.ts'
import { readSellersJson } from '../../../src/readers/sellers-json/read.ts'

const seller = (seller_id: string, domain: string | undefined, more: object = {}) => ({
  seller_id,
  name: 'Name',
  domain,
  seller_type: 'PUBLISHER',
  ...more,
})
const bytes = (...sellers: readonly object[]): Buffer =>
  Buffer.from(JSON.stringify({ version: '1.0', sellers }))
const publishers = (...sellers: readonly object[]) =>
  publishersOf(readSellersJson(bytes(...sellers)))
const NOBODY = { confidential: 0, intermediary: 0, 'no-type': 0, 'no-domain': 0, 'id-too-long': 0 }

test('PR16: every site is traced to the entries that name it, in file order', () => {
  deepEqual(
    publishers(
      seller('1', 'b.example'),
      seller('2', 'a.example', { seller_type: 'Both' }),
      seller('3', 'WWW.B.example'),
      seller('1', 'name.github.io'),
    ),
    {
      publishers: [
        {
          site: 'b.example',
          namings: [
            { index: 0, sellerId: '1', domain: 'b.example' },
            { index: 2, sellerId: '3', domain: 'www.b.example' },
          ],
        },
        { site: 'a.example', namings: [{ index: 1, sellerId: '2', domain: 'a.example' }] },
        {
          site: 'name.github.io',
          namings: [{ index: 3, sellerId: '1', domain: 'name.github.io' }],
        },
      ],
      leftOut: NOBODY,
    },
  )
})

test('PR16: who is no publisher with a site is left out, and counted by why', () => {
  deepEqual(
    publishers(
      seller('1', 'a.example', { is_confidential: 1 }),
      seller('2', 'a.example', { seller_type: 'INTERMEDIARY' }),
      seller('3', 'a.example', { seller_type: 'NETWORK' }),
      seller('4', undefined),
      seller('5', 'Media Group Inc'),
      seller('6'.repeat(300), 'a.example'),
    ),
    {
      publishers: [],
      leftOut: { confidential: 1, intermediary: 1, 'no-type': 1, 'no-domain': 2, 'id-too-long': 1 },
    },
  )
})

const captured = (
  status: number,
  body: Buffer,
  headers: readonly Header[] = [],
  truncated = false,
) => readSellersCapture({ status, headers, truncated, body })

test('PR16: a kept list is read through its content coding, whatever its type', () => {
  const reading = captured(200, gzipSync(bytes(seller('1', 'a.example'))), [
    ['content-encoding', 'gzip'],
    ['content-type', 'text/plain'],
  ])
  equal(reading.state, 'ok')
  equal(publishersOf(reading).publishers.length, 1)
})

test('PR16: an error, a cut file and a broken file keep the last good list', () => {
  const good = bytes(seller('1', 'a.example'))
  const code = (reading: ReturnType<typeof captured>) => [
    reading.state,
    reading.sellers.length,
    ...reading.faults.map((fault) => fault.code),
  ]
  deepEqual(code(captured(404, good)), ['keep_last', 0, 'H_STATUS'])
  deepEqual(code(captured(503, good)), ['keep_last', 0, 'H_STATUS'])
  deepEqual(code(captured(200, good, [], true)), ['keep_last', 0, 'H_TRUNCATED'])
  deepEqual(code(captured(200, good, [['content-encoding', 'gzip']])), [
    'keep_last',
    0,
    'H_ENCODING',
  ])
  deepEqual(code(captured(200, Buffer.from('<html>'))), ['keep_last', 0, 'S_INVALID_JSON'])
  deepEqual(code(captured(200, Buffer.from('{}'))), ['keep_last', 0, 'S_SELLERS_MISSING'])
})
