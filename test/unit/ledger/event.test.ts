import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { codecShape } from '../../../scripts/codec-shape.ts'
import type { t } from '../../../src/kernel/codec.ts'
import { ENVELOPE_FIELDS } from '../../../src/ledger/define.ts'
import { codecOf, EVENTS, isEventType, olderVersion } from '../../../src/ledger/event.ts'

test('every event type stands once in the union and has a codec', () => {
  const types = EVENTS.map((event) => event.type)
  deepEqual(types.toSorted(), [...new Set(types)].toSorted())
  for (const event of EVENTS) {
    equal(codecOf(event.type), event.codec)
    equal(isEventType(event.type), true)
  }
  for (const no of ['', 'toString', 'Nothing']) {
    equal(codecOf(no), undefined)
    equal(isEventType(no), false)
  }
})

for (const { type, v, summary, fields } of EVENTS) {
  test(`${type}: a past tense with a sentence that explains it`, () => {
    match(type, /^([A-Z][a-z]+)+(ed|Sent|Read|Withheld)$/)
    match(summary, /^[A-Z].{20,}\.$/s)
    ok(v >= 1)
  })

  test(`${type}: its fields are named in camel case, none as the envelope's`, () => {
    for (const field of Object.keys(fields)) {
      match(field, /^[a-z][A-Za-z]*$/)
      ok(!ENVELOPE_FIELDS.some((name) => name === field), field)
    }
  })

  test(`${type}: every earlier version can still be read`, () => {
    for (let earlier = 1; earlier < v; earlier += 1) ok(olderVersion(type, earlier), `v${earlier}`)
  })

  test(`${type}: whatever stands in it is bounded, text and lists by length`, () => {
    for (const [field, codec] of Object.entries<t.Mixed>(fields))
      deepEqual(unbounded(codec), [], `${type}.${field}`)
  })
}

/** Names of the parts of a codec that take text or lists of any length. */
const unbounded = (codec: t.Mixed): string[] => {
  const shape = codecShape(codec)
  switch (shape.tag) {
    case 'record':
      return shape.fields.flatMap(([, inner]) => unbounded(inner))
    case 'list':
      return unbounded(shape.items)
    case 'union':
      return shape.members.flatMap(unbounded)
    case 'tuple':
      return shape.items.flatMap(unbounded)
    case 'dictionary':
      return [...unbounded(shape.key), ...unbounded(shape.value)]
    case 'literal':
      return []
    case 'leaf':
      return ['string', 'number', 'Array', 'object', 'unknown', 'any'].some((open) =>
        shape.name.startsWith(open),
      )
        ? [shape.name]
        : []
  }
}
