import type { Recorded } from '../../ledger/entry.ts'
import type { Basis, ClaimPublished } from '../../ledger/events/claim-published.ts'
import type { Ledger } from '../../ledger/port.ts'
import { claimStream } from '../../ledger/stream.ts'
import { type ClaimVerdict, type Derived, isCitable } from '../../publish/claim.ts'
import { E } from '../../kernel/fp.ts'
import { FILES } from '../../publish/bundle.ts'
import { eventAt, neighboursOf } from '../exchange.ts'
import { Halt, orHalt } from '../halt.ts'
import { evidenceOf } from '../tlog/evidence.ts'
import { recordedAt } from './cite.ts'
import { type ClaimPorts, deriveReading, deriveState, withheld } from './derive.ts'

export type PublishedClaim = Recorded<'ClaimPublished'>

export const claimNamed = async (ledger: Ledger, id: string): Promise<PublishedClaim> => {
  const stream = /^[0-9a-f]{12}$/.test(id)
    ? await orHalt(ledger.readStream(claimStream(id), 0))
    : []
  const [found] = stream
  if (found !== undefined && isClaim(found)) return found
  throw new Halt({
    tag: 'NotFound',
    because: `there is no claim ${id.slice(0, 40)}; claim list shows those there are`,
  })
}

export const isClaim = (recorded: Recorded): recorded is PublishedClaim =>
  recorded.event.type === 'ClaimPublished'

/**
 * The claim made again from history. Altered bytes, of an entry or a body, are a breach and thrown;
 * whatever is not there to be looked at makes the claim unverifiable, never false.
 */
export const verifyClaim = async (
  ports: ClaimPorts,
  claim: PublishedClaim,
): Promise<ClaimVerdict> => {
  const lacking = await lackingEvidence(ports, claim)
  if (lacking.length > 0) return { verdict: 'unverifiable', because: lacking }
  return derivedVerdict(ports, claim)
}

const lackingEvidence = async (
  ports: ClaimPorts,
  claim: PublishedClaim,
): Promise<readonly string[]> => {
  const lacking: string[] = []
  for (const { position, type } of claim.event.cites) {
    const found = (await recordedAt(ports.ledger, position)).event.type
    if (found !== type) {
      const because = `claim ${claim.event.id} cites ${type} there, and it is ${found}`
      throw new Halt({ tag: 'IntegrityBreach', position, because })
    }
    if (!isCitable(found)) lacking.push(`position ${position} is ${found}, which no claim can cite`)
  }
  for (const position of await evidencePositions(ports.ledger, claim)) {
    const because = await lackingAt(ports, position)
    if (because !== undefined) lacking.push(because)
  }
  return lacking
}

const lackingAt = async (ports: ClaimPorts, position: number): Promise<string | undefined> => {
  try {
    const bundle = await evidenceOf(ports, position)
    return bundle.has(FILES.erased) ? await withheldAt(ports, position) : undefined
  } catch (error) {
    if (!(error instanceof Halt)) throw error
    const { tag } = error.failure
    if (tag !== 'NotFound' && tag !== 'BodyMissing') throw error
    return `position ${position}: ${error.message}`
  }
}

const withheldAt = async (ports: ClaimPorts, position: number): Promise<string | undefined> => {
  const recorded = await eventAt(ports.ledger, position)
  const { event } = recorded ?? {}
  if (event?.type !== 'ResponseReceived' || !event.body.kept) return undefined
  const { commit } = event.body
  const body = await ports.bodies.get(commit)()
  return E.isLeft(body) && body.left.tag === 'BodyErased'
    ? `position ${position}: ${withheld(commit, body.left.event)}`
    : undefined
}

/** The claim itself, what it cites, and of each cited fetch the answer, which commits to the body. */
export const evidencePositions = async (
  ledger: Ledger,
  { position, event }: PublishedClaim,
): Promise<readonly number[]> => {
  const positions = new Set<number>([position])
  for (const cited of event.cites) {
    positions.add(cited.position)
    for (const near of await neighboursOf(ledger, await recordedAt(ledger, cited.position)))
      if (near.event.type === 'ResponseReceived') positions.add(near.position)
  }
  return [...positions].toSorted((a, b) => a - b)
}

const derivedVerdict = async (
  ports: ClaimPorts,
  { event }: PublishedClaim,
): Promise<ClaimVerdict> => {
  const { basis } = event
  const none = { verdict: 'holds', value: null, by: null, since: null } as const
  if (basis.kind === 'events') return none
  const derived = await derive(ports, basis)
  if ('because' in derived)
    return { verdict: 'unverifiable', because: [derived.because, ...otherVersion(ports, basis)] }
  const { value, by } = derived
  if (value === basis.value)
    return { verdict: 'holds', value, by, since: await sinceOf(ports, basis) }
  // Without those bodies the value may be another one only because they are missing.
  if (derived.missing.length > 0) return { verdict: 'unverifiable', because: derived.missing }
  return { verdict: 'changed', claimed: basis.value, found: value, by }
}

type DerivedBasis = Exclude<ClaimPublished['basis'], { readonly kind: 'events' }>

const derive = (ports: ClaimPorts, basis: DerivedBasis): Promise<Derived> =>
  basis.kind === 'state' ? deriveState(ports, basis, basis.at) : deriveReading(ports, basis)

/** Said where nothing was derived: a newer version may keep rows that an older one let go. */
const otherVersion = ({ projections }: ClaimPorts, basis: DerivedBasis): readonly string[] => {
  if (basis.kind !== 'state') return []
  const { projection: name, version } = basis
  const ours = projections.find((one) => one.name === name)
  if (ours === undefined || ours.version === version) return []
  return [`it was claimed by ${name}@${version}; this program has ${name}@${ours.version}`]
}

/** A body that is missing only now says nothing about then: there is just no newer value. */
const sinceOf = async (ports: ClaimPorts, basis: Basis) => {
  if (basis.kind !== 'state') return null
  const { position } = await orHalt(ports.ledger.head())
  const now = await deriveState(ports, basis, position)
  if ('because' in now || now.value === basis.value || now.missing.length > 0) return null
  return { value: now.value, position: now.row }
}
