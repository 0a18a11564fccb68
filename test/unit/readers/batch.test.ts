import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { BATCH_READER_NAMES, batchReader } from '../../../src/readers/batch.ts'

const answer = (reader: string, row: unknown): unknown => {
  const read = batchReader(reader)
  ok(read !== undefined)
  return JSON.parse(JSON.stringify(read(typeof row === 'string' ? row : JSON.stringify(row))))
}

const GOOD = 'ssp.example, 57, RESELLER'
const RECORDS = [{ line: 1, domain: 'ssp.example', account: '57', rel: 'RESELLER' }]
const OK = { state: 'ok', records: RECORDS, variables: [], faults: [] }

test('read ads-txt: text, and bytes under either name', () => {
  const base64 = Buffer.from(GOOD).toString('base64')
  deepEqual(answer('ads-txt', { id: 'a', input: GOOD }), { id: 'a', ...OK })
  deepEqual(answer('ads-txt', { id: 7, inputB64: base64 }), { id: 7, ...OK })
  deepEqual(answer('ads-txt', { id: 'a', input_b64: base64, other: 1 }), { id: 'a', ...OK })
})

test('read ads-txt: the context decides what a variable means', () => {
  const input = `subdomain=a.site.example\ninventorypartnerdomain=p.example\n${GOOD}`
  const variables = (context: object): unknown => {
    const reading = answer('ads-txt', { id: 1, input, ...context }) as {
      variables: readonly { ignored?: true }[]
    }
    return reading.variables.map(({ ignored = false }) => ignored)
  }
  deepEqual(variables({}), [false, false])
  deepEqual(variables({ domain: 'other.example' }), [true, false])
  deepEqual(variables({ file: '/app-ads.txt' }), [true, false])
  deepEqual(variables({ hop: 1 }), [false, true])
})

test('read ads-txt: a chain of answers is judged as a fetch', () => {
  const url = 'https://site.example/ads.txt'
  const fetched = (step: object, more: object = {}) =>
    answer('ads-txt', {
      id: 1,
      input: { domain: 'site.example', file: '/ads.txt', chain: [{ url, ...step }] },
      ...more,
    })
  deepEqual(fetched({ status: 200, type: 'text/plain', body: GOOD }), {
    id: 1,
    state: 'ok',
    faults: [],
  })
  deepEqual(
    fetched({ status: 200, type: 'text/plain', bodyB64: Buffer.from(GOOD).toString('base64') }),
    { id: 1, state: 'ok', faults: [] },
  )
  deepEqual(fetched({ status: 500 }), { id: 1, state: 'keep_last', faults: ['H_STATUS'] })
  deepEqual(fetched({ status: 500 }, { earlierGood: false }), {
    id: 1,
    state: 'unknown',
    faults: ['H_STATUS'],
  })
  deepEqual(fetched({ status: 500 }, { note: 'context: no earlier good fetch' }), {
    id: 1,
    state: 'unknown',
    faults: ['H_STATUS'],
  })
  deepEqual(fetched({ error: 'timeout' }), { id: 1, state: 'keep_last', faults: ['H_TIMEOUT'] })
  deepEqual(fetched({ status: 0 }), { id: 1, state: 'keep_last', faults: ['H_NETWORK'] })
})

test('read sellers-json and read ad-network answer in the shapes of their cases', () => {
  const input = '{"version":"1.0","sellers":[{"seller_id":"1","seller_type":"BOTH","name":"x"}]}'
  deepEqual(answer('sellers-json', { id: 1, input }), {
    id: 1,
    sellers: [{ id: '1', type: 'BOTH', confidential: false, passthrough: false }],
    faults: [],
  })
  const page = '<script src="//monu.delivery/x.js"></script>'
  const network = { id: 1, manager: 'monumetric', hosts: ['monu.delivery'] }
  deepEqual(answer('ad-network', { id: 1, input: page }), network)
  deepEqual(
    answer('ad-network', {
      id: 1,
      inputB64: Buffer.from(page, 'utf16le').toString('base64'),
      contentType: 'text/html; charset=utf-16le',
    }),
    network,
  )
})

test('a line that is not what it should be is answered, not thrown at', () => {
  for (const name of BATCH_READER_NAMES) {
    deepEqual(answer(name, '{"id": 1,'), { id: null, error: 'the line is not JSON' })
    for (const row of [null, 7, [], {}, { input: 'x' }, { id: {}, input: 'x' }]) {
      const { id, error } = answer(name, row) as { id: unknown; error: unknown }
      deepEqual([id, typeof error], [null, 'string'])
    }
    const { id, error } = answer(name, { id: 'kept', input: 7 }) as { id: unknown; error: unknown }
    deepEqual([id, typeof error], ['kept', 'string'])
  }
})

test('an unknown reader is none', () => {
  equal(batchReader('price'), undefined)
})
