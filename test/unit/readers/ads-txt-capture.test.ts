import { deepEqual, equal } from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { test } from 'node:test'
import { canonicalJson } from '../../../src/kernel/canonical-json.ts'
import { siteOfHost } from '../../../src/kernel/site.ts'
import { parseHttpUrl } from '../../../src/kernel/url.ts'
import { ADS_TXT_READER, readAdsTxtCapture } from '../../../src/readers/ads-txt/capture.ts'
import type { Capture } from '../../../src/readers/reader.ts'
import { right } from '../../support/either.ts'

const HOME = right(parseHttpUrl('https://site.example/ads.txt'))
const GOOD = 'ssp.example, 57, RESELLER\nsubdomain=news.site.example\n'

const capture = (change: Partial<Capture> = {}): Capture => ({
  subject: siteOfHost('site.example'),
  target: HOME,
  url: HOME,
  status: 200,
  headers: [['Content-Type', 'text/plain']],
  truncated: false,
  token: null,
  body: Buffer.from(GOOD),
  ...change,
})

const RECORD = { line: 1, domain: 'ssp.example', account: '57', rel: 'RESELLER' }
const VARIABLE = { line: 2, name: 'SUBDOMAIN', value: 'news.site.example' }
const empty = (state: string, ...codes: readonly string[]) => ({
  state,
  records: [],
  variables: [],
  faults: codes.map((code) => ({ line: 0, code })),
})

test('PR11: a kept file is read with its lines', () => {
  deepEqual(readAdsTxtCapture(capture()), {
    state: 'ok',
    records: [RECORD],
    variables: [VARIABLE],
    faults: [],
  })
})

test('PR11: a compressed body is read as what it holds', () => {
  const { records } = readAdsTxtCapture(
    capture({
      headers: [
        ['content-type', 'text/plain; charset=utf-8'],
        ['content-encoding', 'gzip'],
      ],
      body: gzipSync(GOOD),
    }),
  )
  deepEqual(records, [RECORD])
})

test('A10: a body that cannot be decoded keeps the last good data', () => {
  const headers: Capture['headers'] = [
    ['content-type', 'text/plain'],
    ['content-encoding', 'gzip'],
  ]
  deepEqual(readAdsTxtCapture(capture({ headers })), empty('keep_last', 'H_ENCODING'))
  deepEqual(readAdsTxtCapture(capture({ headers, status: 404 })), empty('none', 'H_404'))
})

test('A8, A9, A10: states without a file', () => {
  deepEqual(readAdsTxtCapture(capture({ status: 404 })), empty('none', 'H_404'))
  deepEqual(readAdsTxtCapture(capture({ status: 401 })), empty('keep_last', 'H_401'))
  deepEqual(readAdsTxtCapture(capture({ status: 503 })), empty('keep_last', 'H_STATUS'))
  deepEqual(readAdsTxtCapture(capture({ status: 302 })), empty('keep_last', 'H_REDIRECT_REFUSED'))
})

test('A11: under a wrong type the body is a hint and never a fact', () => {
  deepEqual(readAdsTxtCapture(capture({ headers: [['content-type', 'text/html']] })), {
    ...empty('keep_last', 'H_CONTENT_TYPE'),
    hint: { records: 1, variables: 1, faults: 0 },
  })
})

test('A12: a soft 404 has no hint', () => {
  deepEqual(
    readAdsTxtCapture(
      capture({ headers: [['content-type', 'text/html']], body: Buffer.from('<!doctype html>') }),
    ),
    empty('keep_last', 'H_CONTENT_TYPE', 'F_HTML'),
  )
})

test('a file cut off at the size limit proves nothing about what is not in it', () => {
  deepEqual(readAdsTxtCapture(capture({ truncated: true })), {
    ...empty('keep_last', 'H_TRUNCATED'),
    hint: { records: 1, variables: 1, faults: 0 },
  })
})

test('D5: the site of the capture is the domain that SUBDOMAIN is judged by', () => {
  const { variables } = readAdsTxtCapture(capture({ subject: siteOfHost('other.example') }))
  deepEqual(variables, [{ ...VARIABLE, ignored: true }])
  const target = right(parseHttpUrl('https://site.example/app-ads.txt'))
  deepEqual(readAdsTxtCapture(capture({ target })).faults, [
    { line: 2, code: 'V_SUBDOMAIN_IN_APPADS' },
  ])
})

test('a reading is canonical JSON', () => {
  equal(ADS_TXT_READER.name, 'ads-txt')
  equal(
    canonicalJson(ADS_TXT_READER.read(capture({ body: Buffer.from('a=b\nssp.example,1,DIRECT') }))),
    '{"faults":[{"code":"V_UNKNOWN","line":1}],"records":[{"account":"1","domain":"ssp.example","line":2,"rel":"DIRECT"}],"state":"ok","variables":[{"line":1,"name":"A","value":"b"}]}',
  )
})
