/** Reads a policy file: strict about what it does not know, exact about what it leaves out. */
import { parse, type ParseFailure, parseFailure } from '../kernel/codec.ts'
import { E, type Either } from '../kernel/fp.ts'
import type { Purpose } from '../kernel/words.ts'
import { Policy } from './policy.ts'

type Json = { readonly [key: string]: unknown }

/**
 * What a file means that says nothing of a parameter: the behaviour from before it existed, so that a
 * policy adopted long ago reads as it was kept.
 */
const UNSAID: Json = {
  night: { limitMinutes: null },
  job: 'night',
  scope: 'any',
  once: { per: 'night' },
  robots: { fresh: 'night', byHandHours: null },
  retries: { limit: 0, on: [], retryAfterMaxSeconds: 0, waitsSeconds: [] },
  backOff: { statuses: [429] },
  refusal: { tls: false, closed: false },
  budget: { filesPerSource: null },
  notRead: null,
}
const UNSAID_RULE: Json = { conditional: false }

/** Reads a policy file's text. Unknown keys are an error: a misspelt promise must not vanish. */
export const parsePolicy = (file: string, source: string): Either<ParseFailure, Policy> => {
  const json = parseJsonText(source)
  if (!isObject(json)) return E.left(parseFailure(file, 'JSON'))
  const parsed = parse(file, Policy, completed(json))
  if (E.isLeft(parsed)) return parsed
  const unknown = unknownKey(json, Policy.encode(parsed.right), '')
  if (unknown !== undefined) return E.left(parseFailure(file, 'no such key', unknown))
  const wrong = contradiction(parsed.right)
  return wrong === undefined ? parsed : E.left(parseFailure(file, wrong.expected, wrong.path))
}

/** Values that are right one by one, but not together. */
const contradiction = (
  policy: Policy,
): { readonly path: string; readonly expected: string } | undefined => {
  const { retries, order, fetch, notRead, once, robots } = policy
  if (!policy.userAgent.toLowerCase().includes(policy.robotsToken.toLowerCase())) {
    return { path: 'robotsToken', expected: 'a part of userAgent (RFC 9309 §2.2.1)' }
  }
  if (retries.waitsSeconds.length < retries.limit) {
    return { path: 'retries.waitsSeconds', expected: 'a wait before each retry' }
  }
  if (robots.fresh === 'run' && once.per !== 'run') {
    return { path: 'once.per', expected: '"run", since robots.txt is read in each run' }
  }
  const needed: readonly (readonly [string, Purpose])[] = [
    ...order.source.map((purpose) => ['order.source', purpose] as const),
    ...order.site.map((purpose) => ['order.site', purpose] as const),
    ...(notRead === null ? [] : [['notRead', 'probe'] as const]),
  ]
  const missing = needed.find(([, purpose]) => fetch[purpose] === undefined)
  if (missing === undefined) return undefined
  return { path: `fetch.${missing[1]}`, expected: `a rule, since ${missing[0]} needs it` }
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const parseJsonText = (source: string): unknown => {
  try {
    return JSON.parse(source)
  } catch {
    return undefined
  }
}

const completed = (given: Json): Json => {
  const fetch = given['fetch']
  const filled = withUnsaid(given, UNSAID)
  if (!isObject(fetch)) return filled
  const rules = Object.entries(fetch).map(([purpose, rule]) => [
    purpose,
    isObject(rule) ? { ...UNSAID_RULE, ...rule } : rule,
  ])
  return { ...filled, fetch: Object.fromEntries(rules) }
}

/** `given` with what it leaves out. */
const withUnsaid = (given: Json, unsaid: Json): Json => {
  const filled: { [key: string]: unknown } = { ...given }
  for (const [key, value] of Object.entries(unsaid)) {
    const own = given[key]
    if (own === undefined) filled[key] = value
    else if (isObject(own) && isObject(value)) filled[key] = withUnsaid(own, value)
  }
  return filled
}

/** The dotted path of the first key of `given` that `known` does not have. */
const unknownKey = (given: unknown, known: unknown, path: string): string | undefined => {
  if (!isObject(given) || !isObject(known)) return undefined
  for (const [key, value] of Object.entries(given)) {
    const here = path === '' ? key : `${path}.${key}`
    if (!Object.hasOwn(known, key)) return here
    const inner = unknownKey(value, known[key], here)
    if (inner !== undefined) return inner
  }
  return undefined
}
