/** What a witness holds against this log, in words; and that nothing is begun while that stands. */
import { E } from '../../kernel/fp.ts'
import { parseHead } from '../../ledger/tlog/head.ts'
import { type Objection, openObjections } from '../../ledger/tlog/objection.ts'
import type { Witness } from '../../ledger/tlog/witness.ts'
import { Halt, orHalt } from '../halt.ts'
import { askWitness, type AskPorts } from './ask-witness.ts'

const nameOf = ({ witness }: Objection): string => witness.split('+')[0] ?? witness

const sizeOf = ({ checkpoint }: Objection): number => {
  const head = parseHead(checkpoint)
  return E.isRight(head) ? head.right.size : 0
}

const claimOf = (objection: Objection): string => {
  const { kind, holds } = objection
  const name = nameOf(objection)
  switch (kind) {
    case 'set-back':
      return `the witness ${name} has cosigned a head of ${holds} entries of this log, whose newest head here had ${sizeOf(objection)}: it was set back`
    case 'forked':
      return `the witness ${name} has cosigned another history of this log: its head of ${holds} entries is not the beginning of the one here of ${sizeOf(objection)}`
    case 'unfounded':
      return `the witness ${name} refuses to go on from the head of ${holds} entries, which it has cosigned itself`
  }
}

/** What is to be done about it. */
const wayOn = (objection: Objection): string => {
  const { kind, holds } = objection
  const remove = `crawl-ledger witness remove ${nameOf(objection)}`
  switch (kind) {
    case 'set-back':
      return `Restore a backup that reaches position ${holds}; if there is none, keep all of this and begin a new log (docs/operating.md, Restore). If it is the witness that is wrong: ${remove}`
    case 'forked':
      return `Run verify --full, compare with what was handed out, and restore the history that was cosigned (docs/operating.md, Restore). If it is the witness that is wrong: ${remove}`
    case 'unfounded':
      return `Both are kept in signing/objections.json; nothing is stopped by that. Ask its operator, or: ${remove}`
  }
}

export const objectionText = (objection: Objection): string =>
  `${claimOf(objection)}. ${wayOn(objection)}`

/** What these witnesses hold against this log, and nothing settled. */
export const openObjectionsOf = async (
  { objections }: Pick<AskPorts, 'objections'>,
  named: readonly Witness[],
): Promise<readonly Objection[]> =>
  openObjections(
    await orHalt(objections.read()),
    named.map(({ key }) => key.vkey),
  )

/** So long at most a command waits for its witnesses before it begins. */
const BEFORE_MS = 2_000

/**
 * Refuses to begin where a witness knows more of this log than is here: it was set back together
 * with what was signed last, which nothing here can know. A witness that does not answer in time is
 * not waited for; what one has held against us before stands until it cosigns again or is removed.
 */
export const assertUnobjected = async (
  ports: AskPorts,
  named: readonly Witness[],
): Promise<void> => {
  if (named.length === 0) return
  const newest = await orHalt(ports.tree.newest())
  const signal = ports.within(BEFORE_MS)
  if (newest !== undefined)
    await Promise.all(named.map((witness) => askWitness(ports, witness, newest, signal)))
  const [open] = await openObjectionsOf(ports, named)
  if (open === undefined) return
  const position = open.kind === 'set-back' ? sizeOf(open) + 1 : open.holds
  throw new Halt({ tag: 'IntegrityBreach', position, because: objectionText(open) })
}
