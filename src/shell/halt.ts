import { E, type TaskEither } from '../kernel/fp.ts'
import { describeParseFailure, type ParseFailure } from '../kernel/codec.ts'
import type { BodyFailure } from '../capture/port.ts'
import type { AppendFailure, ReadFailure } from '../ledger/port.ts'
import type { ExportFault } from '../publish/export-fault.ts'
import type { TimestampRefused } from '../ledger/tlog/port.ts'
import type { EvidenceFault } from '../publish/proven.ts'
import type { CatchUpFailure } from './projecting/catch-up.ts'

/** What ends a command from outside: the world said no. Never thrown for what a site did. */
export type HaltCause =
  | AppendFailure
  | ReadFailure
  | BodyFailure
  | CatchUpFailure
  | ParseFailure
  | EvidenceFault
  | ExportFault
  | TimestampRefused
  | WrongUse
  | NotFound

export type WrongUse = { readonly tag: 'WrongUse'; readonly because: string }
export type NotFound = { readonly tag: 'NotFound'; readonly because: string }

/**
 * Carries a cause up to the one place that ends the command (`cli.ts`): inside a recipe there is
 * nothing left to decide once the database is gone or the ledger is damaged.
 */
export class Halt extends Error {
  override readonly name = 'Halt'
  readonly failure: HaltCause
  constructor(failure: HaltCause) {
    super(describeHalt(failure))
    this.failure = failure
  }
}

export const describeHalt = (failure: HaltCause): string => {
  switch (failure.tag) {
    case 'Conflict':
      return `stream ${failure.stream} moved to version ${failure.actual} (expected ${failure.expected}) too many times`
    case 'FenceLost':
      return `the claim on ${failure.site} was lost to another process`
    case 'IntegrityBreach':
      return `integrity breach at position ${failure.position}: ${failure.because}`
    case 'BodyMissing':
      return `the kept body ${failure.commit} is missing from the body store`
    case 'BodyErased':
      return `the body ${failure.commit} was erased by event ${failure.event}`
    case 'BodyAltered':
      return `integrity breach: the kept body ${failure.commit} does not fit its commitment`
    case 'EvidenceFault':
      return `this evidence proves nothing: ${failure.file}: ${failure.because}`
    case 'ExportFault':
      return `this export does not hold: ${failure.file}${spanOf(failure)}: ${failure.because}`
    case 'TimestampRefused':
      return `this time stamp proves nothing: ${failure.because}`
    case 'ParseFailure':
      return describeParseFailure(failure)
    case 'Overtaken':
      return `another process works on the projection ${failure.projection}; try again`
    case 'NewerBuild':
      return `the projection ${failure.projection} was built by a newer program (version ${failure.found.version}, this one makes ${failure.ours.version})`
    case 'Unavailable':
    case 'Unknown':
    case 'WrongUse':
    case 'NotFound':
      return failure.because
  }
}

const spanOf = ({ at }: ExportFault): string => {
  if (at === null) return ''
  const { position, until } = at
  return position === until ? `, position ${position}` : `, positions ${position} to ${until}`
}

/** Exit codes of the interface: 1 no · 2 wrong use · 3 integrity · 4 unavailable. */
export const exitCodeOf = (failure: HaltCause): number => {
  switch (failure.tag) {
    case 'IntegrityBreach':
    case 'BodyAltered':
    case 'EvidenceFault':
    case 'ExportFault':
    case 'TimestampRefused':
      return 3
    case 'ParseFailure':
    case 'WrongUse':
    case 'NewerBuild':
      return 2
    case 'NotFound':
    case 'BodyMissing':
    case 'BodyErased':
      return 1
    case 'Conflict':
    case 'FenceLost':
    case 'Overtaken':
    case 'Unavailable':
    case 'Unknown':
      return 4
  }
}

/** Runs the effect; its failure ends the command. */
export const orHalt = async <A>(effect: TaskEither<HaltCause, A>): Promise<A> => {
  const result = await effect()
  if (E.isLeft(result)) throw new Halt(result.left)
  return result.right
}
