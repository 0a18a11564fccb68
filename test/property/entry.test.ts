import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalJson } from '../../src/kernel/canonical-json.ts'
import { E } from '../../src/kernel/fp.ts'
import { decodeEntry, encodeEntry, leafHash } from '../../src/ledger/entry.ts'
import { codecOf, EVENTS } from '../../src/ledger/event.ts'
import { logStream, siteStream } from '../../src/ledger/stream.ts'
import { present } from '../../src/kernel/assert.ts'
import { anyOf } from '../support/arbitraries/codec.ts'
import { anyInstant, anySite, anyText, plainRecord } from '../support/arbitraries/kernel.ts'
import { right } from '../support/either.ts'
import { fc } from '../support/property.ts'

const anyEnvelope = plainRecord({
  ts: anyInstant,
  stream: fc.oneof(anySite.map(siteStream), fc.constant(logStream)),
  version: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  run: anyText(64),
})

for (const { type } of EVENTS) {
  const codec = present(codecOf(type), type)
  const anyEvent = anyOf(codec).map((value) => {
    ok(codec.is(value))
    return value
  })

  test(`${type}: an entry says again exactly what was written, in the same bytes`, () => {
    fc.assert(
      fc.property(anyEvent, anyEnvelope, (event, envelope) => {
        const entry = encodeEntry(event, envelope)
        const read = right(decodeEntry(entry))
        deepEqual(read, { event, envelope })
        deepEqual(encodeEntry(read.event, read.envelope), entry)
        equal(canonicalJson(JSON.parse(entry.toString())), entry.toString())
      }),
    )
  })

  test(`${type}: an entry with one field left out or of another kind does not decode`, () => {
    fc.assert(
      fc.property(anyEvent, anyEnvelope, fc.nat(), (event, envelope, pick) => {
        const entry = new Map(
          Object.entries(JSON.parse(encodeEntry(event, envelope).toString()) as object),
        )
        const field = present([...entry.keys()][pick % entry.size], 'a field')
        entry.delete(field)
        ok(E.isLeft(decodeEntry(Buffer.from(JSON.stringify(Object.fromEntries(entry))))), field)
        entry.set(field, [[]])
        ok(E.isLeft(decodeEntry(Buffer.from(JSON.stringify(Object.fromEntries(entry))))), field)
      }),
    )
  })
}

test('decoding any bytes answers, and never throws', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => E.isLeft(decodeEntry(bytes))))
  fc.assert(fc.property(fc.json(), (json) => E.isLeft(decodeEntry(Buffer.from(json)))))
})

test('RFC6962_2.1: entries that differ in one byte have different leaves', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1 }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (bytes, at, by) => {
        const other = Uint8Array.from(bytes)
        const i = at % other.length
        other[i] = (present(other[i], 'a byte') + by) % 256
        ok(!leafHash(bytes).equals(leafHash(other)))
      },
    ),
  )
})
