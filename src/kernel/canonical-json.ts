import { assert, Defect } from './assert.ts'

/**
 * RFC 8785 (JCS), the subset the ledger allows: strings, safe integers, booleans, null, arrays and
 * plain objects. Anything else, floats and lone surrogates included, is a defect and throws: a
 * value that prints in two ways must never be hashed.
 */
const writeString = (value: string): string => {
  if (PLAIN.test(value)) return `"${value}"`
  assert(value.isWellFormed(), 'canonical JSON: a lone surrogate has no UTF-8 form')
  return JSON.stringify(value)
}

/** Printable ASCII without quote and backslash: most strings, and those that need no escaping. */
const PLAIN = /^[ !#-[\]-~]*$/

const writeNumber = (value: number): string => {
  if (!Number.isSafeInteger(value)) throw new Defect(`canonical JSON: not a safe integer: ${value}`)
  return Object.is(value, -0) ? '0' : String(value)
}

const writeArray = (value: readonly unknown[]): string => {
  let text = ''
  // The loop shows a hole as undefined, which is refused; `map` would pass over it.
  for (const item of value) text += `${text === '' ? '[' : ','}${canonicalJson(item)}`
  return text === '' ? '[]' : `${text}]`
}

const writeObject = (value: { readonly [key: string]: unknown }): string => {
  const prototype: unknown = Object.getPrototypeOf(value)
  assert(
    prototype === Object.prototype || prototype === null,
    'canonical JSON: only plain objects are allowed',
  )
  let text = ''
  for (const { key, before } of partsOf(Object.keys(value)))
    text += `${before}${canonicalJson(value[key])}`
  return text === '' ? '{}' : `${text}}`
}

/** A key in its place, and what is written before its value: `{"a":` or `,"b":`. */
type Part = { readonly key: string; readonly before: string }

const made = (keys: readonly string[]): readonly Part[] =>
  // Default sort compares UTF-16 code units, which is what RFC 8785 §3.2.3 asks for.
  keys.toSorted().map((key, i) => ({ key, before: `${i === 0 ? '{' : ','}${writeString(key)}:` }))

/**
 * Most objects have the keys of one before them, in the order of that one: sorting and writing keys
 * is half the work, and is done once. Found by the first key; bounded in every direction, because
 * keys may come from outside.
 */
type Shape = { readonly keys: readonly string[]; readonly parts: readonly Part[] }
const shapes = new Map<string, Shape[]>()
const FIRST_KEYS_MAX = 200
const SHAPES_MAX = 8
const KEYS_MAX = 64
const KEYS_LENGTH_MAX = 2_000

const partsOf = (keys: readonly string[]): readonly Part[] => {
  const [first] = keys
  if (first === undefined || keys.length > KEYS_MAX) return made(keys)
  const alike = shapes.get(first) ?? []
  for (const shape of alike) if (areSame(shape.keys, keys)) return shape.parts
  const parts = made(keys)
  if (keys.reduce((sum, { length }) => sum + length, 0) > KEYS_LENGTH_MAX) return parts
  if (shapes.size >= FIRST_KEYS_MAX) shapes.clear()
  if (alike.length >= SHAPES_MAX) alike.length = 0
  alike.push({ keys, parts })
  shapes.set(first, alike)
  return parts
}

const areSame = (a: readonly string[], b: readonly string[]): boolean => {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return false
  return true
}

/** The canonical text of `value`. Throws on anything outside the subset. */
export const canonicalJson = (value: unknown): string => {
  if (typeof value === 'string') return writeString(value)
  if (typeof value === 'number') return writeNumber(value)
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (value === null) return 'null'
  if (Array.isArray(value)) return writeArray(value)
  if (typeof value !== 'object') throw new Defect(`canonical JSON: ${typeof value} is not allowed`)
  // The prototype is checked inside: whatever is not a plain object is refused there.
  return writeObject(value as { readonly [key: string]: unknown })
}

/** A value of the subset, as a type. */
export type Json =
  string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }
