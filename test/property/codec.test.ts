/** Values are decoded the quick way. It must say yes to what io-ts says yes to, and give the same. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { present } from '../../src/kernel/assert.ts'
import {
  exactly,
  integer,
  listOf,
  nullable,
  oneOf,
  parse,
  t,
  text,
} from '../../src/kernel/codec.ts'
import { E } from '../../src/kernel/fp.ts'
import { InstantText } from '../../src/kernel/instant.ts'
import { codecOf, EVENTS, olderVersion } from '../../src/ledger/event.ts'
import { anyOf } from '../support/arbitraries/codec.ts'
import { anyText } from '../support/arbitraries/kernel.ts'
import { fc } from '../support/property.ts'
import { filesOf, readProjectFile } from '../support/sources.ts'

/** Every way in which a codec is put together, and some that are not taken apart. */
const Everything = exactly({
  text: text(3),
  number: integer(-1, 5),
  word: oneOf('a', 'b'),
  moment: nullable(InstantText),
  list: listOf(exactly({ flag: t.boolean, pair: t.tuple([text(2), t.number]) }), 3),
  either: t.union([
    exactly({ kind: t.literal('x'), x: integer(0) }),
    exactly({ kind: t.literal('y'), y: InstantText }),
    t.string,
  ]),
  even: t.refinement(integer(0), (n) => n % 2 === 0),
  labels: t.record(t.string, integer(0)),
  loose: t.type({ a: t.null }),
})
const everything = {
  text: 'abc',
  number: 5,
  word: 'a',
  moment: '2026-11-30T02:30:00.000Z',
  list: [
    { flag: true, pair: ['p', 1] },
    { flag: false, pair: ['q', 2] },
  ],
  either: { kind: 'y', y: '2026-11-30T02:30:00.000Z' },
  even: 4,
  labels: { one: 1 },
  loose: { a: null, b: 1 },
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** What may stand in the place of a part: something else of its kind, or nothing like it. */
const anyPart = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    undefined,
    '',
    0,
    -1,
    1.5,
    7,
    true,
    [],
    {},
    'a',
    'x',
    [1, 2, 3, 4],
  ),
  fc.constantFrom('2026-02-30T00:00:00.000Z', '2026-11-30T02:30:00.000Z', '\ud800', 'a'.repeat(70)),
  anyText(),
  fc.anything(),
)

/** `value` with one part of it, found by `way`, taken out, replaced, or given company. */
const altered = (value: unknown, way: readonly number[], part: unknown): unknown => {
  const [turn, ...rest] = way
  if (turn === undefined || typeof value !== 'object' || value === null) return part
  if (Array.isArray(value)) {
    const at = turn % (value.length + 1)
    return value.toSpliced(at, 1, altered(value[at], rest, part))
  }
  const keys = [...Object.keys(value), 'extra']
  const key = present(keys[turn % keys.length], 'a key')
  const fields = new Map<string, unknown>(Object.entries(value))
  if (rest.length === 0 && turn % 3 === 0) fields.delete(key)
  else fields.set(key, altered(fields.get(key), rest, part))
  return Object.fromEntries(fields)
}

const agrees = (codec: t.Mixed, input: unknown): boolean => {
  const quick = parse('value', codec, input)
  const slow = codec.decode(input)
  equal(E.isRight(quick), E.isRight(slow))
  if (E.isRight(quick) && E.isRight(slow)) deepEqual(quick.right, slow.right)
  return E.isRight(quick)
}

const anyWay = fc.array(fc.nat(60), { maxLength: 4 })

test('a value is decoded as io-ts decodes it, whatever is done to it', () => {
  ok(agrees(Everything, everything))
  fc.assert(
    fc.property(fc.array(fc.tuple(anyWay, anyPart), { maxLength: 3 }), (changes) => {
      agrees(
        Everything,
        changes.reduce<unknown>((value, [way, part]) => altered(value, way, part), everything),
      )
    }),
  )
})

for (const { type } of EVENTS) {
  const codec = present(codecOf(type), type)
  const anyInput = anyOf(codec).map((event) => {
    ok(codec.is(event))
    return JSON.parse(JSON.stringify(codec.encode(event))) as Json
  })

  test(`${type}: is decoded as io-ts decodes it, whatever is done to it`, () => {
    fc.assert(
      fc.property(anyInput, anyWay, anyPart, (input, way, part) => {
        ok(agrees(codec, input))
        agrees(codec, altered(input, way, part))
      }),
    )
  })
}

test('every frozen entry is decoded as io-ts decodes it, and so is one with any part taken out', () => {
  const paths = filesOf('schema/events/*/v*.json')
  ok(paths.length >= EVENTS.length)
  for (const path of paths) {
    const entry = JSON.parse(readProjectFile(path)) as {
      readonly type: string
      readonly v: number
    }
    const { type, v } = entry
    const codec: t.Mixed = olderVersion(type, v)?.codec ?? present(codecOf(type), type)
    ok(agrees(codec, entry))
    for (const key of Object.keys(entry))
      agrees(codec, Object.fromEntries(Object.entries(entry).filter(([field]) => field !== key)))
  }
})
