/** ads.txt 1.1 and app-ads.txt 1.0, rule by rule; the letters are those of docs/decisions/0020. */
import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { ADS_TXT_FAULTS } from '../../src/readers/ads-txt/fault.ts'
import { FAULTS_MAX, LINES_MAX } from '../../src/readers/ads-txt/read.ts'
import { lineSays, said } from '../support/ads-txt-said.ts'

const GOOD = 'ssp.example, 57, RESELLER'

/** Each line alone, with what it is read as. */
const lines = (name: string, table: readonly (readonly [string, ...string[]])[]): void => {
  for (const [line, ...expected] of table)
    test(`${name}: ${JSON.stringify(line)}`, () => deepEqual(lineSays(line), expected))
}

test('B1 §3.1: a byte-order mark is taken off and noted', () => {
  deepEqual(said(`\uFEFF${GOOD}`), {
    state: 'ok',
    records: ['1 ssp.example 57 RESELLER'],
    variables: [],
    faults: ['0 F_BOM'],
  })
})

for (const [name, bytes] of [
  ['little-endian with its mark', Buffer.from(`\uFEFF${GOOD}\r\n`, 'utf16le')],
  ['little-endian without a mark', Buffer.from(GOOD, 'utf16le')],
  ['big-endian with its mark', Buffer.from(`\uFEFF${GOOD}`, 'utf16le').swap16()],
  ['big-endian without a mark', Buffer.from(GOOD, 'utf16le').swap16()],
] as const)
  test(`B1: UTF-16 is read and noted: ${name}`, () => {
    const { records, faults } = said(bytes)
    deepEqual([records, faults], [['1 ssp.example 57 RESELLER'], ['0 F_UTF16']])
  })

test('B1: what is not UTF-8 is read as windows-1252 and noted', () => {
  const bytes = Buffer.from(`contact=Ren\xe9e \x96 \x93desk\x94\n${GOOD}`, 'latin1')
  const { variables, faults } = said(bytes)
  deepEqual([variables, faults], [['1 CONTACT=Renée – “desk”'], ['0 F_NOT_UTF8']])
})

test('B1: a byte-order mark in the middle of a file is an invisible character', () => {
  deepEqual(said(`${GOOD}\n\uFEFFother.example, 1, DIRECT`), {
    state: 'ok',
    records: ['1 ssp.example 57 RESELLER', '2 other.example 1 DIRECT ~'],
    variables: [],
    faults: ['2 L_INVISIBLE'],
  })
})

test('B2 §5.3: CR, LF and CRLF each end a line, mixed as they come', () => {
  const { records } = said(
    'a.example,1,DIRECT\rb.example,1,DIRECT\r\nc.example,1,DIRECT\n\rd.example,1,DIRECT',
  )
  deepEqual(
    records.map((record) => record.split(' ').slice(0, 2)),
    [
      ['1', 'a.example'],
      ['2', 'b.example'],
      ['3', 'c.example'],
      ['5', 'd.example'],
    ],
  )
})

lines('B3 §3.4.1: # begins a comment anywhere', [
  ['# ssp.example, 57, RESELLER'],
  ['   # indented'],
  ['ssp.example, 57, RESELLER # why', '1 ssp.example 57 RESELLER'],
  ['ssp.example, 57, RESELLER#why, and more', '1 ssp.example 57 RESELLER'],
  ['contact=https://site.example/about#desk', '1 CONTACT=https://site.example/about'],
  ['ssp.example, 57, #RESELLER', '1 L_FIELDS_MISSING'],
])

lines('B3: other comment marks are not comments, but no records either', [
  ['// ssp.example, 57, RESELLER', '1 L_COMMENT_MARKER'],
  ['-- end of list', '1 L_COMMENT_MARKER'],
  ['/* block */', '1 L_COMMENT_MARKER'],
  ['; ini style', '1 L_COMMENT_MARKER'],
  ['<!-- page style -->', '1 L_COMMENT_MARKER'],
  ['ssp.example, 57, DIRECT // note', '1 ssp.example 57 DIRECT ~', '1 L_COMMENT_MARKER'],
  ['ssp.example, 57, DIRECT, abc // note', '1 ssp.example 57 DIRECT abc', '1 L_COMMENT_MARKER'],
])

lines('B4 §3.4.2: white space around fields means nothing', [
  ['ssp.example,57,RESELLER', '1 ssp.example 57 RESELLER'],
  ['   ssp.example ,  57 ,\tRESELLER\t', '1 ssp.example 57 RESELLER'],
  ['   \t '],
  ['ssp.example, a%2Cb%20c, DIRECT', '1 ssp.example a,b c DIRECT'],
  ['ssp.example, 100%, DIRECT', '1 ssp.example 100% DIRECT'],
  ['ssp.example, %E9%zz, DIRECT', '1 ssp.example %E9%zz DIRECT'],
])

lines('B5 §5.3: odd white space and invisible characters are forgiven, and the record is at risk', [
  ['ssp.example,\u00a057,\u2003RESELLER', '1 ssp.example 57 RESELLER ~', '1 L_ODD_SPACE'],
  ['\u2060ssp.example, 5\u200b7, RESELLER', '1 ssp.example 57 RESELLER ~', '1 L_INVISIBLE'],
  ['ssp.example, 57\u0000, RESELLER', '1 ssp.example 57 RESELLER ~', '1 L_INVISIBLE'],
  ['ownerdomain=site\u00ad.example', '1 OWNERDOMAIN=site.example', '1 L_INVISIBLE'],
  ['\u00a0\u200b'],
  ['\u00a0# comment'],
])

lines('B5: separators other than the comma', [
  ['ssp.example\t57\tRESELLER', '1 ssp.example 57 RESELLER ~', '1 L_SEPARATOR_TAB'],
  ['ssp.example\t\t57\tRESELLER\tabc', '1 ssp.example 57 RESELLER abc ~', '1 L_SEPARATOR_TAB'],
  ['ssp.example 57 RESELLER', '1 L_SEPARATOR_MISSING'],
  ['ssp.example57RESELLER', '1 L_SEPARATOR_MISSING'],
  ['ssp.example; 57; RESELLER', '1 L_SEPARATOR_SEMICOLON'],
  ['ssp.example, 57; RESELLER', '1 L_SEPARATOR_SEMICOLON'],
  ['ssp.example | 57 | RESELLER', '1 L_SEPARATOR_PIPE'],
  ['ssp.example | 57, RESELLER', '1 L_SEPARATOR_PIPE'],
])

lines('B5: characters that only look right', [
  ['"ssp.example", "57", "RESELLER"', '1 L_QUOTES'],
  ['“ssp.example”, 57, RESELLER', '1 L_QUOTES'],
  ["'ssp.example', '57', 'RESELLER'", '1 L_QUOTES'],
  ['ssp.example，57，RESELLER', '1 L_FULLWIDTH'],
  ['ssp.example, ５７, RESELLER', '1 L_FULLWIDTH'],
])

lines('B5: what is nothing of all this', [
  ['Not Found', '1 L_UNRECOGNISED'],
  ['Exchanges:', '1 L_UNRECOGNISED'],
  ['Please ask us first, then add your line', '1 L_UNRECOGNISED'],
  ["It's coming soon", '1 L_UNRECOGNISED'],
  ['____________', '1 L_UNRECOGNISED'],
])

lines('B6 §3.4.3: an extension is kept and not read', [
  ['ssp.example, 57, RESELLER; a=b, c', '1 ssp.example 57 RESELLER ; a=b, c'],
  ['ssp.example, 57, RESELLER, abc ;', '1 ssp.example 57 RESELLER abc'],
])

test('B5: a page or other markup is not an ads.txt file, whatever stands in it', () => {
  for (const page of [
    '<!DOCTYPE html><title>Not found</title>',
    '\n\n  <html><body>ssp.example, 57, RESELLER</body></html>',
    '<?xml version="1.0"?><error/>',
    '<pre>\nssp.example, 57, RESELLER\n</pre>',
    'Warning: mysql_connect() failed\n<!doctype html>\n<body>',
  ])
    deepEqual(said(page), { state: 'not_adstxt', records: [], variables: [], faults: ['0 F_HTML'] })
})

test('B5: markup behind good records costs only its own lines', () => {
  const { state, records, faults } = said(`${GOOD}\n<script src="//x.example/count.js"></script>`)
  deepEqual([state, records, faults], ['ok', ['1 ssp.example 57 RESELLER'], ['2 L_QUOTES']])
})

test('B5: words of HTML in names and comments do not make a page', () => {
  const { state, faults } = said(
    `# see body of index.html\nsubdomain=divspan.site.example\n${GOOD}`,
  )
  deepEqual([state, faults], ['ok', []])
})

test('B5: what is no text is not read as text', () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010806000000', 'hex')
  deepEqual(said(png).faults, ['0 F_BINARY'])
  equal(said(png).state, 'not_adstxt')
})

test('B7 §3.2.1: an empty file says nothing', () => {
  for (const empty of ['', ' \r\n\t\n'])
    deepEqual(said(empty), {
      state: 'no_records',
      records: [],
      variables: [],
      faults: ['0 F_EMPTY'],
    })
  deepEqual(said('\uFEFF').faults, ['0 F_BOM', '0 F_EMPTY'])
})

test('B7: comments and variables alone say nothing about who may sell', () => {
  deepEqual(said('# soon\n\ncontact=desk@site.example\n'), {
    state: 'no_records',
    records: [],
    variables: ['3 CONTACT=desk@site.example'],
    faults: ['0 F_NO_RECORDS'],
  })
})

test('B8 §4.9: the placeholder says that nobody may sell', () => {
  deepEqual(said('placeholder.example.com, placeholder, DIRECT, placeholder'), {
    state: 'none_authorised',
    records: [],
    variables: [],
    faults: [],
  })
  deepEqual(said('PLACEHOLDER.example.com,placeholder,direct').state, 'none_authorised')
})

test('B8: the placeholder beside a record does not count', () => {
  deepEqual(said(`placeholder.example.com, placeholder, DIRECT, placeholder\n${GOOD}`), {
    state: 'ok',
    records: ['2 ssp.example 57 RESELLER'],
    variables: [],
    faults: ['0 F_PLACEHOLDER_WITH_RECORDS'],
  })
})

lines('C1 §3.3: three fields or four', [
  ['ssp.example, 57', '1 L_FIELDS_MISSING'],
  ['ssp.example', '1 L_FIELDS_MISSING'],
  ['ssp.example, 57,', '1 L_FIELDS_MISSING'],
  [',,,', '1 L_FIELDS_MISSING'],
  ['ssp.example, 57, RESELLER,', '1 ssp.example 57 RESELLER', '1 L_TRAILING_COMMA'],
  ['ssp.example, 57, RESELLER, abc,,', '1 ssp.example 57 RESELLER abc', '1 L_TRAILING_COMMA'],
  ['ssp.example, 57, RESELLER, abc, more', '1 ssp.example 57 RESELLER abc ~', '1 L_FIELDS_EXTRA'],
])

lines('C1: a lost comma', [
  ['ssp.example 57, RESELLER', '1 L_COMMA_MISSING'],
  ['ssp.example, 57 RESELLER', '1 L_COMMA_MISSING'],
  ['ssp.example, 57RESELLER', '1 L_COMMA_MISSING'],
  ['ssp.example, 57 RESELLER, abc', '1 L_COMMA_MISSING'],
  ['ssp.example 57, RESELLER, abc', '1 L_COMMA_MISSING'],
  ['ssp.example, 57, RESELLER 0123456789abcdef', '1 L_COMMA_MISSING'],
  ['ssp.example, 57, DIRECT0123456789abcdef', '1 L_COMMA_MISSING'],
])

lines('C1: lost line ends: the first record survives in lenient readers', [
  [
    'a.example, 1, DIRECT, abc b.example, 2, RESELLER, def c.example, 3, DIRECT',
    '1 a.example 1 DIRECT ~',
    '1 L_MULTI_RECORD',
  ],
  ['a.example, 1, DIRECT b.example, 2, RESELLER', '1 a.example 1 DIRECT ~', '1 L_MULTI_RECORD'],
  ['a.example, 1, RESELLERb.example, 2, DIRECT', '1 a.example 1 RESELLER ~', '1 L_MULTI_RECORD'],
  ['a.example, 1, DIRECT, b.example, 2, RESELLER', '1 a.example 1 DIRECT ~', '1 L_MULTI_RECORD'],
])

lines('C2 §3.4.2: field 1 is a domain name by RFC 1123', [
  ['SSP.Example, 57, DIRECT', '1 ssp.example 57 DIRECT'],
  ['ssp.example., 57, DIRECT', '1 ssp.example 57 DIRECT'],
  ['video.ssp.example, 57, DIRECT', '1 video.ssp.example 57 DIRECT'],
  ['https://ssp.example, 57, DIRECT', '1 L_DOMAIN_IS_URL'],
  ['ssp.example/, 57, DIRECT', '1 L_DOMAIN_IS_URL'],
  ['ssp_eu.example, 57, DIRECT', '1 L_DOMAIN_INVALID'],
  ['ssp, 57, DIRECT', '1 L_DOMAIN_INVALID'],
  [', 57, DIRECT', '1 L_DOMAIN_INVALID'],
  ['192.0.2.7, 57, DIRECT', '1 L_DOMAIN_INVALID'],
  ['-ssp.example, 57, DIRECT', '1 L_DOMAIN_INVALID'],
  ['ssp..example, 57, DIRECT', '1 L_DOMAIN_INVALID'],
  [`${'a'.repeat(64)}.example, 57, DIRECT`, '1 L_DOMAIN_INVALID'],
  ['desk@ssp.example, 57, DIRECT', '1 L_DOMAIN_INVALID'],
  ['www.ssp.example, 57, DIRECT', '1 www.ssp.example 57 DIRECT', '1 L_DOMAIN_WWW'],
  ['rubicon.com, 57, DIRECT', '1 rubicon.com 57 DIRECT', '1 L_DOMAIN_ALIAS'],
  ['pubmatic, 57, DIRECT', '1 L_DOMAIN_ALIAS'],
])

lines('C3 §3.3: an account id is an exact string', [
  ['ssp.example, 00057, DIRECT', '1 ssp.example 00057 DIRECT'],
  ['ssp.example, aBcD, DIRECT', '1 ssp.example aBcD DIRECT'],
  ['ssp.example, aWQ9MQ==, DIRECT', '1 ssp.example aWQ9MQ== DIRECT'],
  ['ssp.example, , DIRECT', '1 L_ACCOUNT_EMPTY'],
  ['ssp.example, PID 57, DIRECT', '1 ssp.example PID 57 DIRECT ~', '1 L_ACCOUNT_WHITESPACE'],
  ['ssp.example, YOUR_ID, DIRECT', '1 ssp.example YOUR_ID DIRECT', '1 L_ACCOUNT_SUSPECT'],
  ['ssp.example, <57>, DIRECT', '1 ssp.example <57> DIRECT', '1 L_ACCOUNT_SUSPECT'],
  ['ssp.example, XXXXXXXX, DIRECT', '1 ssp.example XXXXXXXX DIRECT', '1 L_ACCOUNT_SUSPECT'],
  ['ssp.example, 7.73E+20, DIRECT', '1 ssp.example 7.73E+20 DIRECT', '1 L_ACCOUNT_SUSPECT'],
])

lines('C4 §3.3: DIRECT or RESELLER in any case', [
  ['ssp.example, 57, Reseller', '1 ssp.example 57 RESELLER'],
  ['ssp.example, 57, direct', '1 ssp.example 57 DIRECT'],
  ['ssp.example, 57, REVENDEDOR', '1 L_REL_INVALID'],
  ['ssp.example, 57, RESELLERS', '1 L_REL_INVALID'],
  ['ssp.example, 57, DIRECT/RESELLER', '1 L_REL_INVALID'],
  ['ssp.example, 57, , abc', '1 L_REL_INVALID'],
  ['ssp.example, RESELLER, 57', '1 L_REL_MISPLACED'],
  ['ssp.example, 57, 0123456789abcdef, RESELLER', '1 L_REL_MISPLACED'],
  ['ssp.example, , 57, RESELLER', '1 L_REL_MISPLACED'],
])

lines('C5 §3.3: a certification id is optional, and a bad one does not void the record', [
  ['ssp.example, 57, DIRECT, 0123456789abcdef', '1 ssp.example 57 DIRECT 0123456789abcdef'],
  ['ssp.example, 57, DIRECT, 5jyxf8k54', '1 ssp.example 57 DIRECT 5jyxf8k54'],
  ['ssp.example, 57, DIRECT, 012345', '1 ssp.example 57 DIRECT 012345'],
  [
    'ssp.example, 57, DIRECT, 0123456789abcde',
    '1 ssp.example 57 DIRECT 0123456789abcde',
    '1 L_CERT_SUSPECT',
  ],
  ['ssp.example, 57, DIRECT, (none)', '1 ssp.example 57 DIRECT (none)', '1 L_CERT_SUSPECT'],
])

test('C6: a record said twice is one record', () => {
  deepEqual(said('ssp.example,57,DIRECT\nSSP.example, 57, Direct, abc\nssp.example,57,DIRECT'), {
    state: 'ok',
    records: ['1 ssp.example 57 DIRECT'],
    variables: [],
    faults: ['2 L_DUPLICATE =1', '3 L_DUPLICATE =1'],
  })
})

test('C6: an account both DIRECT and RESELLER is two records', () => {
  const { records, faults } = said(
    'ssp.example,57,DIRECT\nssp.example,57,RESELLER\nssp.example,57,DIRECT',
  )
  deepEqual(records, ['1 ssp.example 57 DIRECT', '2 ssp.example 57 RESELLER'])
  deepEqual(faults, ['2 L_CONFLICT_REL =1', '3 L_DUPLICATE =1'])
})

test('C6: ids that differ in case are two accounts', () => {
  equal(said('ssp.example,aB,DIRECT\nssp.example,ab,DIRECT').records.length, 2)
})

test('C6: a line that strict readers see makes safe what a lenient one said before', () => {
  const { records, faults } = said('ssp.example,\u00a057,DIRECT\nssp.example,57,DIRECT')
  deepEqual(records, ['2 ssp.example 57 DIRECT'])
  deepEqual(faults, ['1 L_ODD_SPACE', '2 L_DUPLICATE =1'])
})

lines('C7: a Google id is pub- and 16 digits', [
  ['google.com, pub-1234567890123456, DIRECT', '1 google.com pub-1234567890123456 DIRECT'],
  ...['ca-pub-1234567890123456', 'pub-123', 'PUB-1234567890123456', 'pub-0000000000000000'].map(
    (id) => [`google.com, ${id}, DIRECT`, `1 google.com ${id} DIRECT`, '1 L_GOOGLE_ID'] as const,
  ),
])

lines('D1 §3.5: NAME=VALUE, the name in any case', [
  ['ContacT=desk@site.example', '1 CONTACT=desk@site.example'],
  ['OWNERDOMAIN = site.example', '1 OWNERDOMAIN=site.example', '1 V_SPACES'],
  ['OWNERDOMAIN: site.example', '1 V_COLON'],
  ['contact : desk@site.example', '1 V_COLON'],
  ['contact=', '1 V_EMPTY'],
  ['ownerdomain= # none', '1 V_EMPTY'],
])

lines('D2, D3 §3.5: unknown variables are kept, values may hold =', [
  ['lastupdated=2026-11-30', '1 LASTUPDATED=2026-11-30', '1 V_UNKNOWN'],
  ['contact=https://site.example/?a=b', '1 CONTACT=https://site.example/?a=b'],
])

test('D2, D4: every line of a variable is kept', () => {
  deepEqual(said(`${GOOD}\ncontact=a@site.example\nCONTACT=+1 202 555 0100`).variables, [
    '2 CONTACT=a@site.example',
    '3 CONTACT=+1 202 555 0100',
  ])
})

const subdomain = (value: string, context: Parameters<typeof said>[1]) => {
  const { variables, faults } = said(`subdomain=${value}\n${GOOD}`, context)
  return [...variables, ...faults]
}

test('D5 §3.5.1: SUBDOMAIN names a subdomain of this root', () => {
  const context = { domain: 'site.example' }
  deepEqual(subdomain('News.site.example', context), ['1 SUBDOMAIN=news.site.example'])
  for (const foreign of ['news.other.example', 'site.example', 'badsite.example'])
    deepEqual(subdomain(foreign, context), [`1 SUBDOMAIN=${foreign} !`, '1 V_SUBDOMAIN_FOREIGN'])
  deepEqual(subdomain('https://news.site.example/', context), ['1 V_DOMAIN_IS_URL'])
})

test('D5: SUBDOMAIN does not count in a subdomain’s own file', () => {
  deepEqual(subdomain('a.news.site.example', { domain: 'news.site.example' }), [
    '1 SUBDOMAIN=a.news.site.example !',
    '1 V_SUBDOMAIN_IN_SUBDOMAIN',
  ])
})

test('D5: SUBDOMAIN does not count in app-ads.txt', () => {
  deepEqual(subdomain('news.site.example', { domain: 'site.example', file: 'app-ads.txt' }), [
    '1 SUBDOMAIN=news.site.example !',
    '1 V_SUBDOMAIN_IN_APPADS',
  ])
})

test('D6 §5.7: INVENTORYPARTNERDOMAIN is followed for one hop', () => {
  const file = `inventorypartnerdomain=Partner.example\n${GOOD}`
  deepEqual(said(file).variables, ['1 INVENTORYPARTNERDOMAIN=partner.example'])
  const second = said(file, { hop: 1 })
  deepEqual(second.variables, ['1 INVENTORYPARTNERDOMAIN=partner.example !'])
  deepEqual(second.faults, ['1 V_IPD_SECOND_HOP'])
})

lines('D7 §3.5.1: OWNERDOMAIN is a root domain', [
  ['ownerdomain=Owner.example', '1 OWNERDOMAIN=owner.example'],
  ['ownerdomain=owner.example,', '1 OWNERDOMAIN=owner.example'],
  ['ownerdomain=www.owner.example', '1 OWNERDOMAIN=www.owner.example', '1 V_DOMAIN_NOT_ROOT'],
  ['ownerdomain=https://owner.example', '1 V_DOMAIN_IS_URL'],
  ['ownerdomain=Owner Media Ltd', '1 V_DOMAIN_INVALID'],
  ['ownerdomain=co.uk', '1 V_DOMAIN_INVALID'],
  ['ownerdomain=,', '1 V_EMPTY'],
])

test('D7: of several OWNERDOMAIN the first counts', () => {
  const { variables, faults } = said(`ownerdomain=a.example\nownerdomain=b.example\n${GOOD}`)
  deepEqual(variables, ['1 OWNERDOMAIN=a.example', '2 OWNERDOMAIN=b.example !'])
  deepEqual(faults, ['2 V_DUP_OWNER'])
})

lines('D8 §3.5.1: MANAGERDOMAIN is a root domain and a country', [
  ['managerdomain=m.example', '1 MANAGERDOMAIN=m.example'],
  ['managerdomain=m.example, de', '1 MANAGERDOMAIN=m.example @DE'],
  ['managerdomain=m.example,GB', '1 MANAGERDOMAIN=m.example @GB'],
  ['managerdomain=m.example, UK', '1 MANAGERDOMAIN=m.example @UK !', '1 V_COUNTRY_INVALID'],
  ['managerdomain=m.example, DE, FR', '1 MANAGERDOMAIN=m.example @DE, FR !', '1 V_COUNTRY_INVALID'],
  ['managerdomain=ads.m.example', '1 MANAGERDOMAIN=ads.m.example', '1 V_DOMAIN_NOT_ROOT'],
  ['managerdomain=https://m.example, DE', '1 V_DOMAIN_IS_URL'],
  ['managerdomain=, DE', '1 V_EMPTY'],
])

test('D8: two managers for one country are none for it, and the others stand', () => {
  const file = [
    'managerdomain=a.example',
    'managerdomain=b.example, DE',
    'managerdomain=c.example, DE',
    'managerdomain=d.example, FR',
    GOOD,
  ]
  const { variables, faults } = said(file.join('\n'))
  deepEqual(variables, [
    '1 MANAGERDOMAIN=a.example',
    '2 MANAGERDOMAIN=b.example @DE !',
    '3 MANAGERDOMAIN=c.example @DE !',
    '4 MANAGERDOMAIN=d.example @FR',
  ])
  deepEqual(faults, ['3 V_DUP_MANAGER_COUNTRY'])
})

test('D8: lines for no country do not compete with each other', () => {
  const { variables, faults } = said(
    `managerdomain=a.example,UK\nmanagerdomain=b.example,UK\n${GOOD}`,
  )
  deepEqual(variables, ['1 MANAGERDOMAIN=a.example @UK !', '2 MANAGERDOMAIN=b.example @UK !'])
  deepEqual(faults, ['1 V_COUNTRY_INVALID', '2 V_COUNTRY_INVALID'])
})

test('bounds: a file of too many lines is read to the bound, and says so', () => {
  const { records, faults } = said(
    Array.from({ length: LINES_MAX + 3 }, (_, n) => `ssp.example,a${n},DIRECT`).join('\n'),
  )
  equal(records.length, LINES_MAX)
  deepEqual(faults, [`${LINES_MAX + 1} F_TOO_MANY_LINES`])
})

test('bounds: too many faults are listed to the bound, and say so', () => {
  const { faults } = said('nothing\n'.repeat(FAULTS_MAX + 10))
  equal(faults.length, FAULTS_MAX + 2)
  deepEqual(faults.slice(-2), [`${FAULTS_MAX + 1} F_TOO_MANY_FAULTS`, '0 F_NO_RECORDS'])
})

test('bounds: of an endless line the beginning is read, and says so', () => {
  const file = `ssp.example, 57, DIRECT ${' '.repeat(20_000)}x\nssp.example, 58, DIRECT, ${'a,'.repeat(20_000)}`
  deepEqual(said(file), {
    state: 'ok',
    records: ['1 ssp.example 57 DIRECT ~', '2 ssp.example 58 DIRECT a ~'],
    variables: [],
    faults: ['1 L_LINE_TOO_LONG', '2 L_LINE_TOO_LONG', '2 L_FIELDS_EXTRA'],
  })
})

test('every fault has a severity and a sentence', () => {
  for (const [code, { severity, says }] of Object.entries(ADS_TXT_FAULTS)) {
    equal(/^[FLV]_[A-Z0-9_]+$/.test(code), true, code)
    equal(['error', 'warning', 'info'].includes(severity), true, code)
    equal(/^[A-Z].*\.$/.test(says), true, code)
  }
})
