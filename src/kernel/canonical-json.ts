import { assert } from './assert.ts'

/**
 * RFC 8785 (JCS), the subset the ledger allows: strings, safe integers, booleans, null, arrays and
 * plain objects. Anything else, floats and lone surrogates included, is a defect and throws: a
 * value that prints in two ways must never be hashed.
 */
const writeString = (value: string): string => {
  assert(value.isWellFormed(), 'canonical JSON: a lone surrogate has no UTF-8 form')
  return JSON.stringify(value)
}

const writeObject = (value: { readonly [key: string]: unknown }): string => {
  const prototype: unknown = Object.getPrototypeOf(value)
  assert(
    prototype === Object.prototype || prototype === null,
    'canonical JSON: only plain objects are allowed',
  )
  // Default sort compares UTF-16 code units, which is what RFC 8785 §3.2.3 asks for.
  const keys = Object.keys(value).sort()
  return `{${keys.map((key) => `${writeString(key)}:${canonicalJson(value[key])}`).join(',')}}`
}

/** The canonical text of `value`. Throws on anything outside the subset. */
export const canonicalJson = (value: unknown): string => {
  if (typeof value === 'string') return writeString(value)
  if (typeof value === 'number') {
    assert(Number.isSafeInteger(value), `canonical JSON: not a safe integer: ${value}`)
    return Object.is(value, -0) ? '0' : String(value)
  }
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (value === null) return 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  assert(typeof value === 'object', `canonical JSON: ${typeof value} is not allowed`)
  // The prototype is checked inside: whatever is not a plain object is refused there.
  return writeObject(value as { readonly [key: string]: unknown })
}

/** A value of the subset, as a type. */
export type Json =
  string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }
