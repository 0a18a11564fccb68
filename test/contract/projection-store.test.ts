import { deepEqual, equal, notEqual, ok, rejects } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { postgresProjectionStore } from '../../src/adapters/postgres/projections/store.ts'
import { E } from '../../src/kernel/fp.ts'
import { canonicalJson } from '../../src/kernel/canonical-json.ts'
import { catchUp } from '../../src/shell/projecting/catch-up.ts'
import { rebuild } from '../../src/shell/projecting/rebuild.ts'
import { PROJECTIONS } from '../../projections/index.ts'
import { BEFORE_ALL } from '../../projections/place.ts'
import type { ProjectionStore, Standing, Written } from '../../projections/port.ts'
import { type Projection, projection, type Row } from '../../projections/projection.ts'
import { anyHistory } from '../support/arbitraries/events.ts'
import { execute, places, testDatabase } from '../support/database.ts'
import { left, right } from '../support/either.ts'
import { contentsOf, memoryStore, portsOf } from '../support/projecting.ts'
import { fc } from '../support/property.ts'

type Opening = {
  readonly name: string
  readonly open: () => Promise<ProjectionStore>
}

const STORES: readonly Opening[] = [
  { name: 'memory', open: async () => memoryStore() },
  ...places.map((place) => ({
    name: place.name,
    open: async () => postgresProjectionStore((await testDatabase(place)).database),
  })),
]

let made = 0
/** A small table nobody else uses. */
const sample = () => {
  made += 1
  return projection<null>(
    {
      name: `sample-${made}`,
      version: 1,
      interestedIn: [],
      keysOf: () => [],
      initial: () => null,
      fold: () => null,
    },
    { columns: ['site', 'position', 'at', 'flag', 'detail'], rowsOf: () => [] },
    `create table :table (site text, position bigint, at timestamptz, flag boolean, detail jsonb);
     -- a comment; with a semicolon
     create index on :table (site);`,
  )
}

const BUILD = { version: 1, reader: null }
const AT = '2026-11-30T01:02:03.004Z'
const row = (site: string, position: number, more: Partial<Row> = {}): Row => ({
  site,
  position,
  at: AT,
  flag: true,
  detail: { list: [1, 'two', null], text: 'ü' },
  ...more,
})
const entry = (key: string, rows: readonly Row[], isNew = true): Written => ({
  key,
  isNew,
  state: canonicalJson({ key, rows: rows.length }),
  rows,
  since: 0,
  touched: [1],
  snapshots: [],
})

const built = async (
  store: ProjectionStore,
  table: ReturnType<typeof sample>,
  written: readonly Written[] = [],
  checkpoint = 1,
): Promise<Standing> => {
  const shadow = right(await store.startShadow(table, BUILD)())
  const filled = right(await store.commit(table, shadow, { checkpoint, written })())
  return right(await store.swap(table, filled)())
}

for (const { name, open } of STORES)
  describe(`projection store: ${name}`, () => {
    let store: ProjectionStore
    before(async () => {
      store = await open()
    })

    test('nothing is live before the first build, and no rows are read', async () => {
      const table = sample()
      equal(right(await store.live(table)()), undefined)
      const page = right(await store.readRows(table, { limit: 1 })())
      deepEqual(page, { standing: undefined, rows: [], next: undefined })
    })

    test('CL5 a shadow is not seen by readers until it is swapped in', async () => {
      const table = sample()
      await built(store, table, [entry('a', [row('a', 1)])])
      const shadow = right(await store.startShadow(table, BUILD)())
      const batch = { checkpoint: 9, written: [entry('b', [row('b', 9)])] }
      const filled = right(await store.commit(table, shadow, batch)())
      const during = right(await store.readRows(table, { limit: 10 })())
      deepEqual([during.standing?.checkpoint, during.rows], [1, [row('a', 1)]])
      const live = right(await store.swap(table, filled)())
      const then = right(await store.readRows(table, { limit: 10 })())
      deepEqual([then.standing, then.rows], [live, [row('b', 9)]])
      equal(live.generation, shadow.generation)
    })

    test('cells come back as they were written', async () => {
      const table = sample()
      const rows = [
        row('a', Number.MAX_SAFE_INTEGER),
        row('a', 2, { at: null, flag: null, detail: null }),
        row('a', 3, { flag: false, detail: 'text', at: '1970-01-01T00:00:00.000Z' }),
        row('a', 4, { detail: [] }),
      ]
      await built(store, table, [entry('a', rows)])
      deepEqual(right(await store.readRows(table, { limit: 10 })()).rows, rows)
    })

    test('rows that are added go behind those of their key, and none before is touched', async () => {
      const table: Projection = { ...sample(), adds: { keeps: (state) => state } }
      const first = [
        entry('a', [row('a', 1), row('a', 2)]),
        entry('b', []),
        entry('c', [row('c', 3)]),
      ]
      const live = await built(store, table, first, 3)
      const more = [entry('a', [row('a', 4)], false), entry('b', [row('b', 5), row('b', 6)], false)]
      const after5 = right(await store.commit(table, live, { checkpoint: 6, written: more })())
      // A state that changed and told nothing.
      const last = [
        entry('a', [], false),
        entry('c', [row('c', 7)], false),
        entry('d', [row('d', 7)]),
      ]
      const end = right(await store.commit(table, after5, { checkpoint: 7, written: last })())
      const { rows } = right(await store.readTable(end, { after: BEFORE_ALL, limit: 20 })())
      deepEqual(
        rows.map(({ place, row: { position } }) => [place.key, place.index, position]),
        [
          ['a', 0, 1],
          ['a', 1, 2],
          ['a', 2, 4],
          ['b', 0, 5],
          ['b', 1, 6],
          ['c', 0, 3],
          ['c', 1, 7],
          ['d', 0, 7],
        ],
      )
      equal(right(await store.status()()).find((one) => one.projection === table.name)?.rows, 8)
      const states = right(await store.readStates(end, { after: '', limit: 10 })())
      deepEqual(
        states.map(({ key, state }) => [key, state]),
        [...last, ...more.slice(1)]
          .toSorted((a, b) => (a.key < b.key ? -1 : 1))
          .map(({ key, state }) => [key, state]),
      )
    })

    test('a table is read in the order of its places, page by page, until its end', async () => {
      const table = sample()
      const keys = ['a', 'B', 'ä', '\u{1F600}', '\uFF21', 'a b']
      const written = keys.map((key, i) => entry(key, [row(key, i + 1), row(key, i + 10)]))
      const live = await built(store, table, written)
      const read: (readonly [string, number])[] = []
      for (let after = BEFORE_ALL; ;) {
        const page = right(await store.readTable(live, { after, limit: 5 })())
        read.push(...page.rows.map(({ place }) => [place.key, place.index] as const))
        const [first] = page.rows
        if (after === BEFORE_ALL) deepEqual(first?.row, row('B', 2))
        after = page.rows.at(-1)?.place ?? after
        if (page.last) break
      }
      const inOrder = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      deepEqual(
        read,
        inOrder.flatMap((key) => [0, 1].map((index) => [key, index] as const)),
      )
    })

    test('a table that moved on, was replaced or never was is not read as if it stood still', async () => {
      const table = sample()
      const live = await built(store, table, [entry('a', [row('a', 1)])])
      const page = { after: BEFORE_ALL, limit: 5 }
      const moved = { checkpoint: 5, written: [] }
      const next = right(await store.commit(table, live, moved)())
      equal(left(await store.readTable(live, page)()).tag, 'Overtaken')
      equal(right(await store.readTable(next, page)()).rows.length, 1)
      await built(store, table, [], 9)
      equal(left(await store.readTable(next, page)()).tag, 'Overtaken')
      const nowhere = { ...live, projection: `${live.projection}-no` }
      equal(left(await store.readTable(nowhere, page)()).tag, 'Overtaken')
    })

    test('an empty table is at its end', async () => {
      const table = sample()
      const live = await built(store, table)
      const page = right(await store.readTable(live, { after: BEFORE_ALL, limit: 5 })())
      deepEqual(page, { rows: [], last: true })
    })

    test('a shadow that is dropped is gone, and one begun since stays', async () => {
      const table = sample()
      await built(store, table, [entry('a', [row('a', 1)])])
      const first = right(await store.startShadow(table, BUILD)())
      const second = right(await store.startShadow(table, BUILD)())
      right(await store.dropShadow(first)())
      right(await store.commit(table, second, { checkpoint: 2, written: [] })())
      right(await store.dropShadow(second)())
      const page = { after: BEFORE_ALL, limit: 5 }
      equal(left(await store.readTable({ ...second, checkpoint: 2 }, page)()).tag, 'Overtaken')
      equal(right(await store.readRows(table, { limit: 10 })()).rows.length, 1)
    })

    test('a commit replaces the rows of its keys and leaves those of others', async () => {
      const table = sample()
      const written = [entry('a', [row('a', 1), row('a', 2)]), entry('b', [row('b', 3)])]
      const live = await built(store, table, written)
      const batch = { checkpoint: 5, written: [entry('a', [row('a', 5)], false)] }
      const next = right(await store.commit(table, live, batch)())
      equal(next.checkpoint, 5)
      const page = right(await store.readRows(table, { limit: 10 })())
      deepEqual(page.rows, [row('a', 5), row('b', 3)])
      const states = right(await store.loadStates(next, ['a', 'b', 'c'])())
      const trail = { since: 0, touched: [1] }
      const expected = {
        a: { state: '{"key":"a","rows":1}', ...trail },
        b: { state: '{"key":"b","rows":1}', ...trail },
      }
      deepEqual(Object.fromEntries(states), expected)
    })

    test('of two commits from one standing the second is refused and writes nothing', async () => {
      const table = sample()
      const live = await built(store, table)
      const first = { checkpoint: 5, written: [entry('a', [row('a', 5)])] }
      const second = { checkpoint: 6, written: [entry('b', [row('b', 6)])] }
      const outcomes = await Promise.all([
        store.commit(table, live, first)(),
        store.commit(table, live, second)(),
      ])
      equal(outcomes.filter(E.isRight).length, 1)
      const lost = outcomes.find(E.isLeft)
      ok(lost !== undefined && lost.left.tag === 'Overtaken')
      equal(right(await store.readRows(table, { limit: 10 })()).rows.length, 1)
    })

    test('a commit that cannot be written leaves nothing of itself, and the next one is', async () => {
      const table = sample()
      const live = await built(store, table, [entry('a', [row('a', 1)])])
      const twice = { checkpoint: 2, written: [entry('a', [row('a', 2)])] }
      await rejects(store.commit(table, live, twice)(), { name: 'Defect' })
      const page = right(await store.readRows(table, { limit: 9 })())
      deepEqual([page.standing, page.rows], [live, [row('a', 1)]])
      const good = { checkpoint: 2, written: [entry('a', [row('a', 2)], false)] }
      equal(right(await store.commit(table, live, good)()).checkpoint, 2)
    })

    test('a commit for a table that was swapped away is refused', async () => {
      const table = sample()
      const old = await built(store, table)
      await built(store, table)
      const batch = { checkpoint: 5, written: [] }
      equal(left(await store.commit(table, old, batch)()).tag, 'Overtaken')
    })

    test('a second shadow drops the first, whose commits are then refused', async () => {
      const table = sample()
      const first = right(await store.startShadow(table, BUILD)())
      const batch = { checkpoint: 1, written: [entry('a', [row('a', 1)])] }
      const filled = right(await store.commit(table, first, batch)())
      const second = right(await store.startShadow(table, BUILD)())
      notEqual(second.generation, first.generation)
      equal(left(await store.commit(table, filled, { ...batch, checkpoint: 2 })()).tag, 'Overtaken')
      equal(left(await store.swap(table, filled)()).tag, 'Overtaken')
      deepEqual(right(await store.readStates(second, { after: '', limit: 5 })()), [])
    })

    test('a swap never takes the live table back in time', async () => {
      const table = sample()
      const live = await built(store, table, [], 10)
      const shadow = right(await store.startShadow(table, BUILD)())
      const behind = right(await store.commit(table, shadow, { checkpoint: 9, written: [] })())
      equal(left(await store.swap(table, behind)()).tag, 'Overtaken')
      deepEqual(right(await store.live(table)()), live)
    })

    test('rows are read page by page in key order, each once', async () => {
      const table = sample()
      const keys = ['b', 'a', 'a b', 'a!', 'Z', 'ab']
      await built(
        store,
        table,
        keys.map((key) => entry(key, [row(key, 1), row(key, 2)])),
      )
      const seen: string[] = []
      for (let from: string | undefined; ;) {
        const place: { after?: string } = from === undefined ? {} : { after: from }
        const page = right(await store.readRows(table, { limit: 5, ...place })())
        seen.push(...page.rows.map(({ site, position }) => `${canonicalJson(site)}${position}`))
        if (page.next === undefined) break
        from = page.next
      }
      deepEqual(
        seen,
        ['Z', 'a', 'a b', 'a!', 'ab', 'b'].flatMap((key) => [`"${key}"1`, `"${key}"2`]),
      )
    })

    test('RC26 rows are found by the values of columns and by a span of time', async () => {
      const table = sample()
      const at = (second: number) => `2026-11-30T01:00:0${second}.000Z`
      const rows = [1, 2, 3, 4].map((n) => row('x', n, { at: at(n), flag: n > 2 }))
      await built(store, table, [entry('x', rows), entry('y', [row('y', 9, { at: at(2) })])])
      const between = { column: 'at', from: at(2), to: at(3) }
      const page = right(await store.readRows(table, { where: { site: 'x' }, between, limit: 9 })())
      deepEqual(
        page.rows.map(({ position }) => position),
        [2, 3],
      )
      const flagged = right(await store.readRows(table, { where: { flag: true }, limit: 9 })())
      equal(flagged.rows.length, 3)
    })

    test('readings are remembered by reader and position, and given in bounded portions', async () => {
      const reader = `ads-txt@${(made += 1)}`
      const texts = new Map([
        [3, '"aaaaaaaa"'],
        [5, '"bbbbbbbb"'],
        [7, '"aaaaaaaa"'],
      ])
      right(await store.saveReadings(reader, texts)())
      right(await store.saveReadings(reader, texts)())
      const all = right(await store.loadReadings(reader, [1, 3, 5, 7, 9], 1_000)())
      deepEqual([all.through, [...all.readings]], [9, [...texts]])
      equal(right(await store.loadReadings('other@1', [3], 1_000)()).readings.size, 0)
      const seen = new Map<number, string>()
      let through = 0
      while (through < 9) {
        const wanted = [1, 3, 5, 7, 9].filter((at) => at > through)
        const some = right(await store.loadReadings(reader, wanted, 1)())
        ok(some.through > through && some.readings.size <= 1)
        for (const [at, text] of some.readings) if (at <= some.through) seen.set(at, text)
        through = some.through
      }
      deepEqual(seen, texts)
    })

    test('readings of erased bodies are forgotten, by every reader, and shared texts stay', async () => {
      const [reader, newer] = [`ads-txt@${(made += 1)}`, `ads-txt@${(made += 1)}`]
      const of = (...at: readonly number[]) => new Map(at.map((one) => [one, `"${reader} ${one}"`]))
      right(await store.saveReadings(reader, new Map([...of(3), [5, '"same"'], [7, '"same"']]))())
      right(await store.saveReadings(newer, of(3))())
      right(await store.forgetReadings([3, 5, 99])())
      right(await store.forgetReadings([])())
      const known = async (label: string) => [
        ...right(await store.loadReadings(label, [3, 5, 7], 1_000)()).readings,
      ]
      deepEqual(await known(reader), [[7, '"same"']])
      deepEqual(await known(newer), [])
      deepEqual(right(await store.scrub()()), { log: 'rewritten' })
      right(await store.saveReadings(reader, of(3))())
      deepEqual((await known(reader)).length, 2)
    })

    test('parts of a shadow move each by themselves, and it is whole when all have come as far', async () => {
      const table = sample()
      const begun = right(await store.startShadow(table, BUILD)())
      const { standing, parts } = right(await store.partShadow(begun, 4)())
      deepEqual(
        parts,
        [0, 1, 2, 3].map((index) => ({ ...standing, part: { index, of: 4 } })),
      )
      const to = (checkpoint: number, key: string) => ({
        checkpoint,
        written: [entry(key, [row(key, checkpoint)])],
      })
      const commits = parts.map((part, i) =>
        store.commit(table, part, to(i === 0 ? 5 : 9, 'abcd'[i] ?? ''))(),
      )
      const moved = (await Promise.all(commits)).map(right)
      deepEqual(
        moved,
        parts.map((part, i) => ({ ...part, checkpoint: i === 0 ? 5 : 9 })),
      )
      const [behind, other] = moved
      ok(behind && other)
      for (const stale of [parts[0] ?? begun, { ...behind, part: { index: 0, of: 3 } }, standing])
        equal(left(await store.commit(table, stale, to(9, 'x'))()).tag, 'Overtaken')
      equal(left(await store.joinShadow(standing, 9)()).tag, 'Overtaken')
      equal(left(await store.swap(table, standing)()).tag, 'Overtaken')
      const known = { checkpoint: 9, written: [entry('a', [row('a', 7), row('a', 8)], false)] }
      right(await store.commit(table, behind, known)())
      equal(left(await store.joinShadow(standing, 8)()).tag, 'Overtaken')
      const whole = right(await store.joinShadow(standing, 9)())
      deepEqual(whole, { ...standing, checkpoint: 9 })
      equal(left(await store.joinShadow(whole, 9)()).tag, 'Overtaken')
      equal(left(await store.commit(table, other, to(10, 'e'))()).tag, 'Overtaken')
      const further = right(await store.commit(table, whole, to(10, 'f'))())
      const live = right(await store.swap(table, further)())
      const page = right(await store.readStates(live, { after: '', limit: 10 })())
      equal(page.map(({ key }) => key).join(''), 'abcdf')
      const status = right(await store.status()()).find((one) => one.projection === table.name)
      deepEqual([status?.rows, status?.checkpoint], [6, 10])
    })

    test('a shadow is parted once, from where it stands, and by who has it', async () => {
      const table = sample()
      const begun = right(await store.startShadow(table, BUILD)())
      const filled = right(await store.commit(table, begun, { checkpoint: 4, written: [] })())
      equal(left(await store.partShadow(begun, 2)()).tag, 'Overtaken')
      const { standing, parts } = right(await store.partShadow(filled, 2)())
      deepEqual(
        parts.map(({ checkpoint, generation }) => [checkpoint, generation]),
        [4, 4].map((checkpoint) => [checkpoint, standing.generation]),
      )
      for (const one of [filled, standing])
        equal(left(await store.partShadow(one, 2)()).tag, 'Overtaken')
      equal(
        left(await store.commit(table, filled, { checkpoint: 9, written: [] })()).tag,
        'Overtaken',
      )
    })

    test('CL5 a shadow that was left is gone on with, by parts or whole, and its last holder is not', async () => {
      const table = sample()
      const build = { version: 1, reader: 'x@1' }
      equal(right(await store.resumeShadow(table, build)()), undefined)
      await built(store, table, [entry('live', [row('live', 1)])])
      equal(right(await store.resumeShadow(table, BUILD)()), undefined, 'a live table is no shadow')
      const begun = right(await store.startShadow(table, build)())
      const first = { checkpoint: 3, written: [entry('a', [row('a', 3)])] }
      const filled = right(await store.commit(table, begun, first)())
      for (const other of [BUILD, { version: 1, reader: 'x@2' }, { version: 2, reader: 'x@1' }])
        equal(right(await store.resumeShadow(table, other)()), undefined)

      const whole = right(await store.resumeShadow(table, build)())
      ok(whole !== undefined)
      const { standing } = whole
      deepEqual(whole, { standing: { ...filled, generation: standing.generation }, parts: [] })
      notEqual(standing.generation, filled.generation)
      const next = { checkpoint: 5, written: [] }
      equal(left(await store.commit(table, filled, next)()).tag, 'Overtaken')
      equal(left(await store.partShadow(filled, 2)()).tag, 'Overtaken')
      equal(left(await store.swap(table, filled)()).tag, 'Overtaken')
      right(await store.dropShadow(filled)())

      const parted = right(await store.partShadow(standing, 2)())
      const [one, two] = parted.parts
      ok(one && two)
      const moved = right(await store.commit(table, two, next)())
      const again = right(await store.resumeShadow(table, build)())
      deepEqual(
        again?.parts.map(({ checkpoint, part }) => [checkpoint, part]),
        [
          [3, { index: 0, of: 2 }],
          [5, { index: 1, of: 2 }],
        ],
      )
      for (const old of [one, moved])
        equal(left(await store.commit(table, old, { ...next, checkpoint: 7 })()).tag, 'Overtaken')
      equal(left(await store.joinShadow(parted.standing, 5)()).tag, 'Overtaken')
      const late = again?.parts[0]
      ok(again && late)
      const known = right(await store.loadStates(late, ['a', 'b'])())
      deepEqual([...known.keys()], ['a'])
      right(await store.commit(table, late, next)())
      const joined = right(await store.joinShadow(again.standing, 5)())
      right(await store.swap(table, joined)())
      deepEqual(right(await store.readRows(table, { limit: 9 })()).rows, [row('a', 3)])
    })

    test('parts go with their shadow, when another is begun and when it is dropped', async () => {
      const table = sample()
      const begun = right(await store.startShadow(table, BUILD)())
      const { parts } = right(await store.partShadow(begun, 2)())
      const batch = { checkpoint: 2, written: [] }
      const [one] = parts
      ok(one)
      const moved = right(await store.commit(table, one, batch)())
      const second = right(await store.startShadow(table, BUILD)())
      equal(left(await store.commit(table, moved, { ...batch, checkpoint: 3 })()).tag, 'Overtaken')
      right(await store.commit(table, second, batch)())
      const resumed = right(await store.resumeShadow(table, BUILD)())
      ok(resumed)
      deepEqual([resumed.parts, resumed.standing.checkpoint], [[], 2])
      const again = right(await store.partShadow(resumed.standing, 3)())
      right(await store.dropShadow(again.standing)())
      equal(right(await store.resumeShadow(table, BUILD)()), undefined)
    })

    test('CL5 of a commit and whoever takes the shadow over, or joins it, one is first', async () => {
      const table = sample()
      const begun = right(await store.startShadow(table, BUILD)())
      let { standing, parts } = right(await store.partShadow(begun, 2)())
      for (let turn = 1; turn <= 30; turn += 1) {
        const batch = { checkpoint: turn, written: [entry(`${turn}`, [row('a', turn)])] }
        const commits = parts.map((part, i) => {
          const mine = { ...batch, written: [entry(`${turn}-${i}`, [row('a', turn)])] }
          return store.commit(table, part, mine)()
        })
        const [outcomes, resumed] = await Promise.all([
          Promise.all(commits),
          store.resumeShadow(table, BUILD)(),
        ])
        const now = right(resumed)
        ok(now)
        const before = parts
        ;({ standing, parts } = now)
        for (const [i, outcome] of outcomes.entries())
          equal(
            parts[i]?.checkpoint,
            E.isRight(outcome) ? turn : before[i]?.checkpoint,
            `turn ${turn}, part ${i}`,
          )
      }
      const level = async (to: number) => {
        for (const part of parts)
          if (part.checkpoint < to)
            right(await store.commit(table, part, { checkpoint: to, written: [] })())
        const now = right(await store.resumeShadow(table, BUILD)())
        ok(now)
        ;({ standing, parts } = now)
      }
      for (let turn = 40; turn < 60; turn += 1) {
        await level(turn)
        const [one] = parts
        ok(one)
        const [moved, joined] = await Promise.all([
          store.commit(table, one, { checkpoint: turn + 1, written: [] })(),
          store.joinShadow(standing, turn)(),
        ])
        notEqual(E.isRight(moved), E.isRight(joined))
        if (E.isRight(joined))
          ({ standing, parts } = right(await store.partShadow(joined.right, 2)()))
        else parts = [right(moved), ...parts.slice(1)]
      }
    })

    test('a lock has one holder at a time, and passes on when its holder throws', async () => {
      const name = `lock-${(made += 1)}`
      let inside = 0
      let most = 0
      const task = async () => {
        inside += 1
        most = Math.max(most, inside)
        await sleep(5)
        inside -= 1
        return E.right('done')
      }
      const broken = store.exclusively([name], () => Promise.reject(new Error('a bug')))()
      const rest = [1, 2, 3].map(() => store.exclusively([name], task)())
      await broken.then(
        () => ok(false, 'the bug was swallowed'),
        (error: unknown) => ok(error instanceof Error && error.message === 'a bug'),
      )
      for (const outcome of await Promise.all(rest)) equal(right(outcome), 'done')
      equal(most, 1)
    })

    test('several locks are held at once, in whatever order they are asked for', async () => {
      const names = ['one', 'two', 'three'].map((name) => `${name}-${(made += 1)}`)
      let inside = 0
      let most = 0
      const task = async () => {
        most = Math.max(most, (inside += 1))
        await sleep(2)
        inside -= 1
        return E.right('done')
      }
      const asked = [names, names.toReversed(), names.slice(1), names.slice(0, 2).toReversed()]
      // Each shares the middle one with every other.
      const outcomes = await Promise.all(asked.map((some) => store.exclusively(some, task)()))
      for (const outcome of outcomes) equal(right(outcome), 'done')
      equal(most, 1)
    })

    test('the status names every table, its standing and its rows', async () => {
      const table = sample()
      const live = await built(store, table, [entry('a', [row('a', 1), row('a', 2)])], 7)
      const batch = { checkpoint: 8, written: [entry('a', [row('a', 8)], false)] }
      right(await store.commit(table, live, batch)())
      right(await store.startShadow(table, { version: 2, reader: 'x@1' })())
      const all = right(await store.status()()).filter(
        ({ projection }) => projection === table.name,
      )
      const facts = all.map((one) => [
        one.place,
        one.version,
        one.checkpoint,
        one.rows,
        one.builtAt !== null,
      ])
      deepEqual(facts, [
        ['live', 1, 8, 1, true],
        ['shadow', 2, 0, 0, false],
      ])
    })
  })

test('CL5 the projections of a history are the same in memory and in PostgreSQL', async () => {
  const runs = Math.min(8, fc.readConfigureGlobal().numRuns ?? 8)
  await fc.assert(
    fc.asyncProperty(anyHistory, fc.nat(), async (history, cut) => {
      let head = history.recorded.length === 0 ? 0 : cut % history.recorded.length
      const { database, close } = await testDatabase()
      const store = postgresProjectionStore(database)
      const live = portsOf(history, store, () => head)
      const fresh = portsOf(history)
      for (const one of PROJECTIONS) right(await rebuild(live)(one)())
      head = history.recorded.length
      for (const one of PROJECTIONS) {
        right(await catchUp(live)(one, { limits: SMALL })())
        right(await catchUp(fresh)(one)())
        deepEqual(await contentsOf(store, one), await contentsOf(fresh.store, one), one.name)
      }
      await close()
    }),
    { numRuns: runs },
  )
})

const SMALL = { pageEvents: 7, batchEvents: 3, batchBytes: 2_000, heldBytes: 3_000, newKeys: 2 }

test('CL5 readers during catching up and swaps see one checkpoint at a time', async () => {
  const store = postgresProjectionStore((await testDatabase()).database)
  const table = sample()
  const rowsAt = (n: number, isNew: boolean) =>
    ['k1', 'k2', 'k3'].map((key) => entry(key, [row(key, n)], isNew))
  let live = await built(store, table, rowsAt(1, true), 1)
  const writing = new AbortController()
  const read = async (): Promise<number> => {
    let reads = 0
    while (!writing.signal.aborted) {
      const page = right(await store.readRows(table, { limit: 10 })())
      const positions = new Set(page.rows.map(({ position }) => position))
      deepEqual([...positions], [page.standing?.checkpoint])
      equal(page.rows.length, 3)
      reads += 1
    }
    return reads
  }
  const readers = [read(), read(), read()]
  for (let n = 2; n <= 40; n += 1) {
    const batch = { checkpoint: n, written: rowsAt(n, false) }
    live =
      n % 2 === 0
        ? right(await store.commit(table, live, batch)())
        : await built(store, table, rowsAt(n, true), n)
  }
  writing.abort()
  for (const reads of await Promise.all(readers)) ok(reads > 0)
})

test('a database of before shadows had parts gets them, and every table stays as it is', async () => {
  const { database, settings } = await testDatabase()
  const table = sample()
  const old = postgresProjectionStore(database)
  const live = await built(old, table, [entry('a', [row('a', 1)])])
  const begun = right(await old.startShadow(table, BUILD)())
  const filled = right(await old.commit(table, begun, { checkpoint: 3, written: [] })())
  await execute(settings, 'drop table projection.part')
  const store = postgresProjectionStore(database)
  deepEqual(right(await store.live(table)()), live)
  const shadow = right(await store.resumeShadow(table, BUILD)())
  deepEqual([shadow?.standing.checkpoint, shadow?.parts], [filled.checkpoint, []])
  ok(shadow)
  equal(right(await store.partShadow(shadow.standing, 2)()).parts.length, 2)
})

test('a database that is gone is Unavailable, not an exception', async () => {
  const { database, close } = await testDatabase()
  await close()
  const store = postgresProjectionStore(database)
  equal(left(await store.live(sample())()).tag, 'Unavailable')
  equal(left(await store.status()()).tag, 'Unavailable')
})
