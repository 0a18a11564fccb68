/**
 * Arbitraries derived from codecs, so that a new event type is tested the day it is declared. What
 * io-ts leaves open is walked; a checked leaf is known by its identity or by its printed name.
 */
import { AssertionError } from 'node:assert'
import { type CodecShape, codecShape } from '../../../scripts/codec-shape.ts'
import { t } from '../../../src/kernel/codec.ts'
import { Digest } from '../../../src/kernel/digest.ts'
import { InstantText } from '../../../src/kernel/instant.ts'
import { Position } from '../../../src/kernel/position.ts'
import { Site } from '../../../src/kernel/site.ts'
import { HttpUrl, Origin } from '../../../src/kernel/url.ts'
import { Night, ProgrammeName, SourceId } from '../../../src/kernel/words.ts'
import { Person } from '../../../src/ledger/act.ts'
import { ClaimId } from '../../../src/ledger/events/claim-published.ts'
import { fc } from '../property.ts'
import {
  anyDigest,
  anyHttpUrl,
  anyInstant,
  anyOrigin,
  anyPosition,
  anySite,
  anyText,
  plainRecord,
} from './kernel.ts'

const leaves = new Map<t.Mixed, fc.Arbitrary<unknown>>([
  [t.boolean, fc.boolean()],
  [t.null, fc.constant(null)],
  [ClaimId, anyDigest.map((digest) => digest.slice(0, 12))],
  [Digest, anyDigest],
  [HttpUrl, anyHttpUrl],
  [InstantText, anyInstant],
  [
    Night,
    fc
      .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
      .map((day) => day.toISOString().slice(0, 10)),
  ],
  [Origin, anyOrigin],
  [Person, anyText(200).filter((name) => name.trim() !== '')],
  [Position, anyPosition],
  [ProgrammeName, fc.stringMatching(/^[a-z][a-z0-9-]{0,63}$/)],
  [Site, anySite],
  [SourceId, anyText(100).filter((id) => id !== '')],
])

/** `text`, `integer` and `oneOf` print their bounds in their names. */
const ofName = (name: string): fc.Arbitrary<unknown> | undefined => {
  const text = /^text of at most (\d+) characters$/.exec(name)
  if (text) return anyText(Math.min(Number(text[1]), 40))
  const integer = /^integer from (-?\d+)(?: to (\d+))?$/.exec(name)
  if (integer)
    return fc.integer({
      min: Number(integer[1]),
      max: integer[2] === undefined ? Number.MAX_SAFE_INTEGER : Number(integer[2]),
    })
  if (/^"[^"]*"( \| "[^"]*")*$/.test(name))
    return fc.constantFrom(...name.split(' | ').map((word) => word.slice(1, -1)))
  return undefined
}

const ofShape = (shape: CodecShape): fc.Arbitrary<unknown> | undefined => {
  switch (shape.tag) {
    case 'record':
      return plainRecord(Object.fromEntries(shape.fields.map(([name, c]) => [name, anyOf(c)])))
    case 'list':
      return fc.array(anyOf(shape.items), { maxLength: Math.min(shape.max, 4) })
    case 'union':
      return fc.oneof(...shape.members.map(anyOf))
    case 'tuple':
      return fc.tuple(...shape.items.map(anyOf))
    case 'dictionary':
      return fc.dictionary(anyOf(shape.key).map(String), anyOf(shape.value), {
        maxKeys: 4,
        noNullPrototype: true,
      })
    case 'literal':
      return fc.constant(shape.value)
    case 'leaf':
      return ofName(shape.name)
  }
}

/** Values that `codec` takes for its own. */
export const anyOf = (codec: t.Mixed): fc.Arbitrary<unknown> => {
  const arbitrary = leaves.get(codec) ?? ofShape(codecShape(codec))
  if (arbitrary !== undefined) return arbitrary
  throw new AssertionError({ message: `no arbitrary for the codec ${codec.name}: add it above` })
}
