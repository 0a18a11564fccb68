/** What a witness held against this log: kept outside the database, since it says that that is wrong. */
import { integer, nullable, oneOf, t, text } from '../../kernel/codec.ts'
import { InstantText } from '../../kernel/instant.ts'

/**
 * `set-back`: it has cosigned a larger head than ours. `forked`: what it cosigned is no beginning of
 * ours. `unfounded`: it refuses to go on from a head that it cosigned itself, which we can show.
 */
export const Objection = t.type({
  kind: oneOf('set-back', 'forked', 'unfounded'),
  /** The witness's key. */
  witness: text(500),
  at: InstantText,
  /** The size that it says it holds. */
  holds: integer(0),
  /** The head that it was asked to cosign, as a signed note. */
  checkpoint: text(65_535),
  /** When it cosigned a head of ours again. */
  settled: nullable(InstantText),
})
export type Objection = t.TypeOf<typeof Objection>

/** Those that keep anything from being signed: not settled, by a witness that is named, in that order. */
export const openObjections = (
  objections: readonly Objection[],
  named: readonly string[],
): readonly Objection[] =>
  named.flatMap((key) =>
    objections.filter(
      ({ kind, settled, witness }) => kind !== 'unfounded' && settled === null && witness === key,
    ),
  )

/** Enough to see what happened; the oldest go first. */
export const OBJECTIONS_MAX = 1_000

/** One more, unless the same witness says the same already. */
export const withObjection = (
  objections: readonly Objection[],
  objection: Objection,
): readonly Objection[] => {
  const isKnown = objections.some(
    ({ kind, settled, witness }) =>
      kind === objection.kind && settled === null && witness === objection.witness,
  )
  return isKnown ? objections : [...objections, objection].slice(-OBJECTIONS_MAX)
}

/** The witness cosigned again: what it held against us is settled. */
export const settledBy = (
  objections: readonly Objection[],
  witness: string,
  at: Objection['at'],
): readonly Objection[] => {
  const isOpen = (one: Objection): boolean => one.witness === witness && one.settled === null
  if (!objections.some(isOpen)) return objections
  return objections.map((one) => (isOpen(one) ? { ...one, settled: at } : one))
}
