/**
 * Checks an exported log (C2SP tlog-tiles) against a policy, without a database: every byte of every
 * file. The entries give the leaves, these the tiles, these the root, and that is signed.
 */
import { E } from '../../kernel/fp.ts'
import { formatInstant, instant } from '../../kernel/instant.ts'
import { NOTE_BYTES_MAX } from '../../ledger/tlog/note.ts'
import { CLOCK_TOLERANCE_MS } from '../../ledger/tlog/witness-answer.ts'
import { witnessed } from '../../publish/check-evidence.ts'
import type { ExportedFiles } from '../../publish/exported-files.ts'
import type { Policy } from '../../publish/policy.ts'
import { headIn, type SignedHead, textOf } from '../../publish/proven.ts'
import { Halt, orHalt } from '../halt.ts'
import { CHECKPOINT, checkNames } from './export-names.ts'
import { ExportedEntries } from './exported-entries.ts'
import { exportFault } from './export-fault.ts'
import { type KeptHead, KeptHeads } from './kept-heads.ts'
import { type Predecessor, predecessorOf } from './predecessor.ts'
import { walkTree } from './exported-tree.ts'

export type CheckedExport = {
  readonly origin: string
  readonly size: number
  /** Base64, as in the checkpoint. */
  readonly root: string
  readonly predecessor: Predecessor | null
  /** When the first witness signed the checkpoint, RFC 3339. */
  readonly witnessed: string | null
  readonly witnesses: readonly string[]
  /** The time of the newest entry, by the crawler's clock. */
  readonly ts: string
  readonly files: number
  /** How many of them are partial files of earlier sizes. */
  readonly earlier: number
  /** Of all entries. */
  readonly bytes: number
  /** Out of how many kept heads the log grew. */
  readonly kept: number
}

/** `kept` are heads from before. `progress` is called after each bundle; `stop` ends the check early. */
export type CheckAsked = {
  readonly policy: Policy
  readonly kept: readonly KeptHead[]
  readonly progress: (position: number, of: number) => void
  readonly stop: AbortSignal
}

/** Throws the first fault; undefined: it was interrupted. */
export const checkExport = async (
  files: ExportedFiles,
  { policy, kept, progress, stop }: CheckAsked,
): Promise<CheckedExport | undefined> => {
  const signed = await signedHead(files, policy)
  const { origin, size, root } = signed.head
  const count = await checkNames(files, size)
  const heads = new KeptHeads(kept, policy, origin)
  const entries = new ExportedEntries(heads)
  const walked = await walkTree({ files, size, root, entries, progress, stop })
  if (walked === undefined) return undefined
  heads.end(size)
  checkLog(entries, signed)
  const time = witnessed(signed)
  return {
    origin,
    size,
    root: root.toString('base64'),
    predecessor: predecessorOf(entries.log()),
    witnessed: time === undefined ? null : formatInstant(instant(time)),
    witnesses: signed.signed.filter((by) => by.time !== null).map(({ key }) => key.name),
    ts: formatInstant(instant(entries.ts)),
    files: count,
    earlier: walked.earlier,
    bytes: entries.bytes,
    kept: kept.length,
  }
}

const signedHead = async (files: ExportedFiles, policy: Policy): Promise<SignedHead> => {
  const bytes = await orHalt(files.read(CHECKPOINT, NOTE_BYTES_MAX + 1))
  if (bytes === undefined && (await orHalt(files.list('', 1))).length === 0)
    throw new Halt({ tag: 'WrongUse', because: `${files.place} holds no exported log` })
  const note = textOf(new Map(bytes === undefined ? [] : [[CHECKPOINT, bytes]]), CHECKPOINT)
  const signed = E.isLeft(note) ? note : headIn(CHECKPOINT, note.right, policy)
  if (E.isLeft(signed)) throw exportFault(CHECKPOINT, null, signed.left.because)
  if (signed.right.head.size > 0) return signed.right
  throw exportFault(CHECKPOINT, null, 'it is of a log without entries, which proves nothing')
}

/** What the entries say of the log fits who signed its head, and when. */
const checkLog = (entries: ExportedEntries, signed: SignedHead): void => {
  const { origin, size } = signed.head
  const log = entries.log()
  if (log?.origin !== origin)
    throw exportFault(CHECKPOINT, { position: 1, until: 1 }, 'the first entry opens another log')
  const inForce = log.rotations.at(-1)
  if (inForce !== undefined && !signed.signed.some(({ key }) => key.vkey === inForce.newKey))
    throw exportFault(
      CHECKPOINT,
      { position: inForce.position, until: inForce.position },
      'it is not signed by the key that the log took into use here',
    )
  const time = witnessed(signed)
  if (time !== undefined && entries.ts > time + CLOCK_TOLERANCE_MS)
    throw exportFault(
      CHECKPOINT,
      { position: size, until: size },
      'the newest entry says a time later than that at which a witness saw it',
    )
}
