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
  // Default sort compares UTF-16 code units, which is what RFC 8785 §3.2.3 asks for.
  for (const key of Object.keys(value).sort())
    text += `${text === '' ? '{' : ','}${writeString(key)}:${canonicalJson(value[key])}`
  return text === '' ? '{}' : `${text}}`
}

/** The canonical text of `value`. Throws on anything outside the subset. */
export const canonicalJson = (value: unknown): string => {
  if (typeof value === 'string') return writeString(value)
  if (typeof value === 'number') return writeNumber(value)
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (value === null) return 'null'
  if (Array.isArray(value)) return writeArray(value)
  assert(typeof value === 'object', `canonical JSON: ${typeof value} is not allowed`)
  // The prototype is checked inside: whatever is not a plain object is refused there.
  return writeObject(value as { readonly [key: string]: unknown })
}

/** A value of the subset, as a type. */
export type Json =
  string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }
