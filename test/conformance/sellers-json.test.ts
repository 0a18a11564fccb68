/** sellers.json 1.0, rule by rule. */
import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { SELLERS_JSON_FAULTS } from '../../src/readers/sellers-json/fault.ts'
import { readSellersJson } from '../../src/readers/sellers-json/read.ts'

type Entry = { readonly [key: string]: unknown }

const SELLER: Entry = {
  seller_id: '1',
  name: 'Site Ltd',
  domain: 'site.example',
  seller_type: 'PUBLISHER',
}
const READ = {
  index: 0,
  id: '1',
  type: 'PUBLISHER',
  domain: 'site.example',
  domainText: 'site.example',
  named: true,
  confidential: false,
  passthrough: false,
}

const read = (input: unknown) => readSellersJson(Buffer.from(JSON.stringify(input)))
const codes = (input: unknown): readonly string[] => read(input).faults.map(({ code }) => code)
const list = (...sellers: readonly unknown[]) => ({ version: '1.0', sellers })
/** What one entry, changed so, is read as. */
const entry = (change: Entry) => {
  const { sellers, faults } = read(list({ ...SELLER, ...change }))
  return { seller: sellers[0], faults: faults.map(({ code }) => code) }
}

test('F1: an ordinary entry', () => {
  deepEqual(read(list(SELLER)), { usable: true, sellers: [READ], faults: [] })
})

test('F1: what is not JSON gives nothing', () => {
  for (const text of ['', '<html>', '{"version":"1.0","sellers":[', '"a": 1', '{"sellers":[],}'])
    deepEqual(readSellersJson(Buffer.from(text)), {
      usable: false,
      sellers: [],
      faults: [{ code: 'S_INVALID_JSON', count: 1, first: [] }],
    })
})

test('F1: bytes that are no text give nothing, and say so once', () => {
  deepEqual(readSellersJson(Buffer.alloc(64)).faults, [
    { code: 'S_INVALID_JSON', count: 1, first: [] },
  ])
})

test('F1: a byte-order mark is taken off and noted', () => {
  const { usable, faults } = readSellersJson(Buffer.from(`\uFEFF${JSON.stringify(list(SELLER))}`))
  deepEqual([usable, faults.map(({ code }) => code)], [true, ['S_BOM']])
})

test('F2: without a list of sellers the file gives nothing', () => {
  for (const input of [{}, SELLER, [SELLER], null, 7, 'text', { version: '1.0', sellers: null }]) {
    const { usable, faults } = read(input)
    deepEqual([usable, faults.map(({ code }) => code)], [false, ['S_SELLERS_MISSING']])
  }
  deepEqual(codes({ version: '1.0', sellers: {} }), ['S_SELLERS_NOT_ARRAY'])
  deepEqual(codes({ sellerId: '1', sellerType: 'PUBLISHER' }), ['S_SELLERS_MISSING'])
})

test('F2: an empty list is a list, and doubtful', () => {
  deepEqual(read(list()), {
    usable: true,
    sellers: [],
    faults: [{ code: 'S_SELLERS_EMPTY', count: 1, first: [] }],
  })
})

test('F3: version is a required string', () => {
  deepEqual(codes({ sellers: [SELLER] }), ['S_VERSION_MISSING'])
  deepEqual(codes({ version: 1, sellers: [SELLER] }), ['S_VERSION_NOT_STRING'])
  deepEqual(codes({ version: '1.2', sellers: [SELLER] }), ['S_VERSION_UNKNOWN'])
  deepEqual(codes({ version: '1.1', sellers: [SELLER] }), [])
})

test('F4: seller_id is an exact string', () => {
  deepEqual(entry({ seller_id: '0007a' }), { seller: { ...READ, id: '0007a' }, faults: [] })
  deepEqual(entry({ seller_id: 7 }), { seller: { ...READ, id: '7' }, faults: ['S_ID_NOT_STRING'] })
  for (const missing of [undefined, null, '', '  '])
    deepEqual(entry({ seller_id: missing }), { seller: undefined, faults: ['S_ID_MISSING'] })
  for (const lost of [1.5, true, [], 2 ** 63])
    deepEqual(entry({ seller_id: lost }), { seller: undefined, faults: ['S_ID_INVALID'] })
})

test('F4: half a character is replaced: every text of a reading has a UTF-8 form', () => {
  const text =
    '{"version":"1.0","sellers":[{"seller_id":"a\\ud800","seller_type":"BOTH","name":"x"}]}'
  equal(readSellersJson(Buffer.from(text)).sellers[0]?.id, 'a\ufffd')
})

test('F4: keys in camelCase are not accepted, and named', () => {
  deepEqual(codes(list({ sellerId: '1', sellerType: 'PUBLISHER', name: 'x' })), ['S_KEY_CAMELCASE'])
})

test('F4: one id must be one entity; several ids for one entity are fine', () => {
  deepEqual(read(list(SELLER, { ...SELLER, name: 'Other' }, SELLER)).faults, [
    { code: 'S_ID_DUPLICATE', count: 2, first: [1, 2] },
  ])
  deepEqual(codes(list(SELLER, { ...SELLER, seller_id: '2' })), [])
})

test('F5: seller_type in any case', () => {
  for (const type of ['Publisher', 'publisher ', 'PUBLISHER'])
    deepEqual(entry({ seller_type: type }), { seller: READ, faults: [] })
  const { type: _, ...untyped } = READ
  deepEqual(entry({ seller_type: undefined }), { seller: untyped, faults: ['S_TYPE_MISSING'] })
  deepEqual(entry({ seller_type: 'RESELLER' }), { seller: untyped, faults: ['S_TYPE_INVALID'] })
})

test('F6: flags are 0 or 1, and confidential is the safer reading', () => {
  deepEqual(entry({ is_confidential: 0, is_passthrough: 1 }), {
    seller: { ...READ, passthrough: true },
    faults: [],
  })
  for (const [flag, meant] of [
    [true, true],
    ['1', true],
    ['Yes', true],
    [false, false],
    ['0', false],
    [null, false],
    [2, false],
  ])
    deepEqual(entry({ is_confidential: flag }), {
      seller: { ...READ, confidential: meant },
      faults: ['S_FLAG_NOT_INTEGER'],
    })
})

test('F7: a name is required unless confidential', () => {
  deepEqual(entry({ name: ' ' }).faults, ['S_NAME_MISSING'])
  deepEqual(read(list({ seller_id: '1', seller_type: 'BOTH', is_confidential: 1 })).faults, [])
})

test('F8: a domain is a root domain; it may be missing', () => {
  const { domain: _, domainText: __, ...bare } = READ
  deepEqual(entry({ domain: undefined }), { seller: bare, faults: [] })
  deepEqual(entry({ domain: ' Site.Example. ' }).seller, { ...READ, domainText: ' Site.Example. ' })
  for (const [domain, fault] of [
    ['https://site.example', 'S_DOMAIN_IS_URL'],
    ['site.example/news', 'S_DOMAIN_IS_URL'],
    ['Site Media Inc', 'S_DOMAIN_INVALID'],
    ['localhost', 'S_DOMAIN_INVALID'],
    ['192.0.2.1', 'S_DOMAIN_INVALID'],
    ['co.uk', 'S_DOMAIN_INVALID'],
  ])
    deepEqual(entry({ domain }), { seller: { ...bare, domainText: domain }, faults: [fault] })
  deepEqual(entry({ domain: ['site.example'] }), { seller: bare, faults: ['S_DOMAIN_INVALID'] })
  deepEqual(entry({ domain: 'www.site.example' }).faults, ['S_DOMAIN_NOT_ROOT'])
  deepEqual(entry({ domain: 'name.blogspot.com' }).faults, [])
})

test('F9: one broken entry costs only itself', () => {
  const { sellers, faults } = read(list(null, 'x', [], SELLER))
  deepEqual(sellers, [{ ...READ, index: 3 }])
  deepEqual(faults, [{ code: 'S_SELLER_INVALID', count: 3, first: [0, 1, 2] }])
})

test('F9: faults are counted in bounded room', () => {
  const { faults } = read(
    list(...Array.from({ length: 50 }, (_, n) => ({ ...SELLER, seller_id: n }))),
  )
  deepEqual(faults, [{ code: 'S_ID_NOT_STRING', count: 50, first: [0, 1, 2, 3, 4] }])
})

test('F9: a large file is read whole', () => {
  const sellers = Array.from({ length: 200_000 }, (_, n) => ({ ...SELLER, seller_id: `${n}` }))
  equal(read({ version: '1.0', sellers }).sellers.length, 200_000)
})

test('every fault has a severity and a sentence', () => {
  for (const [code, { severity, says }] of Object.entries(SELLERS_JSON_FAULTS)) {
    equal(/^S_[A-Z0-9_]+$/.test(code), true, code)
    equal(['error', 'warning', 'info'].includes(severity), true, code)
    equal(says.endsWith('.'), true, code)
  }
})
