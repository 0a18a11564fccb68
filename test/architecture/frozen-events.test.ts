/** Entries of every event version ever released: they decode for ever, and nobody rewrites them. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { present } from '../../src/kernel/assert.ts'
import { canonicalJson } from '../../src/kernel/canonical-json.ts'
import { parse, t } from '../../src/kernel/codec.ts'
import { Digest, sha256Hex } from '../../src/kernel/digest.ts'
import { decodeEntry, encodeEntry, ENTRY_BYTES_MAX } from '../../src/ledger/entry.ts'
import { codecOf, EVENTS, olderVersion } from '../../src/ledger/event.ts'
import { right } from '../support/either.ts'
import { filesOf, projectRoot, readProjectFile } from '../support/sources.ts'

const Frame = t.type({
  type: t.string,
  v: t.number,
  ts: t.string,
  stream: t.string,
  version: t.number,
  run: t.string,
})

const digests = right(
  parse(
    'schema/events/digests.json',
    t.record(t.string, Digest),
    JSON.parse(readProjectFile('schema/events/digests.json')),
  ),
)
const frozen = filesOf('schema/events/*/v*.json')
const nameOf = (path: string): string => path.slice('schema/events/'.length, -'.json'.length)

test('there is a frozen entry of every version of every event type', () => {
  const released = EVENTS.flatMap(({ type, v }) =>
    Array.from({ length: v }, (_, i) => `${type}/v${i + 1}`),
  )
  deepEqual(frozen.map(nameOf).toSorted(), released.toSorted())
})

test('every frozen entry has its digest, and no digest has lost its entry', () => {
  deepEqual(Object.keys(digests).toSorted(), frozen.map(nameOf).toSorted())
})

for (const path of frozen) {
  const bytes = readFileSync(resolve(projectRoot, path))
  const name = nameOf(path)

  test(`${name}: not a byte of the frozen entry has changed`, () => {
    equal(sha256Hex(bytes), digests[name])
  })

  test(`${name}: the frozen entry decodes into the newest shape, which can be written again`, () => {
    const { event, envelope } = right(decodeEntry(bytes))
    equal(event.type, name.split('/')[0])
    ok(encodeEntry(event, envelope).length <= ENTRY_BYTES_MAX)
  })

  test(`${name}: its own version's codec writes the frozen bytes again`, () => {
    const json: unknown = JSON.parse(bytes.toString())
    const { type, v, ...envelope } = right(parse(name, Frame, json))
    equal(`${type}/v${v}`, name)
    const codec: t.Mixed = olderVersion(type, v)?.codec ?? present(codecOf(type), type)
    const value: unknown = right(parse(name, codec, json))
    const encoded: unknown = codec.encode(value)
    const { ts, stream, version, run } = envelope
    const fields = right(parse(name, t.UnknownRecord, encoded))
    equal(canonicalJson({ ...fields, ts, stream, version, run }), bytes.toString())
  })

  test(`${name}: the file is the entry and nothing else, not even a line end`, () => {
    match(bytes.toString(), /^\{.*\}$/)
    equal(bytes.includes(0x0a), false)
  })
}
