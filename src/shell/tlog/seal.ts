/**
 * Sealing: the tree grows over what was appended since, and its new head is signed.
 *
 *   under the one lock of all who seal
 *     the newest head, and the last note that was signed, must agree with the ledger
 *     leaves from the stored bytes → edge → root
 *     sign → last-signed store (durable, outside the database) → head and hashes (one transaction)
 *
 * A note is known to nobody before the last-signed store has it. So whoever dies in between leaves
 * either nothing or a note that the next sealing stores as it is: there are never two different
 * heads of one size. Appends do not wait for any of this.
 */
import { assert, present } from '../../kernel/assert.ts'
import { E } from '../../kernel/fp.ts'
import type { Ledger } from '../../ledger/port.ts'
import { type Head, headText, parseHead, signersOf } from '../../ledger/tlog/head.ts'
import { formatNote } from '../../ledger/tlog/note.ts'
import type {
  AddHead,
  SigningKey,
  StoredHead,
  TlogPorts,
  TreeHash,
} from '../../ledger/tlog/port.ts'
import { keysAt, type LogRecord } from '../../ledger/tlog/rotation.ts'
import { TILE_HEIGHT } from '../../ledger/tlog/tile.ts'
import { type Edge, hashesIn } from '../../ledger/tlog/tree.ts'
import { Halt, orHalt } from '../halt.ts'
import { edgeAt } from './hashes.ts'
import { headIn, readLogRecord } from './log-record.ts'
import { keysToSignWith } from './signing.ts'

export type SealPorts = Pick<TlogPorts, 'tree' | 'keys' | 'lastSigned'> & {
  readonly ledger: Pick<Ledger, 'head' | 'readStream'>
}

export type Sealed =
  | {
      /** `Sealed`: a new head; `Standing`: nothing came since the newest one. */
      readonly tag: 'Sealed' | 'Standing'
      readonly head: StoredHead
    }
  /** Nothing was ever appended. */
  | { readonly tag: 'Empty' }
  /** The log's key is kept in another data directory, and heads are signed there. */
  | { readonly tag: 'Elsewhere' }

/** Seals when it is called. One for each process: it keeps the tree's edge from call to call. */
export type Sealer = () => Promise<Sealed>

const LEAVES_AT_ONCE = 16_384

export const sealer = (ports: SealPorts): Sealer => {
  let kept: Edge | undefined
  return () =>
    orHalt(
      ports.tree.exclusively(async (add) => {
        // Whatever goes wrong, the edge is read anew the next time.
        const edge = kept
        kept = undefined
        const begun = await begin(ports, edge)
        if (begun === undefined) return { tag: 'Empty' }
        if (begun === 'elsewhere') return { tag: 'Elsewhere' }
        const sealed = await sealFrom(ports, begun, add)
        kept = begun.edge
        return sealed
      }),
    )
}

/** Where sealing starts from: everything that was signed until now, found to agree. */
type Begun = {
  readonly log: LogRecord
  readonly keys: readonly SigningKey[]
  readonly newest: StoredHead | undefined
  /** Signed last; after a crash it may be newer than the newest head stored. */
  readonly last: Head | undefined
  /** The size of the ledger. */
  readonly size: number
  /** The edge at the newest head. */
  readonly edge: Edge
}

const refuse = (position: number, because: string): never => {
  throw new Halt({ tag: 'IntegrityBreach', position, because })
}

const begin = async (
  ports: SealPorts,
  kept: Edge | undefined,
): Promise<Begun | 'elsewhere' | undefined> => {
  const log = await readLogRecord(ports.ledger)
  const note = await orHalt(ports.lastSigned.read())
  const last = note === undefined ? undefined : headIn('the last-signed store', note)
  const { position: size } = await orHalt(ports.ledger.head())
  if (last !== undefined) assertNotBehind(last, log, size)
  if (log === undefined) return undefined
  const newest = await orHalt(ports.tree.newest())
  const keys = await keysOfLog(ports, log, { newest, last })
  if (keys === undefined) return 'elsewhere'
  const edge =
    kept !== undefined && kept.size === (newest?.size ?? 0)
      ? kept
      : await edgeAt(ports.tree, newest?.size ?? 0)
  const begun: Begun = { log, keys, newest, last, size, edge }
  await assertAgreed(ports, begun)
  return begun
}

/** Refuses a ledger that does not hold what was signed. Quicker than sealing: nothing is written. */
export const assertNotSetBack = async ({
  ledger,
  lastSigned,
}: Pick<SealPorts, 'ledger' | 'lastSigned'>): Promise<void> => {
  const note = await orHalt(lastSigned.read())
  if (note === undefined) return
  const { position: size } = await orHalt(ledger.head())
  assertNotBehind(headIn('the last-signed store', note), await readLogRecord(ledger), size)
}

const assertNotBehind = (last: Head, log: LogRecord | undefined, size: number): void => {
  if (log !== undefined && log.origin !== last.origin)
    throw new Halt({
      tag: 'WrongUse',
      because: `this data directory signed for the log ${last.origin}, and the database holds ${log.origin}; give each log a data directory of its own`,
    })
  if (last.size > size)
    refuse(
      size + 1,
      `this log has signed a head of ${last.size} entries, and the database holds ${size}: it was set back, and nothing may be written or signed behind that head. Restore a backup that reaches position ${last.size}; if there is none, keep all of this and go on in a new log that quotes that head: crawl-ledger open-log --data NEW-DIRECTORY --after THIS-DIRECTORY/signing/last-signed (docs/operating.md, Restore)`,
    )
}

type Signed = { readonly newest: StoredHead | undefined; readonly last: Head | undefined }

/** The keys to sign with, made on first use; undefined if this is not where the log's keys are. */
const keysOfLog = async (
  ports: SealPorts,
  { origin }: LogRecord,
  { newest, last }: Signed,
): Promise<readonly SigningKey[] | undefined> => {
  const keys = await orHalt(ports.keys.list(origin))
  if (last !== undefined && keys.length === 0)
    throw new Halt({
      tag: 'Unavailable',
      because: `the signing key of ${origin} is missing from the data directory, which has signed for it: restore signing/ from a backup`,
    })
  if (last !== undefined || (newest === undefined && keys.length > 0)) return keys
  if (newest === undefined) return [await orHalt(ports.keys.create(origin))]
  if (keys.length === 0) return undefined
  throw new Halt({
    tag: 'Unavailable',
    because: `signing/last-signed is missing from the data directory, so nobody knows what was signed last: restore it from a backup; if the newest head that \`crawl-ledger head\` prints is known to be the last one, put that text there`,
  })
}

/** The newest head, the edge and the last-signed store say the same of the same entries. */
const assertAgreed = async (ports: SealPorts, begun: Begun): Promise<void> => {
  const { newest, last, edge, keys } = begun
  if (newest === undefined) return
  const head = headIn(`the head of size ${newest.size}`, newest.note)
  const signers = signersOf(
    head.note,
    keys.map(({ key }) => key),
  )
  if (E.isLeft(signers) || signers.right.length === 0 || head.size !== newest.size)
    refuse(newest.size, 'the newest head is not signed by a key of this log')
  if (!edge.root().equals(head.root))
    refuse(
      newest.size,
      'the stored tree does not have the root of the newest head; run verify --full',
    )
  if (last === undefined || last.size > newest.size) return
  const then = last.size === newest.size ? edge : await edgeAt(ports.tree, last.size)
  if (!then.root().equals(last.root))
    refuse(
      last.size,
      'the head signed last has another root than the tree at its size: the history was changed; run verify --full',
    )
}

const sealFrom = async (ports: SealPorts, begun: Begun, add: AddHead): Promise<Sealed> => {
  const { newest, last, size, edge } = begun
  let head = newest
  if (last !== undefined && last.size > edge.size) {
    // Signed and not stored: who did it died, or was cut off, in between.
    const hashes = await grow(ports, edge, last.size)
    if (!edge.root().equals(last.root))
      refuse(
        last.size,
        'the entries do not give the root of the head signed last; run verify --full',
      )
    head = { size: last.size, note: formatNote(last.note) }
    await orHalt(add(head, hashes))
  }
  if (size === edge.size)
    return { tag: 'Standing', head: present(head, 'a ledger that was opened has a head') }
  const before = edge.size
  const hashes = await grow(ports, edge, size)
  const note = signed(begun, before, edge)
  await orHalt(ports.lastSigned.write(note))
  head = { size, note }
  await orHalt(add(head, hashes))
  await orHalt(ports.keys.retireBefore(begun.log.origin, keysAt(begun.log, size)))
  return { tag: 'Sealed', head }
}

/** Appends the leaves up to `size` to the edge; gives the hashes that the store keeps of them. */
const grow = async (
  { tree }: SealPorts,
  edge: Edge,
  size: number,
): Promise<readonly TreeHash[]> => {
  const grown: TreeHash[] = []
  while (edge.size < size) {
    const to = Math.min(size, edge.size + LEAVES_AT_ONCE)
    for (const leaf of hashesIn(await orHalt(tree.leaves(edge.size, to))))
      edge.append(leaf, ({ height, index }, hash) => {
        if (height > 0 && height % TILE_HEIGHT === 0)
          grown.push({ level: height / TILE_HEIGHT, index, hash })
      })
  }
  return grown
}

const signed = ({ log, keys }: Begun, before: number, edge: Edge): string => {
  const { origin } = log
  const text = headText({ origin, size: edge.size, root: edge.root() })
  const signatures = keysToSignWith(log, keys, { before, size: edge.size }).map(
    ({ key, sign }) => ({
      name: key.name,
      id: key.id,
      signature: sign(Buffer.from(text)),
    }),
  )
  const note = formatNote({ text, signatures })
  const back = parseHead(note)
  assert(
    E.isRight(back) &&
      E.isRight(
        signersOf(
          back.right.note,
          keys.map(({ key }) => key),
        ),
      ),
    'a head is signed',
  )
  return note
}
