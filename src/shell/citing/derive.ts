/** The basis of a claim, derived anew from the events and the very bytes: nothing remembered is used. */
import type { ProjectionStore } from '../../../projections/port.ts'
import type { Projection } from '../../../projections/projection.ts'
import type { BodyFailure, BodyStore, SaltedBodies } from '../../capture/port.ts'
import { canonicalJson } from '../../kernel/canonical-json.ts'
import { E } from '../../kernel/fp.ts'
import type { Recorded } from '../../ledger/entry.ts'
import type { ReadingBasis, StateBasis } from '../../ledger/events/claim-published.ts'
import type { Ledger } from '../../ledger/port.ts'
import type { TlogPorts } from '../../ledger/tlog/port.ts'
import { type Derived, fieldAt, isSaid } from '../../publish/claim.ts'
import { type Reader, readerLabel } from '../../readers/reader.ts'
import { eventAt, neighboursOf } from '../exchange.ts'
import { orHalt } from '../halt.ts'
import { newestOf, readerOf } from '../projecting/reader-in-force.ts'
import { type Conclusion, conclusionOf, readingOf } from '../projecting/readings.ts'
import { rowsAt } from '../projecting/rows-at.ts'

export type ClaimPorts = Pick<TlogPorts, 'tree' | 'cosignatures' | 'keys'> & {
  readonly ledger: Ledger
  readonly bodies: BodyStore & SaltedBodies
  readonly store: ProjectionStore
  readonly readers: readonly Reader[]
  readonly projections: readonly Projection[]
}

/** One cell as it stood at `at`. */
export const deriveState = async (
  ports: ClaimPorts,
  basis: Omit<StateBasis, 'value' | 'version'>,
  at: number,
): Promise<Derived> => {
  const projection = ports.projections.find(({ name }) => name === basis.projection)
  if (projection === undefined)
    return { because: `this program has no projection ${basis.projection}` }
  const missing: string[] = []
  const readers = readersFor(ports.readers, basis.reader)
  const fresh = {
    ...ports,
    readers,
    bodies: noticing(ports.bodies, missing),
    store: forgetful(ports.store),
  }
  const { rows } = await orHalt(rowsAt(fresh)(projection, { position: at }, basis.site))
  const fitting = rows.filter((row) =>
    basis.where.every(({ column, value }) => isSaid(row[column] ?? null, value)),
  )
  if (fitting.length > 1) return { because: `${fitting.length} rows fit; say which with --where` }
  const [row] = fitting
  const reader = readerOf(projection, readers)
  const read = reader === undefined ? '' : ` with ${readerLabel(reader)}`
  const by = `${projection.name}@${projection.version}${read}`
  if (row === undefined) return { value: null, row: 0, by, missing }
  return { value: canonicalJson(row[basis.column] ?? null), row: row.position, by, missing }
}

/** The reader that the claim names, at its version if this program still has it, else the newest. */
const readersFor = (readers: readonly Reader[], label: string | null): readonly Reader[] => {
  const named = readers.find((reader) => readerLabel(reader) === label)
  if (named === undefined) return readers
  return [named, ...readers.filter(({ name }) => name !== named.name)]
}

/** As many as anybody wants to read. */
const MISSING_NAMED_MAX = 5

/** Why there is nothing to read: the body is not there, or a person had it erased. */
const whyGone = (failure: BodyFailure): string | undefined => {
  const { tag } = failure
  if (tag === 'BodyMissing') return `the kept body ${failure.commit} is not in the body store`
  return tag === 'BodyErased' ? withheld(failure.commit, failure.event) : undefined
}

/** How a body that a person had erased is told of, wherever it is missed. */
export const withheld = (commit: string, event: number): string =>
  `the body ${commit} is withheld, erased by event ${event}`

const noticing = (bodies: Pick<BodyStore, 'get'>, missing: string[]): Pick<BodyStore, 'get'> => ({
  get: (commit) => async () => {
    const body = await bodies.get(commit)()
    const gone = E.isLeft(body) ? whyGone(body.left) : undefined
    if (gone !== undefined && missing.length < MISSING_NAMED_MAX) missing.push(gone)
    return body
  },
})

/** Every body is read again, and what was read is not kept. */
const forgetful = (store: ProjectionStore): ProjectionStore => ({
  ...store,
  loadReadings: () => async () =>
    E.right({ through: Number.MAX_SAFE_INTEGER, readings: new Map<number, string>() }),
  saveReadings: () => async () => E.right(undefined),
})

/** One field of what a reader takes from the kept body of the fetch that `position` belongs to. */
export const deriveReading = async (
  ports: ClaimPorts,
  { position, reader: label, path }: Omit<ReadingBasis, 'value'>,
): Promise<Derived> => {
  const name = label.split('@')[0] ?? label
  const reader = newestOf(name, readersFor(ports.readers, label))
  if (reader === undefined) return { because: `this program has no reader ${name}` }
  const recorded = await eventAt(ports.ledger, position)
  const kept = recorded === undefined ? undefined : await keptOf(ports.ledger, recorded)
  if (kept === undefined)
    return { because: `no answer was kept of the fetch that position ${position} belongs to` }
  const body = await ports.bodies.get(kept.commit)()
  const gone = E.isLeft(body) ? whyGone(body.left) : undefined
  if (gone !== undefined) return { because: gone }
  const bytes = await orHalt(async () => body)
  const field = fieldAt(readingOf(reader, { ...kept.capture, token: null, body: bytes }), path)
  const value = field === undefined ? null : canonicalJson(field)
  return { value, row: kept.position, by: readerLabel(reader), missing: [] }
}

type Kept = Conclusion & { readonly position: number }

const keptOf = async (ledger: Ledger, recorded: Recorded): Promise<Kept | undefined> => {
  const near = await neighboursOf(ledger, recorded)
  // The event itself comes first: an address that was fetched once may end several fetches.
  for (const { event, position } of [recorded, ...near]) {
    const concluded = event.type === 'FetchConcluded' ? conclusionOf(event) : undefined
    if (concluded !== undefined) return { ...concluded, position }
  }
  return undefined
}
