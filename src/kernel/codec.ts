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
  const quick = quickOf(codec)(input)
  // What `validate` would give, which is an A.
  if (quick !== REFUSED) return E.right(quick as A)
  const decoded = codec.decode(input)
  if (E.isRight(decoded)) return decoded
  return E.left({ tag: 'ParseFailure', what, problems: decoded.left.slice(0, 8).map(problemOf) })
}

export const describeParseFailure = (failure: ParseFailure): string =>
  `${failure.what}: ${failure.problems
    .map((p) => (p.path === '' ? `expected ${p.expected}` : `${p.path}: expected ${p.expected}`))
    .join('; ')}`

/** A codec of values that are checked, not changed. */
class CheckedType<A> extends t.Type<A> {
  constructor(name: string, is: (input: unknown) => input is A) {
    super(
      name,
      is,
      (input, context) => (is(input) ? t.success(input) : t.failure(input, context)),
      t.identity,
    )
  }
}

const checked = <A>(name: string, is: (input: unknown) => input is A): t.Type<A> =>
  new CheckedType(name, is)

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

/** An object with exactly these fields; unknown keys are stripped. */
export const exactly = <P extends t.Props>(fields: P, name?: string): t.ExactC<t.TypeC<P>> =>
  t.exact(t.type(fields, name))

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
        if (Array.isArray(input) && input.length > max)
          return t.failure(input, context, `at most ${max} items`)
        return inner.validate(input, context)
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

const REFUSED: unique symbol = Symbol('refused')
/** Gives what `validate` would give, or REFUSED. */
type Quick = (input: unknown) => unknown

const quicks = new WeakMap<t.Mixed, Quick>()

/**
 * io-ts makes a context for each part of a value and an answer for each step, and needs them only to
 * say what was wrong; they cost more than the checks themselves. So a codec is taken
 * apart once, and values are decoded without; only what is refused is validated, to learn why.
 */
const quickOf = (codec: t.Mixed): Quick => {
  const known = quicks.get(codec)
  if (known !== undefined) return known
  const made = takenApart(codec)
  quicks.set(codec, made)
  return made
}

const isRecord = (c: t.Mixed): c is t.ExactC<t.TypeC<t.Props>> =>
  c instanceof t.ExactType && c.type instanceof t.InterfaceType
const isUnion = (c: t.Mixed): c is t.UnionType<t.Mixed[]> => c instanceof t.UnionType
const isTuple = (c: t.Mixed): c is t.TupleType<t.Mixed[]> => c instanceof t.TupleType
const isRefinement = (c: t.Mixed): c is t.RefinementType<t.Mixed> => c instanceof t.RefinementType
const isList = (c: t.Mixed): c is ListType<unknown, unknown> => c instanceof ListType
const isChecked = (c: t.Mixed): boolean =>
  [CheckedType, t.LiteralType, t.StringType, t.BooleanType, t.NullType].some(
    (kind) => c instanceof kind,
  )

const takenApart = (codec: t.Mixed): Quick => {
  if (isRecord(codec)) return quickRecord(codec.type.props)
  if (isList(codec)) return quickList(quickOf(codec.items), codec.max)
  if (isUnion(codec)) return quickUnion(codec.types.map(quickOf))
  if (isTuple(codec)) return quickTuple(codec.types.map(quickOf))
  if (isRefinement(codec)) return quickRefinement(quickOf(codec.type), codec.predicate)
  if (isChecked(codec)) return quickCheck(codec.is)
  return (input) => {
    const decoded: t.Validation<unknown> = codec.decode(input)
    return E.isLeft(decoded) ? REFUSED : decoded.right
  }
}

const quickCheck =
  (is: (input: unknown) => boolean): Quick =>
  (input) =>
    is(input) ? input : REFUSED

const quickRecord = (fields: t.Props): Quick => {
  const parts = Object.entries(fields).map(([field, codec]) => ({ field, quick: quickOf(codec) }))
  return (input) => {
    if (typeof input !== 'object' || input === null) return REFUSED
    // An object, and whatever it holds is unknown: each field's codec judges it.
    const given = input as { readonly [field: string]: unknown }
    const decoded: { [field: string]: unknown } = {}
    for (const { field, quick } of parts) {
      const value = quick(given[field])
      if (value === REFUSED) return REFUSED
      decoded[field] = value
    }
    return decoded
  }
}

const quickList =
  (quick: Quick, max: number): Quick =>
  (input) => {
    if (!Array.isArray(input) || input.length > max) return REFUSED
    const decoded: unknown[] = []
    for (const item of input) {
      const value = quick(item)
      if (value === REFUSED) return REFUSED
      decoded.push(value)
    }
    return decoded
  }

/** io-ts takes the first member that fits; of records told apart by a literal at most one does. */
const quickUnion =
  (members: readonly Quick[]): Quick =>
  (input) => {
    for (const quick of members) {
      const value = quick(input)
      if (value !== REFUSED) return value
    }
    return REFUSED
  }

/** What is more than the tuple has is stripped. */
const quickTuple =
  (parts: readonly Quick[]): Quick =>
  (input) => {
    if (!Array.isArray(input)) return REFUSED
    const given: readonly unknown[] = input
    const decoded: unknown[] = []
    for (const [i, quick] of parts.entries()) {
      const value = quick(given[i])
      if (value === REFUSED) return REFUSED
      decoded.push(value)
    }
    return decoded
  }

const quickRefinement =
  (quick: Quick, predicate: (value: unknown) => boolean): Quick =>
  (input) => {
    const value = quick(input)
    return value === REFUSED || !predicate(value) ? REFUSED : value
  }
