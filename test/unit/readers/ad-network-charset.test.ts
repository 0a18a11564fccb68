/** In which encoding a page is read: mark, then header, then the head of the page (HTML §13.2.3). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAdNetworkBytes } from '../../../src/readers/ad-network/read.ts'

const TAG = '<script src="//scripts.mediavine.com/tags/x.js"></script>'
const found = (bytes: Buffer, contentType?: string): boolean =>
  readAdNetworkBytes(bytes, contentType).manager === 'mediavine'

const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()
const UTF_8 = 'text/html; charset=utf-8'

test('Norconex/crawler#194: a byte-order mark stands above what the header says', () => {
  assert.ok(found(Buffer.from(`\uFEFF${TAG}`, 'utf16le'), UTF_8))
  assert.ok(found(utf16be(`\uFEFF${TAG}`), UTF_8))
  assert.ok(found(Buffer.from(`\uFEFF${TAG}`), 'text/html; charset=utf-16le'))
})

test('the header stands above the page’s own head, in any of its spellings', () => {
  const claims = `<meta charset=utf-8>${TAG}`
  for (const type of [
    'text/html; charset=utf-16le',
    'text/html;charset="UTF-16LE"',
    'text/html ; Charset = utf-16le; x=y',
  ])
    assert.ok(found(Buffer.from(claims, 'utf16le'), type), type)
  assert.ok(!found(Buffer.from(claims, 'utf16le'), UTF_8))
})

test('crawlee#2317, symfony#65519, moli#156: a head that names UTF-16 in ASCII is not in UTF-16', () => {
  for (const meta of [
    '<meta charset=utf-16le>',
    '<meta http-equiv="Content-Type" content="text/html;charset=utf-16be">',
    '<meta http-equiv=content-type content="charset=gbk">',
    '<meta content="text/html; charset=\'shift_jis\'" http-equiv="content-type">',
  ])
    assert.ok(found(Buffer.from(meta + TAG)), meta)
})

test('fess-crawler#196: the charset of a script, of a comment and of the far end of a page count for nothing', () => {
  const elsewhere = '<script charset="utf-16le" src="/a.js"></script>'
  assert.ok(found(Buffer.from(`${elsewhere}<meta charset=utf-8>${TAG}`)))
  assert.ok(found(Buffer.from(`<!-- <meta charset=utf-16le> -->${TAG}`)))
  assert.ok(found(Buffer.from(`${' '.repeat(5_000)}<meta charset=utf-16le>${TAG}`)))
})

test('an encoding that nobody knows, or that browsers refuse, is read as letters', () => {
  for (const label of ['x-unknown', 'utf-7', 'hz-gb-2312', 'iso-2022-cn', '""', ' '])
    assert.ok(found(Buffer.from(TAG), `text/html; charset=${label}`), label)
  for (const label of ['windows-1252', 'gb18030', 'euc-kr', 'big5', 'koi8-r', 'iso-8859-1'])
    assert.ok(found(Buffer.from(`<p>caf\u00e9${TAG}`, 'latin1'), `text/html; charset=${label}`))
})
