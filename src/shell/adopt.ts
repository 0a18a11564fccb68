/** What must stand in the ledger before a run: its own beginning, the policy in force, the sources. */
import { canonicalJson } from '../kernel/canonical-json.ts'
import { type Digest, sha256Hex } from '../kernel/digest.ts'
import { E } from '../kernel/fp.ts'
import type { Position } from '../kernel/position.ts'
import type { Recorded } from '../ledger/entry.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import type { Ledger } from '../ledger/port.ts'
import { logStream, programmeStream, type StreamName } from '../ledger/stream.ts'
import type { Source } from '../programmes/sources.ts'
import { wholeStream } from './entries.ts'
import { Halt } from './halt.ts'

const TRIES_MAX = 20
const SOURCES_PER_PART = 200
/** Of the canonical sources of one part: an entry has at most 65,535 bytes in all. */
const PART_LENGTH_MAX = 50_000

type Missing = (past: readonly Recorded[]) => readonly LedgerEvent[]

/** Appends what `missing` finds lacking; another process may be doing the same at this moment. */
const ensure = async (
  ledger: Ledger,
  run: string,
  stream: StreamName,
  missing: Missing,
): Promise<readonly Recorded[]> => {
  for (let attempt = 0; attempt < TRIES_MAX; attempt += 1) {
    const past = await wholeStream(ledger, stream)
    const [first, ...rest] = missing(past)
    if (first === undefined) return past
    const append = { stream, expectedVersion: past.length, events: [first, ...rest] as const }
    const result = await ledger.append(run, append)()
    if (E.isLeft(result) && result.left.tag !== 'Conflict') throw new Halt(result.left)
  }
  throw new Halt({ tag: 'Unavailable', because: `too many writers on the stream ${stream}` })
}

export type LogOrigin = {
  readonly origin: string
  readonly clock: 'system' | 'simulated'
  readonly software: string
  /** The last signed head of the log that this one follows. */
  readonly predecessor: string | null
}

/** Opens the log if this is its first use; gives what its first entry says of it. */
export const openLog = async (
  ledger: Ledger,
  run: string,
  wanted: LogOrigin,
): Promise<LogOrigin> => {
  const [first] = await ensure(ledger, run, logStream, (past) =>
    past.length > 0 ? [] : [{ type: 'LogOpened', v: 2, ...wanted }],
  )
  if (first?.event.type === 'LogOpened') return first.event
  throw new Halt({ tag: 'IntegrityBreach', position: 1, because: 'the log has no beginning' })
}

/**
 * Real nights and simulated ones never mix: the clock named at the opening holds for every run. A
 * person's act is real in both; in a simulated log it happens at the log's own newest time.
 */
export const assertClock = (log: LogOrigin, clock: LogOrigin['clock']): void => {
  if (log.clock === clock) return
  throw new Halt({
    tag: 'WrongUse',
    because: `this ledger was opened with the ${log.clock} clock and takes no ${clock} nights; give --clock ${log.clock}, or another --data directory`,
  })
}

/** The position of the policy in force, adopting these bytes if they are new. */
export const adoptProgramme = async (
  ledger: Ledger,
  run: string,
  programme: string,
  policy: string,
): Promise<Position> => {
  const policyDigest = sha256Hex(policy)
  const latest = (past: readonly Recorded[]): Recorded | undefined =>
    past.findLast(({ event }) => event.type === 'ProgrammeAdopted')
  const isInForce = (recorded: Recorded | undefined): recorded is Recorded =>
    recorded?.event.type === 'ProgrammeAdopted' && recorded.event.policyDigest === policyDigest
  const past = await ensure(ledger, run, programmeStream(programme), (all) =>
    isInForce(latest(all))
      ? []
      : [{ type: 'ProgrammeAdopted', v: 1, programme, policy, policyDigest }],
  )
  const inForce = latest(past)
  if (isInForce(inForce)) return inForce.position
  throw new Halt({
    tag: 'Unavailable',
    because: `another process adopts another policy of ${programme} now`,
  })
}

/** The digest of the source list, adopting it if it is not the newest one in the ledger. */
export const adoptSources = async (
  ledger: Ledger,
  run: string,
  programme: string,
  sources: readonly Source[],
): Promise<Digest> => {
  const digest = sha256Hex(canonicalJson(sources))
  const parts = inParts(sources)
  await ensure(ledger, run, programmeStream(programme), (past) => {
    const latest = past.findLast(({ event }) => event.type === 'SourceListAdopted')?.event
    if (latest?.type === 'SourceListAdopted' && latest.digest === digest) return []
    return parts.map((part, index) => ({
      type: 'SourceListAdopted',
      v: 1,
      programme,
      digest,
      part: index + 1,
      parts: parts.length,
      sources: part,
    }))
  })
  return digest
}

const inParts = (sources: readonly Source[]): readonly (readonly Source[])[] => {
  const parts: Source[][] = [[]]
  let length = 0
  for (const source of sources) {
    const own = Buffer.byteLength(canonicalJson(source))
    const part = parts.at(-1)
    if (part !== undefined && part.length < SOURCES_PER_PART && length + own <= PART_LENGTH_MAX) {
      part.push(source)
      length += own
    } else {
      parts.push([source])
      length = own
    }
  }
  return parts
}

/** The source list adopted last; empty if there was none. */
export const latestSources = async (
  ledger: Ledger,
  programme: string,
): Promise<readonly Source[]> => {
  const past = await wholeStream(ledger, programmeStream(programme))
  const parts = past.flatMap(({ event }) => (event.type === 'SourceListAdopted' ? [event] : []))
  const { digest, parts: count } = parts.at(-1) ?? { digest: undefined, parts: 0 }
  return parts.slice(-count).flatMap((part) => (part.digest === digest ? part.sources : []))
}
