import { deepEqual, equal, match, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { present } from '../../../src/kernel/assert.ts'
import { describeParseFailure, parse, t, text } from '../../../src/kernel/codec.ts'
import { instant } from '../../../src/kernel/instant.ts'
import { siteOfHost } from '../../../src/kernel/site.ts'
import {
  decodeEntry,
  encodeEntry,
  type Envelope,
  ENTRY_BYTES_MAX,
  leafHash,
} from '../../../src/ledger/entry.ts'
import type { EventOf, OldVersion } from '../../../src/ledger/event.ts'
import { siteStream, type StreamName } from '../../../src/ledger/stream.ts'
import { sha256Hex } from '../../../src/kernel/digest.ts'
import { left, right } from '../../support/either.ts'

const site = siteOfHost('example.org')
const excluded: EventOf<'SiteExcluded'> = {
  type: 'SiteExcluded',
  v: 1,
  site,
  by: 'an operator',
  note: 'asked by letter',
}
const envelope: Envelope = {
  ts: instant(Date.UTC(2026, 10, 30, 2, 30)),
  stream: siteStream(site),
  version: 3,
  run: 'run-1',
}
const text1 =
  '{"by":"an operator","note":"asked by letter","run":"run-1","site":"example.org",' +
  '"stream":"site-example.org","ts":"2026-11-30T02:30:00.000Z","type":"SiteExcluded","v":1,"version":3}'

const decoded = (json: unknown) => decodeEntry(Buffer.from(JSON.stringify(json)))
const entryWith = (fields: object): unknown => ({ ...(JSON.parse(text1) as object), ...fields })

test('CL1: an entry is the canonical JSON of the event and its envelope, and nothing else', () => {
  equal(encodeEntry(excluded, envelope).toString(), text1)
  deepEqual(right(decodeEntry(Buffer.from(text1))), { event: excluded, envelope })
})

test('a field that nobody declared does not enter the ledger', () => {
  const more = { ...excluded, cookie: 'secret' }
  equal(encodeEntry(more, envelope).toString(), text1)
})

test('an event outside its codec is a bug and throws', () => {
  throws(() => encodeEntry({ ...excluded, by: ' ' }, envelope), /SiteExcluded does not fit/)
  throws(() => encodeEntry({ ...excluded, note: '\ud800' }, envelope), /SiteExcluded does not fit/)
  throws(() => encodeEntry({ ...excluded, type: 'Other' as 'SiteExcluded' }, envelope), /Other/)
})

test('an envelope that no reader would take back throws before it is written', () => {
  for (const wrong of [
    { version: 0 },
    { version: 1.5 },
    { run: 'r'.repeat(65) },
    { stream: 'Site example' as StreamName },
    { ts: instant(0), version: -1 },
  ])
    throws(() => encodeEntry(excluded, { ...envelope, ...wrong }), /envelope does not fit/)
})

test('an entry has at most 65,535 bytes, counted in UTF-8', () => {
  const policyOf = (policy: string): EventOf<'ProgrammeAdopted'> => ({
    type: 'ProgrammeAdopted',
    v: 1,
    programme: 'plain-reckoner',
    policy,
    policyDigest: sha256Hex(policy),
  })
  const empty = encodeEntry(policyOf(''), envelope).length
  const room = ENTRY_BYTES_MAX - empty
  // Control characters take six bytes each, so that the text stays below its own bound.
  const fits = '\u0001'.repeat(Math.floor(room / 6)) + 'a'.repeat(room % 6)
  equal(encodeEntry(policyOf(fits), envelope).length, ENTRY_BYTES_MAX)
  throws(() => encodeEntry(policyOf(`${fits}a`), envelope), /65536 bytes, over the limit/)
})

test('an unknown type or version is a failure, never skipped', () => {
  const newer = left(decoded(entryWith({ v: 2 })))
  equal(newer.what, 'SiteExcluded v2')
  deepEqual(newer.problems, [{ path: 'v', expected: '1' }])
  match(
    describeParseFailure(left(decoded(entryWith({ type: 'SiteForgotten' })))),
    /type: expected a known event type, not "SiteForgotten"/,
  )
  for (const type of ['', 'toString', '__proto__', 'siteexcluded'])
    equal(left(decoded(entryWith({ type }))).problems[0]?.path, 'type')
})

test('an unknown type is named so that it cannot play tricks on a terminal', () => {
  const failure = describeParseFailure(
    left(decoded(entryWith({ type: `\u001b[2J${'x'.repeat(999)}` }))),
  )
  ok(!failure.includes('\u001b') && failure.length < 200, failure)
})

const broken: readonly (readonly [string, string, object])[] = [
  ['no time', 'ts', { ts: null }],
  ['a time in another form', 'ts', { ts: '2026-11-30T02:30:00Z' }],
  ['a stream of another form', 'stream', { stream: 'Site' }],
  ['version 0', 'version', { version: 0 }],
  ['a run that is too long', 'run', { run: 'r'.repeat(65) }],
  ['an event version that is no number', 'v', { v: '1' }],
]
for (const [what, path, fields] of broken) {
  test(`an entry with ${what} is not an entry`, () => {
    deepEqual(
      left(decoded(entryWith(fields))).problems.map((problem) => problem.path),
      [path],
    )
  })
}

test('bytes that are not UTF-8 or not JSON are not an entry, nor is an entry behind a byte-order mark', () => {
  const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text1)])
  const latin1 = Buffer.from(text1.replace('letter', 'brév'), 'latin1')
  for (const bytes of [Buffer.alloc(0), Buffer.from(text1.slice(1)), latin1, marked])
    equal(describeParseFailure(left(decodeEntry(bytes))), 'ledger entry: expected JSON')
  for (const json of [null, 1, 'a', []]) left(decoded(json))
})

test('an older version is read by its own codec and comes out in the newest shape', () => {
  const OldExcluded = t.exact(
    t.type({ type: t.literal('SiteExcluded'), v: t.literal(1), domain: text(253) }),
  )
  // As if SiteExcluded stood at version 1 with another field once, and the present shape came later.
  const older = (type: string, v: number): OldVersion | undefined =>
    type === 'SiteExcluded' && v === 1
      ? {
          type,
          v,
          codec: OldExcluded,
          upcast: (old) => ({
            ...excluded,
            site: siteOfHost(right(parse('old', OldExcluded, old)).domain),
          }),
        }
      : undefined
  const old = Buffer.from(
    '{"domain":"www.example.net","run":"run-1","stream":"site-example.org",' +
      '"ts":"2026-11-30T02:30:00.000Z","type":"SiteExcluded","v":1,"version":3}',
  )

  deepEqual(right(decodeEntry(old, older)), {
    event: { ...excluded, site: 'example.net' },
    envelope,
  })
  equal(left(decodeEntry(old)).what, 'SiteExcluded v1')
  equal(left(decodeEntry(Buffer.from(text1), older)).problems[0]?.path, 'domain')
})

test('RFC6962_2.1: the leaf is SHA-256 of a zero byte and the entry', () => {
  equal(
    leafHash(Buffer.alloc(0)).toString('hex'),
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  )
  equal(leafHash(Buffer.from('a')).toString('hex'), present(sha256Hex('\0a'), 'a digest'))
})
