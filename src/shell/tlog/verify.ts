/**
 * Verifies the ledger: bytes → leaves → tree → heads → bodies, entry by entry, and names the first
 * position that does not hold.
 *
 *   walk.ts         the entries one after the other, each against its neighbours
 *   milestones.ts   where the tree is compared: its stored hashes and signed heads
 *   check-cosignatures.ts   what witnesses signed of those heads
 *
 * Memory does not grow with the ledger, only (by a number) with its streams.
 */
import type { BodyStore } from '../../capture/port.ts'
import { E } from '../../kernel/fp.ts'
import type { Ledger } from '../../ledger/port.ts'
import type { TlogPorts, Verified } from '../../ledger/tlog/port.ts'
import type { LogRecord } from '../../ledger/tlog/rotation.ts'
import { Halt, orHalt } from '../halt.ts'
import { Breach } from './breach.ts'
import { checkCosignatures } from './check-cosignatures.ts'
import { edgeAt } from './hashes.ts'
import { headIn, readLogRecord } from './log-record.ts'
import { type HeadKeys, headKeys, Milestones } from './milestones.ts'
import { newTally, type Tally, type VerifyAsked, type VerifyReport } from './verify-report.ts'
import { predecessorOf } from './predecessor.ts'
import { walk } from './walk.ts'

export type VerifyPorts = Pick<
  TlogPorts,
  'tree' | 'cosignatures' | 'keys' | 'lastSigned' | 'verified'
> & {
  readonly ledger: Pick<Ledger, 'head' | 'readStream'>
  readonly bodies: Pick<BodyStore, 'get'>
}

export const verify = async (ports: VerifyPorts, asked: VerifyAsked): Promise<VerifyReport> => {
  const log = await readLogRecord(ports.ledger)
  const tally = newTally()
  const known = await headKeys(ports.keys, log)
  const { position: size } = await orHalt(ports.ledger.head())
  let start: Verified | undefined
  try {
    start = await startOf(ports, asked, size)
    const marks = new Milestones(ports.tree, { log, known, from: start?.size ?? 0, tally })
    const walked = await walk(ports, marks, { start, size, tally, asked })
    if (!walked.interrupted) {
      await compareEnds(ports, marks, walked.position)
      await checkCosignatures(ports.cosignatures, log, start?.size ?? 0, tally)
    }
    return await concluded(ports, { asked, log, known, start, marks, tally, walked })
  } catch (error) {
    return { ...base(log, known, start, tally), breach: breachIn(error) }
  }
}

/** The breach that ended it; whatever else did is thrown on. */
const breachIn = (error: unknown): NonNullable<VerifyReport['breach']> => {
  if (error instanceof Breach) {
    const { position, until, because } = error
    return { position, until, because }
  }
  if (!(error instanceof Halt) || error.failure.tag !== 'IntegrityBreach') throw error
  const { position, because } = error.failure
  return { position, until: position, because }
}

/** Where to begin; undefined: at the beginning. */
const startOf = async (
  { verified, tree }: VerifyPorts,
  { full }: VerifyAsked,
  size: number,
): Promise<Verified | undefined> => {
  const before = full ? undefined : await orHalt(verified.read())
  if (before === undefined || before.size === 0) return undefined
  if (before.size > size)
    throw new Breach(
      size + 1,
      before.size,
      `the ledger was verified up to position ${before.size}, and ends at ${size}`,
    )
  try {
    // If the tree has changed since, reading everything will say where.
    const edge = await edgeAt(tree, before.size)
    return edge.root().toString('hex') === before.root ? before : undefined
  } catch {
    return undefined
  }
}

/** Nothing was signed that the ledger does not hold. */
const compareEnds = async (
  { lastSigned, tree }: VerifyPorts,
  marks: Milestones,
  end: number,
): Promise<void> => {
  const [beyond] = await orHalt(tree.after(end, 1))
  const note = await orHalt(lastSigned.read())
  const last = note === undefined ? undefined : headIn('the last-signed store', note)
  const signed = Math.max(beyond?.size ?? 0, last?.size ?? 0)
  if (signed > end)
    throw new Breach(
      end + 1,
      signed,
      `a head of ${signed} entries was signed, and the ledger ends at ${end}`,
    )
  marks.end()
  if (last === undefined) return
  const edge = await edgeAt(tree, last.size)
  if (!edge.root().equals(last.root))
    throw new Breach(
      1,
      last.size,
      `the head of size ${last.size} that was signed last has another root than the tree`,
    )
}

type Walked = { readonly position: number; readonly ts: number; readonly interrupted: boolean }

type Conclusion = {
  readonly asked: VerifyAsked
  readonly log: LogRecord | undefined
  readonly known: HeadKeys
  readonly start: Verified | undefined
  readonly marks: Milestones
  readonly tally: Tally
  readonly walked: Walked
}

const concluded = async (ports: VerifyPorts, all: Conclusion): Promise<VerifyReport> => {
  const { asked, log, known, start, marks, tally, walked } = all
  const head = marks.newest
  // What was not carried out is told until it is.
  if (!walked.interrupted && head !== undefined && tally.stillThere === 0)
    await orHalt(
      ports.verified.write({
        ...head,
        at: asked.now,
        fullAt: start === undefined ? asked.now : start.fullAt,
      }),
    )
  const last = await ports.lastSigned.read()()
  return {
    ...base(log, known, start, tally),
    ok: true,
    head: head === undefined ? null : { size: head.size, root: head.root },
    unsealed: walked.position - (head?.size ?? 0),
    lastSigned: E.isRight(last) && last.right !== undefined ? 'agrees' : 'not here',
    interrupted: walked.interrupted,
  }
}

const base = (
  log: LogRecord | undefined,
  known: HeadKeys,
  start: Verified | undefined,
  tally: Tally,
): VerifyReport => ({
  ok: false,
  origin: log?.origin ?? null,
  predecessor: predecessorOf(log),
  from: (start?.size ?? 0) + 1,
  to: (start?.size ?? 0) + tally.entries,
  ...tally,
  head: null,
  unsealed: 0,
  signatures: known.keys.length > 0 ? 'checked' : 'no key here',
  lastSigned: 'not here',
  before: start === undefined ? null : { size: start.size, at: start.at, fullAt: start.fullAt },
  interrupted: false,
  breach: null,
})
