import { deepEqual, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { integer, parse, text } from '../../../src/kernel/codec.ts'
import { defineEvent, ENVELOPE_FIELDS } from '../../../src/ledger/define.ts'
import { left, right } from '../../support/either.ts'

const Noted = defineEvent({
  type: 'Noted',
  v: 2,
  summary: 'Something was noted.',
  fields: { note: text(10), weight: integer(0) },
})

test('a declared event takes its own type, its own version and its own fields only', () => {
  const event = { type: 'Noted', v: 2, note: 'a', weight: 1 }
  deepEqual(right(parse('event', Noted.codec, { ...event, undeclared: 1 })), event)
  const more = { type: 'Noted', v: 2, note: 'a', weight: 1, undeclared: 1 } as const
  deepEqual(Noted.codec.encode(more), event)
  deepEqual(
    left(parse('event', Noted.codec, { ...event, type: 'Other', v: 1, weight: null })).problems.map(
      ({ path }) => path,
    ),
    ['type', 'v', 'weight'],
  )
})

for (const name of ENVELOPE_FIELDS) {
  test(`an event that would take the envelope's field ${name} cannot be declared`, () => {
    throws(() => defineEvent({ type: 'Noted', v: 1, summary: '', fields: { [name]: text(10) } }), {
      name: 'Defect',
      message: new RegExp(`the envelope already has ${name}$`),
    })
  })
}
