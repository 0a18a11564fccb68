/** Writes the evidence for one event: see `src/publish/bundle.ts` for the files. */
import type { SaltedBodies } from '../../capture/port.ts'
import { formatInstant } from '../../kernel/instant.ts'
import { E } from '../../kernel/fp.ts'
import type { Ledger } from '../../ledger/port.ts'
import type { Head } from '../../ledger/tlog/head.ts'
import type { VerifierKey } from '../../ledger/tlog/key.ts'
import type { StoredLeaf, TlogPorts } from '../../ledger/tlog/port.ts'
import { consistencySpans, inclusionSpans } from '../../ledger/tlog/proof.ts'
import { type Bundle, FILES } from '../../publish/bundle.ts'
import { checkEvidence } from '../../publish/check-evidence.ts'
import type { Folder } from '../../publish/folder.ts'
import { parsePolicy, policyText } from '../../publish/policy.ts'
import { formatEntryProof, formatGrowthProof } from '../../publish/proof-file.ts'
import { readmeText } from '../../publish/readme.ts'
import { Halt, orHalt } from '../halt.ts'
import { spanHash } from './hashes.ts'
import { headIn, readLogRecord } from './log-record.ts'
import { headKeys } from './milestones.ts'

export type EvidencePorts = Pick<TlogPorts, 'tree' | 'keys'> & {
  readonly ledger: Pick<Ledger, 'readStream'>
  readonly bodies: SaltedBodies
}

const notFound = (because: string): Halt => new Halt({ tag: 'NotFound', because })

/** Writes the bundle for `position` into an empty folder; gives the names of its files. */
export const writeEvidence = async (
  ports: EvidencePorts,
  position: number,
  folder: Folder,
): Promise<readonly string[]> => {
  if ((await orHalt(folder.list())).length > 0)
    throw new Halt({
      tag: 'WrongUse',
      because: `${folder.place} is not empty; name a new directory`,
    })
  const bundle = await evidenceOf(ports, position)
  for (const [name, bytes] of bundle) await orHalt(folder.write(name, bytes))
  return [...bundle.keys()]
}

/** The bundle for `position`, checked as its reader will: a false one is a breach. */
export const evidenceOf = async (ports: EvidencePorts, position: number): Promise<Bundle> => {
  const log = await readLogRecord(ports.ledger)
  const { keys } = await headKeys(ports.keys, log)
  if (log === undefined || keys.length === 0)
    throw notFound(
      'this data directory has no key of the log: write evidence where its heads are signed',
    )
  const [stored] = await orHalt(ports.tree.stored(position - 1, 1))
  if (stored === undefined) throw notFound(`there is no position ${position}`)
  const head = await headCovering(ports, position)
  const proof = await hashesOf(ports, inclusionSpans(position - 1, head.head.size))
  const before = await headBefore(ports, position, head.head)
  const files = new Map<string, string | Buffer>([
    [FILES.event, stored.entry],
    [FILES.proof, formatEntryProof({ index: position - 1, proof, checkpoint: head.note })],
  ])
  if (before !== undefined)
    files.set(FILES.before, before.note).set(FILES.growth, growthFile(before, head.note))
  const body = await bodyOf(ports, stored)
  if (body !== undefined && 'bytes' in body)
    files.set(FILES.body, body.bytes).set(FILES.salt, body.salt)
  const erasure = body !== undefined && 'event' in body ? await erasureAt(ports, body.event) : null
  if (erasure !== null)
    files.set(FILES.erased, erasure.entry).set(FILES.erasedProof, erasure.proofFile)
  const told = {
    position,
    about: aboutOf(stored),
    head: head.head,
    proof,
    before,
    keys,
    hasBody: body !== undefined && 'bytes' in body,
    erasure,
    isSimulated: log.clock === 'simulated',
  }
  files.set(FILES.policy, policyText(keys)).set(FILES.readme, readmeText(told))
  return checked(files, position, keys)
}

const growthFile = (
  before: { readonly head: Head; readonly proof: readonly Buffer[] },
  checkpoint: string,
): string => formatGrowthProof({ older: before.head.size, proof: before.proof, checkpoint })

const aboutOf = ({ recorded: { event, ts } }: StoredLeaf): string =>
  `${event.type}, ${formatInstant(ts)} by the clock of the crawler`

type Covering = { readonly head: Head; readonly note: string }

const headCovering = async ({ tree }: EvidencePorts, position: number): Promise<Covering> => {
  const [covering] = await orHalt(tree.after(position - 1, 1))
  if (covering === undefined)
    throw notFound(`no signed head covers position ${position} yet; the next run or act seals it`)
  return { head: headIn(`the head of size ${covering.size}`, covering.note), note: covering.note }
}

const headBefore = async (ports: EvidencePorts, position: number, newer: Head) => {
  const stored = await orHalt(ports.tree.newestUpTo(position - 1))
  if (stored === undefined) return undefined
  const head = headIn(`the head of size ${stored.size}`, stored.note)
  const proof = await hashesOf(ports, consistencySpans(head.size, newer.size))
  return { head, note: stored.note, proof }
}

const hashesOf = ({ tree }: EvidencePorts, spans: ReturnType<typeof inclusionSpans>) =>
  Promise.all(spans.map((span) => spanHash(tree, span)))

/** The body with its salt, or by which event it was erased; undefined if none was kept. */
const bodyOf = async ({ bodies }: EvidencePorts, { recorded: { event } }: StoredLeaf) => {
  if (event.type !== 'ResponseReceived' || !event.body.kept) return undefined
  const body = await bodies.getSalted(event.body.commit)()
  if (E.isRight(body)) return body.right
  if (body.left.tag === 'BodyErased') return { event: body.left.event }
  throw new Halt(body.left)
}

/** The erasure as an event of the log that can be checked in the same way. */
const erasureAt = async (ports: EvidencePorts, position: number) => {
  const [stored] = await orHalt(ports.tree.stored(position - 1, 1))
  if (stored === undefined) throw notFound(`there is no position ${position}`)
  const { head, note } = await headCovering(ports, position)
  const proof = await hashesOf(ports, inclusionSpans(position - 1, head.size))
  const proofFile = formatEntryProof({ index: position - 1, proof, checkpoint: note })
  return { position, about: aboutOf(stored), entry: stored.entry, head, proof, proofFile }
}

/** What we hand out we have checked as its reader will. */
const checked = (
  files: ReadonlyMap<string, string | Buffer>,
  position: number,
  keys: readonly VerifierKey[],
): Bundle => {
  const bundle: Bundle = new Map([...files].map(([name, bytes]) => [name, Buffer.from(bytes)]))
  const policy = parsePolicy(FILES.policy, policyText(keys))
  const found = E.isLeft(policy) ? policy : checkEvidence(bundle, policy.right)
  if (E.isRight(found)) return bundle
  const because =
    found.left.tag === 'EvidenceFault' ? `${found.left.file}: ${found.left.because}` : 'no policy'
  throw new Halt({
    tag: 'IntegrityBreach',
    position,
    because: `its evidence would be refused (${because}); run verify --full`,
  })
}
