/**
 * The one door to io-ts. Values from outside (files, rows, arguments, ledger entries) become typed
 * here, through `parse`, and are trusted afterwards.
 */
import * as t from 'io-ts'
import { E, type Either } from './fp.ts'

export { t }

/** What was wrong with a value from outside. `path` is dotted, '' for the value itself. */
export type ParseFailure = {
  readonly tag: 'ParseFailure'
  readonly what: string
  readonly problems: readonly { readonly path: string; readonly expected: string }[]
}

export const parseFailure = (what: string, expected: string, path = ''): ParseFailure => ({
  tag: 'ParseFailure',
  what,
  problems: [{ path, expected }],
})

/** A key may come from the input (a record's): it is cut, like everything from outside. */
const PATH_KEY_MAX = 60

const isBranched = (type: unknown): boolean =>
  type instanceof t.UnionType ||
  type instanceof t.IntersectionType ||
  (type instanceof t.ExactType && isBranched(type.type))

const problemOf = (error: t.ValidationError): { path: string; expected: string } => ({
  path: error.context
    // io-ts counts the branches of a union or an intersection as keys; a person looks for the field.
    .filter((entry, i) => entry.key !== '' && !isBranched(error.context[i - 1]?.type))
    .map((entry) => entry.key.slice(0, PATH_KEY_MAX))
    .join('.'),
  expected: error.message ?? error.context.at(-1)?.type.name ?? 'another value',
})

/** Decodes `input`, naming it `what` in the failure. The failure never repeats the input itself. */
export const parse = <A, O>(
  what: string,
  codec: t.Type<A, O>,
  input: unknown,
): Either<ParseFailure, A> => {
  const decoded = codec.decode(input)
  if (E.isRight(decoded)) return decoded
  return E.left({ tag: 'ParseFailure', what, problems: decoded.left.slice(0, 8).map(problemOf) })
}

export const describeParseFailure = (failure: ParseFailure): string =>
  `${failure.what}: ${failure.problems
    .map((p) => (p.path === '' ? `expected ${p.expected}` : `${p.path}: expected ${p.expected}`))
    .join('; ')}`

/** A codec of values that are checked, not changed. */
const checked = <A>(name: string, is: (input: unknown) => input is A): t.Type<A> =>
  new t.Type(
    name,
    is,
    (input, context) => (is(input) ? t.success(input) : t.failure(input, context)),
    t.identity,
  )

/**
 * A string of at most `max` UTF-16 units: nothing hostile enters an event without a bound. A lone
 * surrogate is refused, because it has no UTF-8 form and so no canonical bytes.
 */
export const text = (max: number): t.Type<string> =>
  checked(
    `text of at most ${max} characters`,
    (input): input is string =>
      typeof input === 'string' && input.length <= max && input.isWellFormed(),
  )

/** A safe integer from `min` to `max`, both included. */
export const integer = (min: number, max = Number.MAX_SAFE_INTEGER): t.Type<number> =>
  checked(
    max === Number.MAX_SAFE_INTEGER ? `integer from ${min}` : `integer from ${min} to ${max}`,
    (input): input is number =>
      typeof input === 'number' && Number.isSafeInteger(input) && input >= min && input <= max,
  )

export const nullable = <C extends t.Mixed>(codec: C): t.UnionC<[C, t.NullC]> =>
  t.union([codec, t.null])

/** One of the words listed. */
export const oneOf = <W extends string>(...words: readonly [W, ...W[]]): t.Type<W> => {
  const known = new Set<string>(words)
  return checked(
    words.map((word) => `"${word}"`).join(' | '),
    (input): input is W => typeof input === 'string' && known.has(input),
  )
}

/** For the quick ways below: what fails there is validated again, with its context. */
const NO_CONTEXT: t.Context = []

/**
 * An object with exactly these fields; unknown keys are stripped: `t.exact(t.type(fields))`, only
 * quicker where nothing is wrong. io-ts builds a context for each field of each value, and it is
 * needed only to say what was wrong; so the slow way is taken when the quick one has failed.
 */
export const exactly = <P extends t.Props>(fields: P, name?: string): t.ExactC<t.TypeC<P>> => {
  const slow = t.exact(t.type(fields, name))
  const entries = Object.entries(fields)
  const validate: typeof slow.validate = (input, context) => {
    if (typeof input !== 'object' || input === null) return slow.validate(input, context)
    // An object, and whatever it holds is unknown: each field's codec judges it.
    const given = input as { readonly [field: string]: unknown }
    const decoded: { [field: string]: unknown } = {}
    for (const [field, codec] of entries) {
      const value = codec.validate(given[field], NO_CONTEXT)
      if (E.isLeft(value)) return slow.validate(input, context)
      decoded[field] = value.right
    }
    // Every field has been decoded by its own codec, which is what the type says.
    return t.success(decoded as t.TypeOf<typeof slow>)
  }
  return new t.ExactType(slow.name, slow.is, validate, slow.encode, slow.type)
}

/** The codec of `listOf`, open about its parts: documents describe them, tests generate from them. */
export class ListType<A, O> extends t.Type<readonly A[], O[]> {
  readonly items: t.Type<A, O>
  readonly max: number

  constructor(items: t.Type<A, O>, max: number) {
    const inner = t.array(items)
    super(
      `list of at most ${max}: ${items.name}`,
      (input): input is readonly A[] => inner.is(input) && input.length <= max,
      (input, context) => {
        if (!Array.isArray(input)) return inner.validate(input, context)
        if (input.length > max) return t.failure(input, context, `at most ${max} items`)
        const decoded: A[] = []
        for (const item of input) {
          const value = items.validate(item, NO_CONTEXT)
          if (E.isLeft(value)) return inner.validate(input, context)
          decoded.push(value.right)
        }
        return t.success(decoded)
      },
      (list) => list.map((item) => items.encode(item)),
    )
    this.items = items
    this.max = max
  }
}

/** A list of at most `max` items. */
export const listOf = <A, O>(items: t.Type<A, O>, max: number): t.Type<readonly A[], O[]> =>
  new ListType(items, max)
