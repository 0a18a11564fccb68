import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { adsTxtFindings, requestLog } from '../../../projections/index.ts'
import type { ProjectionStore, Standing } from '../../../projections/port.ts'
import type { Projection, Row } from '../../../projections/projection.ts'
import { canonicalJson } from '../../../src/kernel/canonical-json.ts'
import { type Change, compareTables } from '../../../src/shell/projecting/changes.ts'
import { right } from '../../support/either.ts'
import { memoryStore } from '../../support/projecting.ts'
import { fc } from '../../support/property.ts'

type Keyed = Readonly<Record<string, readonly Row[]>>

/** What turns one table into the other. */
const between = async (
  projection: Projection,
  before: Keyed,
  after: Keyed,
  store = memoryStore(),
) => {
  const build = { version: 1, reader: null }
  const filled = async (rows: Keyed): Promise<Standing> => {
    const shadow = right(await store.startShadow(projection, build)())
    const written = Object.entries(rows).map(([key, some]) => ({
      key,
      isNew: true,
      state: '{}',
      rows: some,
      since: 0,
      touched: [],
      snapshots: [],
    }))
    return right(await store.commit(projection, shadow, { checkpoint: 9, written })())
  }
  const live = right(await store.swap(projection, await filled(before))())
  const shadow = await filled(after)
  const changes: Change[] = []
  const tables = { projection, before: live, after: shadow }
  const compared = right(await compareTables(store, tables, (change) => void changes.push(change)))
  equal(compared.facts, changes.length)
  return changes
}

const finding = (position: number, kind: string, about: string, says = 'as it is'): Row => ({
  position,
  kind,
  about,
  says,
})
const told = (changes: readonly Change[]): readonly unknown[] =>
  changes.map(({ index, row, column, before, after }) => [index, row, column, before, after])

test('a finding more in front of others: only that one is new', async () => {
  const [old, older] = [finding(3, 'gone', 'b'), finding(5, 'new', 'c')]
  const changes = await between(
    adsTxtFindings,
    { 'a.example': [old, older] },
    { 'a.example': [finding(2, 'new', 'x'), old, older] },
  )
  deepEqual([...new Set(changes.map(({ row, index }) => `${row} ${index}`))], ['appeared 0'])
})

test('rows of one key that fill several pages are paired all the same', async () => {
  const many = Array.from({ length: 450 }, (_, i) => finding(i + 10, 'new', 'x'))
  const single = Object.fromEntries(many.map((row, i) => [`b${i}`, [row]]))
  const changes = await between(
    adsTxtFindings,
    { a: many, ...single },
    { a: [finding(1, 'new', 'x'), ...many.slice(1)], ...single },
  )
  deepEqual(
    changes
      .filter(({ column }) => column === 'position')
      .map(({ row, before, after }) => [row, before, after]),
    [
      ['appeared', null, 1],
      ['vanished', 10, null],
    ],
  )
})

test('the same finding told in other words has changed; one that is not told has vanished', async () => {
  const changes = await between(
    adsTxtFindings,
    { 'a.example': [finding(2, 'new', 'x'), finding(5, 'gone', 'b'), finding(5, 'new', 'b')] },
    { 'a.example': [finding(5, 'gone', 'b', 'otherwise'), finding(5, 'new', 'b')] },
  )
  deepEqual(told(changes), [
    [0, 'vanished', 'position', 2, null],
    [0, 'vanished', 'kind', 'new', null],
    [0, 'vanished', 'about', 'x', null],
    [0, 'vanished', 'says', 'as it is', null],
    [0, 'changed', 'says', 'as it is', 'otherwise'],
  ])
})

test('however many findings a key has, no more than some pages of them are held', async () => {
  const many = Array.from({ length: 3_000 }, (_, i) => finding(i + 1, 'new', 'x'))
  const store = memoryStore()
  const pages = { live: 0, shadow: 0 }
  let apart = 0
  const counting: ProjectionStore = {
    ...store,
    readTable: (standing, page) => {
      pages[standing.place] += 1
      apart = Math.max(apart, Math.abs(pages.live - pages.shadow))
      return store.readTable(standing, page)
    },
  }
  const changes = await between(adsTxtFindings, { a: many }, { a: many.slice(0, -1) }, counting)
  deepEqual([...new Set(changes.map(({ row }) => row))], ['vanished'])
  ok(pages.live > 10 && apart <= 1, `${apart} pages apart`)
})

test('two findings of the same thing are paired in their order', async () => {
  const twice = [finding(5, 'new', 'b', 'one'), finding(5, 'new', 'b', 'two')]
  const changes = await between(
    adsTxtFindings,
    { 'a.example': twice },
    { 'a.example': [twice[0] ?? finding(0, '', ''), finding(5, 'new', 'b', 'three')] },
  )
  deepEqual(told(changes), [[1, 'changed', 'says', 'two', 'three']])
})

test('where a key has one row, it is the same row whatever it says', async () => {
  const changes = await between(
    requestLog,
    { a: [{ position: 1, status: 200 }], b: [{ position: 1 }] },
    { a: [{ position: 2, status: 404 }], c: [{ position: 1 }] },
  )
  deepEqual(
    changes.map(({ key, row, column }) => [key, row, column]),
    [
      ['a', 'changed', 'position'],
      ['a', 'changed', 'status'],
      ['b', 'vanished', 'position'],
      ['c', 'appeared', 'position'],
    ],
  )
})

test('any two tables: what is listed is what two dumps by identity have otherwise', async () => {
  const anyRows = fc.uniqueArray(
    fc.tuple(fc.nat(3), fc.constantFrom('new', 'gone'), fc.constantFrom('x', 'y'), fc.nat(2)),
    { selector: ([position, kind, about]) => `${position} ${kind} ${about}` },
  )
  const anyTable = fc
    .dictionary(fc.constantFrom('a', 'b', 'c'), anyRows)
    .map((table): Keyed =>
      Object.fromEntries(
        Object.entries(table).map(([key, rows]) => [
          key,
          rows
            .toSorted(([a], [b]) => a - b)
            .map(([position, kind, about, n]) => finding(position, kind, about, `${n}`)),
        ]),
      ),
    )
  const dump = (table: Keyed): ReadonlyMap<string, unknown> =>
    new Map(
      Object.entries(table).flatMap(([key, rows]) =>
        rows.map(({ position, kind, about, says }) => [
          canonicalJson([key, position, kind ?? '', about ?? '']),
          says,
        ]),
      ),
    )
  await fc.assert(
    fc.asyncProperty(anyTable, anyTable, async (before, after) => {
      const [old, made] = [dump(before), dump(after)]
      const names = [...new Set([...old.keys(), ...made.keys()])]
      const expected = names
        .map((name) => [old.get(name) ?? null, made.get(name) ?? null])
        .filter(([a, b]) => a !== b)
      const changes = await between(adsTxtFindings, before, after)
      const listed = changes.filter(({ column }) => column === 'says')
      deepEqual(
        listed.map((one) => canonicalJson([one.before, one.after])).sort(),
        expected.map((one) => JSON.stringify(one)).sort(),
      )
      equal(
        changes.filter(({ row }) => row === 'changed').length,
        names.filter((name) => old.has(name) && made.has(name) && old.get(name) !== made.get(name))
          .length,
      )
    }),
  )
})
