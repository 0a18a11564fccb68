import { canonicalJson } from '../../kernel/canonical-json.ts'
import type { Position } from '../../kernel/position.ts'
import type { Site } from '../../kernel/site.ts'
import type { Recorded } from '../../ledger/entry.ts'
import {
  type Basis,
  CLAIM_CITES_MAX,
  CLAIM_STATEMENT_MAX,
  CLAIM_VALUE_MAX,
  type ClaimPublished,
} from '../../ledger/events/claim-published.ts'
import { claimStream } from '../../ledger/stream.ts'
import { type Derived, type Found, isCitable } from '../../publish/claim.ts'
import { readerLabel } from '../../readers/reader.ts'
import { eventAt, exchangeOf } from '../exchange.ts'
import { Halt, orHalt } from '../halt.ts'
import { readerOf } from '../projecting/reader-in-force.ts'
import { recordedAt } from './cite.ts'
import { type ClaimPorts, deriveReading, deriveState } from './derive.ts'

/** What is claimed of the events: nothing more, a cell of a projection, or a field of a reading. */
export type AskedBasis =
  | { readonly kind: 'events' }
  | {
      readonly kind: 'state'
      readonly projection: string
      readonly site: Site
      readonly where: readonly { readonly column: string; readonly value: string }[]
      readonly column: string
      /** The newest position there is, if none is given. */
      readonly at: number | undefined
      readonly value: string | undefined
    }
  | {
      readonly kind: 'reading'
      readonly reader: string
      readonly path: readonly string[]
      readonly value: string | undefined
    }

export type AskedClaim = {
  readonly id: string
  readonly statement: string
  readonly by: string
  readonly cites: readonly number[]
  readonly basis: AskedBasis
}

const wrongUse = (because: string): Halt => new Halt({ tag: 'WrongUse', because })
const notSo = (because: string): Halt => new Halt({ tag: 'NotFound', because })

/** The claim as it will stand in the ledger; refused if it does not hold there now. */
export const claimOf = async (ports: ClaimPorts, asked: AskedClaim): Promise<ClaimPublished> => {
  const { id, by, statement } = asked
  if (
    statement.trim() === '' ||
    statement.length > CLAIM_STATEMENT_MAX ||
    !statement.isWellFormed()
  )
    throw wrongUse(`--statement takes a sentence of at most ${CLAIM_STATEMENT_MAX} characters`)
  const positions = [...new Set(asked.cites)].toSorted((a, b) => a - b)
  if (positions.length > CLAIM_CITES_MAX)
    throw wrongUse(`a claim cites at most ${CLAIM_CITES_MAX} positions`)
  const cited: Recorded[] = []
  for (const position of positions) cited.push(await citable(ports, position))
  const basis = await basisOf(ports, asked.basis, cited)
  const cites = cited.map(({ position, event }) => ({ position, type: event.type }))
  return { type: 'ClaimPublished', v: 1, id, statement, by, cites, basis }
}

const citable = async ({ ledger }: ClaimPorts, position: number): Promise<Recorded> => {
  const recorded = await recordedAt(ledger, position)
  if (isCitable(recorded.event.type)) return recorded
  throw wrongUse(`position ${position} is ${recorded.event.type}, which no claim can cite`)
}

const basisOf = async (
  ports: ClaimPorts,
  asked: AskedBasis,
  cited: readonly Recorded[],
): Promise<Basis> => {
  if (asked.kind === 'events') return asked
  if (asked.kind === 'reading') return readingBasis(ports, asked, cited)
  return stateBasis(ports, asked, cited)
}

const stateBasis = async (
  ports: ClaimPorts,
  asked: Extract<AskedBasis, { readonly kind: 'state' }>,
  cited: readonly Recorded[],
): Promise<Basis> => {
  const projection = ports.projections.find(({ name }) => name === asked.projection)
  const unknown = [asked.column, ...asked.where.map(({ column }) => column)].find(
    (column) => projection?.table.columns.includes(column) !== true,
  )
  if (projection === undefined || unknown !== undefined)
    throw wrongUse(`${asked.projection.slice(0, 60)} has no column ${String(unknown).slice(0, 60)}`)
  const head = await orHalt(ports.ledger.head())
  const at = (await recordedAt(ports.ledger, asked.at ?? head.position)).position
  const reader = readerOf(projection, ports.readers)
  const { site, where, column } = asked
  const fields = {
    kind: 'state',
    projection: projection.name,
    reader: reader === undefined ? null : readerLabel(reader),
    site,
    where,
    column,
    at,
  } as const
  const found = foundIn(await deriveState(ports, fields, at))
  if (found.value === null) throw notSo(`${projection.name} had no such row of ${site} at ${at}`)
  await assertCited(ports, found.row, cited)
  return { ...fields, version: projection.version, value: claimable(found.value, asked.value) }
}

const foundIn = (derived: Derived): Found => {
  if ('because' in derived) throw notSo(derived.because)
  return derived
}

/** A claim about a row cites the event that made it, or another event of the same fetch. */
const assertCited = async (
  { ledger }: ClaimPorts,
  row: number,
  cited: readonly Recorded[],
): Promise<void> => {
  const maker = await eventAt(ledger, row)
  const request = maker === undefined ? undefined : exchangeOf(maker)
  const isCited = cited.some(
    (one) => one.position === row || (request !== undefined && exchangeOf(one) === request),
  )
  if (!isCited)
    throw wrongUse(`the row was made by position ${row}, which the claim does not cite; add it`)
}

const readingBasis = async (
  ports: ClaimPorts,
  { reader, path, value }: Extract<AskedBasis, { readonly kind: 'reading' }>,
  cited: readonly Recorded[],
): Promise<Basis> => {
  const [only, ...others] = cited
  if (only === undefined || others.length > 0)
    throw wrongUse('a claim about a reading cites one position')
  const position: Position = only.position
  const found = foundIn(await deriveReading(ports, { kind: 'reading', position, reader, path }))
  if (found.value === null) throw notSo(`the reading has no field ${path.join('.').slice(0, 200)}`)
  const said = claimable(found.value, value)
  return { kind: 'reading', position, reader: found.by, path, value: said }
}

/** Refused if it is not what was typed: a claim that is false from the start is not published. */
const claimable = (found: string, typed: string | undefined): string => {
  if (typed !== undefined && canonicalJson(typed) !== found && typed !== found)
    throw notSo(`the ledger says ${found.slice(0, 200)}, not ${typed.slice(0, 200)}`)
  if (found.length <= CLAIM_VALUE_MAX) return found
  throw wrongUse(`the value has ${found.length} characters, over the ${CLAIM_VALUE_MAX} of a claim`)
}

/** Appends the claim to a stream of its own. The caller seals. */
export const publishClaim = async (
  { ledger }: Pick<ClaimPorts, 'ledger'>,
  run: string,
  claim: ClaimPublished,
): Promise<Position | undefined> => {
  const append = { stream: claimStream(claim.id), expectedVersion: 0, events: [claim] } as const
  const { positions } = await orHalt(ledger.append(run, append))
  return positions[0]
}
