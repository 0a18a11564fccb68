import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { adsTxtState, robotsDecisions } from '../../projections/index.ts'
import type { Projection } from '../../projections/projection.ts'
import { canonicalJson, type Json } from '../../src/kernel/canonical-json.ts'
import { catchUp } from '../../src/shell/projecting/catch-up.ts'
import type { ProjectionPorts } from '../../src/shell/projecting/folding.ts'
import type { Change } from '../../src/shell/projecting/changes.ts'
import { anyHistory } from '../support/arbitraries/events.ts'
import { cellText } from '../../src/cli/print.ts'
import { right } from '../support/either.ts'
import { contentsOf, memoryStore, portsOf } from '../support/projecting.ts'
import { fc } from '../support/property.ts'
import { adsTxtReading, changesOf, withReader } from '../support/reader-fix.ts'

type Dump = ReadonlyMap<string, Json>

/** Every cell of the live table under the name of its row and column. */
const dumpOf = async (
  { store }: ProjectionPorts,
  projection: Projection,
  keys: readonly string[],
): Promise<Dump> => {
  const { rows } = await contentsOf(store, projection)
  return new Map(
    rows.flatMap((text) => {
      const row = JSON.parse(text) as { readonly [column: string]: Json }
      return Object.entries(row)
        .filter(([column]) => column !== 'reader')
        .map(
          ([column, cell]) =>
            [`${keys.map((name) => cellText(row[name])).join(' ')} ${column}`, cell] as const,
        )
    }),
  )
}

/** The plain way: both tables whole, cell by cell. */
const naively = (before: Dump, after: Dump): readonly string[] =>
  [...new Set([...before.keys(), ...after.keys()])]
    .map((cell) => [cell, before.get(cell) ?? null, after.get(cell) ?? null] as const)
    .filter(([, a, b]) => canonicalJson(a) !== canonicalJson(b))
    .map((change) => canonicalJson([...change]))
    .sort()

const listed = (changes: readonly Change[]): readonly string[] =>
  changes
    .map(({ key, column, before, after }) => canonicalJson([`${key} ${column}`, before, after]))
    .sort()

const anyFix = fc.record({
  from: fc.constantFrom(',', 'DIRECT', '\n', ' ', '#', '.', 'e', 'zzz'),
  to: fc.constantFrom('', ',', 'RESELLER', '\n', '#', 'x'),
})

/** Some readers differ in what they say, others only in their name. */
let differing = 0

test('ads-txt-state: rebuild --diff lists what two dumps, before and after, have otherwise', async () => {
  await fc.assert(
    fc.asyncProperty(anyHistory, fc.nat(), anyFix, async (history, cut, { from, to }) => {
      let head = history.recorded.length === 0 ? 0 : cut % (history.recorded.length + 1)
      const plain = portsOf(history, memoryStore(), () => head)
      right(await catchUp(plain)(adsTxtState)())
      const before = await dumpOf(plain, adsTxtState, ['site'])
      const fixed = withReader(plain, adsTxtReading(2, from, to))
      const dry = await changesOf(fixed, adsTxtState, { keep: true })
      const same = await dumpOf(plain, adsTxtState, ['site'])
      deepEqual(same, before)
      // The same fix from nothing, at the position of the live table: the plain way.
      const fresh = withReader(
        portsOf(history, memoryStore(), () => head),
        adsTxtReading(2, from, to),
      )
      right(await catchUp(fresh)({ ...adsTxtState, readWith: 'ads-txt@2' })())
      const after = await dumpOf(fresh, adsTxtState, ['site'])
      deepEqual(listed(dry.changes), naively(before, after))
      differing += Math.sign(dry.changes.length)
      // Nor does what has happened since make a difference.
      head = history.recorded.length
      const done = await changesOf(fixed, adsTxtState)
      deepEqual(listed(done.changes), listed(dry.changes))
    }),
  )
})

test('the fixes of the property above did change facts', () => {
  deepEqual(differing > 0, true)
})

test('robots-decisions: so it is when robots-parser takes the place of our reader', async () => {
  const keys = ['origin', 'programme']
  let found = 0
  await fc.assert(
    fc.asyncProperty(anyHistory, async (history) => {
      const ports = portsOf(history)
      right(await catchUp(ports)(robotsDecisions)())
      const before = await dumpOf(ports, robotsDecisions, keys)
      const { changes } = await changesOf(ports, robotsDecisions, {}, 'robots-parser@3.0.1')
      const after = await dumpOf(ports, robotsDecisions, keys)
      deepEqual(listed(changes), naively(before, after))
      found += changes.length
    }),
  )
  deepEqual(found > 0, true)
})
