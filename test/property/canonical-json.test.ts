import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { Defect } from '../../src/kernel/assert.ts'
import { canonicalJson, type Json } from '../../src/kernel/canonical-json.ts'
import { anyJson, anyText } from '../support/arbitraries/kernel.ts'
import { fc } from '../support/property.ts'

const plain = (value: Json): unknown => JSON.parse(JSON.stringify(value))

/** The same value with the keys of every object entered in the opposite order. */
const reversed = (value: Json): Json => {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(reversed)
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, reversed(inner)]),
  )
}

test('RFC8785: what is written is read back as the same value', () => {
  fc.assert(
    fc.property(anyJson, (value) => deepEqual(JSON.parse(canonicalJson(value)), plain(value))),
  )
})

test('RFC8785: a canonical text is the canonical text of what it says', () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      const text = canonicalJson(value)
      equal(canonicalJson(JSON.parse(text)), text)
      equal(Buffer.from(text).toString('utf8'), text)
    }),
  )
})

test('RFC8785_3.2.3: the order in which keys were entered changes nothing', () => {
  fc.assert(
    fc.property(anyJson, (value) => equal(canonicalJson(reversed(value)), canonicalJson(value))),
  )
})

test('RFC8785_3.2.3: keys stand in ascending order of their UTF-16 code units', () => {
  fc.assert(
    fc.property(fc.dictionary(anyText(), fc.constant(null)), (value) => {
      const keys = canonicalJson(value)
        .slice(1, -1)
        .split(':null')
        .filter((part) => part !== '')
        .map((part): unknown => JSON.parse(part.replace(/^,/, '')))
      for (const [i, key] of keys.slice(1).entries())
        equal(String(keys[i]) < String(key), true, `${String(keys[i])} before ${String(key)}`)
    }),
  )
})

/** As RFC 8785 says it, with nothing remembered from one object to the next. */
const plainly = (value: Json): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(plainly).join(',')}]`
  const fields = Object.entries(value).map(([key, inner]) => [key, plainly(inner)] as const)
  const inOrder = fields.toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${inOrder.map(([key, inner]) => `${JSON.stringify(key)}:${inner}`).join(',')}}`
}

test('RFC8785_3.2.3: objects with nearly the same keys do not get into each other’s order', () => {
  const few = fc.constantFrom('a', 'b', 'aa', 'ab', '1', '10', '9', '__proto__', 'ü')
  const objects = fc.array(
    fc
      .uniqueArray(few, { maxLength: 5 })
      .map((keys): Json => Object.fromEntries(keys.map((key, i) => [key, i]))),
    { minLength: 2, maxLength: 30 },
  )
  fc.assert(
    fc.property(objects, (values) => {
      for (const value of values) equal(canonicalJson(value), plainly(value))
      equal(canonicalJson(values), plainly(values))
    }),
  )
})

test('a number that is not a safe integer is refused wherever it stands', () => {
  const unsafe = fc.double().filter((n) => !Number.isSafeInteger(n))
  fc.assert(
    fc.property(unsafe, anyText(), (n, key) => {
      throws(() => canonicalJson([{ [key]: [n] }]), Defect)
    }),
  )
})
