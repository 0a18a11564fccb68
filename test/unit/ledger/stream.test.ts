import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { present } from '../../../src/kernel/assert.ts'
import { siteOfDomain, siteOfHost } from '../../../src/kernel/site.ts'
import {
  logStream,
  programmeStream,
  runStream,
  siteStream,
  StreamName,
} from '../../../src/ledger/stream.ts'

test('a stream is named by its category and what it is about', () => {
  equal(siteStream(present(siteOfDomain('www.example.org'), 'a site')), 'site-example.org')
  equal(runStream('2026-11-30.7f3a'), 'run-2026-11-30.7f3a')
  equal(programmeStream('plain-reckoner'), 'programme-plain-reckoner')
  equal(logStream, 'log')
})

test('the streams of the longest site and of an IPv6 address have names', () => {
  equal(StreamName.is(siteStream(siteOfHost('[2001:db8::7]'))), true)
  equal(StreamName.is(siteStream(siteOfHost('a'.repeat(253)))), true)
})

test('a name of another form is not a stream', () => {
  for (const wrong of [
    '',
    'Site-a',
    'site-',
    '-a',
    'site a',
    'site-a b',
    'site-a\n',
    'site-ü',
    'site-a/b',
    '1-a',
    `site-${'a'.repeat(281)}`,
  ])
    equal(StreamName.is(wrong), false, wrong)
})
