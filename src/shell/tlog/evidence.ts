/** Writes the evidence for one event: see `src/publish/bundle.ts` for the files. */
import type { SaltedBodies } from '../../capture/port.ts'
import { sha256Hex } from '../../kernel/digest.ts'
import { formatInstant } from '../../kernel/instant.ts'
import { E } from '../../kernel/fp.ts'
import type { Ledger } from '../../ledger/port.ts'
import { timestampStream } from '../../ledger/stream.ts'
import { type Head, headText } from '../../ledger/tlog/head.ts'
import type { StoredLeaf, TlogPorts } from '../../ledger/tlog/port.ts'
import { consistencySpans, inclusionSpans } from '../../ledger/tlog/proof.ts'
import type { LogRecord } from '../../ledger/tlog/rotation.ts'
import { quorumOf } from '../../ledger/tlog/witness.ts'
import { type Bundle, FILES } from '../../publish/bundle.ts'
import { checkEvidence } from '../../publish/check-evidence.ts'
import type { Folder } from '../../publish/folder.ts'
import { parsePolicy, policyText } from '../../publish/policy.ts'
import { formatEntryProof, formatGrowthProof } from '../../publish/proof-file.ts'
import { readmeText } from '../../publish/readme.ts'
import { wholeStream } from '../entries.ts'
import { Halt, orHalt } from '../halt.ts'
import { headBefore, headCovering, headOfSize, largestHead } from './cosigned-heads.ts'
import { spanHash } from './hashes.ts'
import { headIn, readLogRecord } from './log-record.ts'
import { headKeys } from './milestones.ts'

export type EvidencePorts = Pick<TlogPorts, 'tree' | 'cosignatures' | 'keys'> & {
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
  const head = await coveringHead(ports, log, position)
  const proof = await hashesOf(ports, inclusionSpans(position - 1, head.head.size))
  const before = await earlierHead(ports, log, stored, head.head)
  const body = await bodyOf(ports, stored)
  const erasure =
    body !== undefined && 'event' in body ? await provenAt(ports, log, body.event) : null
  const stamp = await stampOn(ports, log, position)
  const told = {
    position,
    about: aboutOf(stored),
    head: head.head,
    proof,
    before,
    keys,
    witnesses: log.witnesses.named.map(({ key }) => key),
    hasBody: body !== undefined && 'bytes' in body,
    erasure,
    stamp,
    isSimulated: log.clock === 'simulated',
  }
  const policy = policyText(keys, log.witnesses)
  const files = [
    [FILES.event, stored.entry],
    [FILES.proof, formatEntryProof({ index: position - 1, proof, checkpoint: head.note })],
    ...optionalFiles({ before, checkpoint: head.note, body, erasure, stamp }),
    [FILES.policy, policy],
    [FILES.readme, readmeText(told)],
  ] as const
  return checked(new Map(files), position, policy)
}

type NamedFile = readonly [name: string, bytes: string | Buffer]

type Optional = {
  readonly before: Before | undefined
  readonly checkpoint: string
  readonly body: Awaited<ReturnType<typeof bodyOf>>
  readonly erasure: Awaited<ReturnType<typeof provenAt>> | null
  readonly stamp: Awaited<ReturnType<typeof stampOn>>
}

const optionalFiles = ({
  before,
  checkpoint,
  body,
  erasure,
  stamp,
}: Optional): readonly NamedFile[] => {
  const files: NamedFile[] = []
  if (before !== undefined)
    files.push([FILES.before, before.note], [FILES.growth, growthFile(before, checkpoint)])
  if (body !== undefined && 'bytes' in body)
    files.push([FILES.body, body.bytes], [FILES.salt, body.salt])
  if (erasure !== null)
    files.push([FILES.erased, erasure.entry], [FILES.erasedProof, erasure.proofFile])
  if (stamp !== undefined)
    files.push(
      [FILES.stamped, stamp.proofFile],
      [FILES.stamp, stamp.recorded.entry],
      [FILES.stampProof, stamp.recorded.proofFile],
    )
  return files
}

type Before = { readonly head: Head; readonly note: string; readonly proof: readonly Buffer[] }

const growthFile = (before: Before, checkpoint: string): string =>
  formatGrowthProof({ older: before.head.size, proof: before.proof, checkpoint })

const aboutOf = ({ recorded: { event, ts } }: StoredLeaf): string =>
  `${event.type}, ${formatInstant(ts)} by the clock of the crawler`

type Covering = { readonly head: Head; readonly note: string }

const coveringHead = async (
  ports: EvidencePorts,
  { witnesses }: LogRecord,
  position: number,
): Promise<Covering> => {
  const covering = await headCovering(ports, witnesses, position)
  if (covering === undefined)
    throw notFound(
      witnesses.named.length === 0
        ? `no signed head covers position ${position} yet; the next run or act seals it`
        : `no head that covers position ${position} is cosigned by ${quorumOf(witnesses)} of ${witnesses.named.length} witnesses yet; each run and act asks them (crawl-ledger witness list)`,
    )
  return { head: headIn(`the head of size ${covering.size}`, covering.note), note: covering.note }
}

const earlierHead = async (
  ports: EvidencePorts,
  { witnesses }: LogRecord,
  { position, recorded }: StoredLeaf,
  newer: Head,
) => {
  const stored = await headBefore(ports, witnesses, position, recorded.ts)
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

/** Another event of the log that can be checked in the same way: an erasure, a time stamp. */
const provenAt = async (ports: EvidencePorts, log: LogRecord, position: number) => {
  const [stored] = await orHalt(ports.tree.stored(position - 1, 1))
  if (stored === undefined) throw notFound(`there is no position ${position}`)
  const { head, note } = await coveringHead(ports, log, position)
  const proof = await hashesOf(ports, inclusionSpans(position - 1, head.size))
  const proofFile = formatEntryProof({ index: position - 1, proof, checkpoint: note })
  return { position, about: aboutOf(stored), entry: stored.entry, head, proof, proofFile }
}

/** The earliest time stamp over a head with the event in it, with the proofs of both. */
const stampOn = async (ports: EvidencePorts, log: LogRecord, position: number) => {
  const found = await stampedHead(ports, log, position)
  if (found === undefined) return undefined
  const { at, size, digest, authority, time, note } = found
  const head = headIn(`the head of size ${size}`, note)
  if (sha256Hex(headText(head)) !== digest)
    throw new Halt({
      tag: 'IntegrityBreach',
      position: size,
      because: 'an authority has stamped another head of this size',
    })
  const proof = await hashesOf(ports, inclusionSpans(position - 1, size))
  const proofFile = formatEntryProof({ index: position - 1, proof, checkpoint: note })
  const recorded = await provenAt(ports, log, at)
  return { position, authority, time, head, proof, proofFile, recorded }
}

/** Only a head that has the quorum: a checker would not take another. */
const stampedHead = async (ports: EvidencePorts, log: LogRecord, position: number) => {
  const signed = await largestHead(ports, log.witnesses)
  const stamps = (await wholeStream(ports.ledger, timestampStream)).flatMap((recorded) =>
    recorded.event.type === 'HeadTimestamped' ? [{ at: recorded.position, ...recorded.event }] : [],
  )
  const covering = stamps.filter(({ at, size }) => size >= position && at <= signed)
  for (const stamp of covering.toSorted((a, b) => a.time - b.time)) {
    const stored = await headOfSize(ports, log.witnesses, stamp.size)
    if (stored !== undefined) return { ...stamp, note: stored.note }
  }
  return undefined
}

/** What we hand out we have checked as its reader will. */
const checked = (
  files: ReadonlyMap<string, string | Buffer>,
  position: number,
  text: string,
): Bundle => {
  const bundle: Bundle = new Map([...files].map(([name, bytes]) => [name, Buffer.from(bytes)]))
  const policy = parsePolicy(FILES.policy, text)
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
