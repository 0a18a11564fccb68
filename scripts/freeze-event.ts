/**
 * Usage: node scripts/freeze-event.ts
 * Freezes one entry of each event type and version that has none yet: writes the exact bytes of the
 * sample in test/support/samples.ts to schema/events/<Type>/v<N>.json (no line end behind them) and
 * their digest to schema/events/digests.json. What is frozen is never written again: a changed
 * shape is a new version.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { parse, t } from '../src/kernel/codec.ts'
import { Digest, sha256Hex } from '../src/kernel/digest.ts'
import { E } from '../src/kernel/fp.ts'
import { encodeEntry } from '../src/ledger/entry.ts'
import { EVENTS } from '../src/ledger/event.ts'
import { sampleOf } from '../test/support/samples.ts'

const folder = new URL('../schema/events/', import.meta.url)
const digestsFile = new URL('digests.json', folder)

const readDigests = (): Map<string, Digest> => {
  if (!existsSync(digestsFile)) return new Map()
  const json: unknown = JSON.parse(readFileSync(digestsFile, 'utf8'))
  const digests = parse('digests.json', t.record(t.string, Digest), json)
  if (E.isLeft(digests)) throw new Error('schema/events/digests.json is damaged')
  return new Map(Object.entries(digests.right))
}

const digests = readDigests()
for (const { type, v } of EVENTS) {
  const name = `${type}/v${v}`
  if (digests.has(name)) continue
  const { event, envelope } = sampleOf(type)
  const entry = encodeEntry(event, envelope)
  mkdirSync(new URL(type, folder), { recursive: true })
  writeFileSync(new URL(`${name}.json`, folder), entry, { flag: 'wx' })
  digests.set(name, sha256Hex(entry))
  console.log(`frozen: schema/events/${name}.json, ${entry.length} bytes`)
}
const sorted = [...digests].toSorted(([a], [b]) => (a < b ? -1 : 1))
writeFileSync(digestsFile, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`)
