import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { readChange } from '../../../src/readers/change/read.ts'

const A = 'a.example, 1, RESELLER'
const B = 'b.example, X2, DIRECT'
const told = (before: readonly string[], after: readonly string[]): readonly string[] =>
  readChange(before.join('\n'), after.join('\n')).events

test('PR17: the same bytes, and bytes that say the same, are no news', () => {
  deepEqual(readChange(A, A), { bytesChanged: false, events: [] })
  deepEqual(readChange(A, `# new\r\n${A.toLowerCase().replace('a.e', 'A.E')} # note`), {
    bytesChanged: true,
    events: [],
  })
  deepEqual(told([A, B], [B, A]), [])
})

test('PR17: a line that broke is one event, and says where and how', () => {
  deepEqual(told([A, B], [A, 'b.example, X2 DIRECT']), [
    'record broke: b.example|X2|DIRECT -> line 2 L_COMMA_MISSING',
  ])
  deepEqual(told([A, B], [A, '', '"b.example", "X2", "DIRECT"']), [
    'record broke: b.example|X2|DIRECT -> line 3 L_QUOTES',
  ])
})

test('PR17: records come and go', () => {
  deepEqual(told([A, B], [A]), ['record removed: b.example|X2|DIRECT'])
  deepEqual(told([A], [A, B]), ['record added: b.example|X2|DIRECT'])
})

test('PR17: a changed relationship is one event', () => {
  deepEqual(told([A], ['a.example, 1, DIRECT']), [
    'relationship changed: a.example|1 RESELLER -> DIRECT',
  ])
})

test('PR17: faults come and go without touching an authorisation', () => {
  deepEqual(told([A], [A, A]), ['fault new: L_DUPLICATE'])
  deepEqual(told([A, A], [A]), ['fault gone: L_DUPLICATE'])
})

test('PR17: variables come and go', () => {
  deepEqual(told([A, 'managerdomain=m.example, DE'], [A, 'managerdomain=n.example']), [
    'variable removed: MANAGERDOMAIN=m.example, DE',
    'variable added: MANAGERDOMAIN=n.example',
  ])
})

test('PR17: a page in the place of the file takes no record away', () => {
  deepEqual(told([A, 'contact=x'], ['<!doctype html>']), [
    'state changed: ok -> not_adstxt',
    'fault new: F_HTML',
  ])
})
