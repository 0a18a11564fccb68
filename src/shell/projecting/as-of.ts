/**
 * A projection as of an earlier moment (CL6), soon: brought up to date first, then from its own rows where
 * nothing has changed since, and elsewhere from the nearest snapshot and the few events after it. Rows that
 * are added need neither.
 */
import type { Standing, StoredState } from '../../../projections/port.ts'
import type { Projection, Row } from '../../../projections/projection.ts'
import type { Past } from '../../../projections/snapshot.ts'
import type { Json } from '../../kernel/canonical-json.ts'
import type { Site } from '../../kernel/site.ts'
import { followByPages } from '../../ledger/follow-by-pages.ts'
import type { Ledger } from '../../ledger/port.ts'
import { Halt, orHalt } from '../halt.ts'
import { catchUp } from './catch-up.ts'
import type { ProjectionPorts } from './folding.ts'
import { foldInMemory, type Moment, upTo } from './rows-at.ts'
import { rowsOfState, storableText } from './storable.ts'

export type AsOfPorts = ProjectionPorts & {
  readonly ledger: Pick<Ledger, 'readAll' | 'readAt' | 'follow' | 'head' | 'positionAt'>
}

export type AsOf = { readonly moment: Moment; readonly site?: Site }

/** Keys looked up at a time, each with at most two snapshots: what is in memory. */
const PAGE_KEYS = 100
const PAGE_ROWS = 1_000

/** The rows as they stood, in key order, a page at a time. */
export async function* rowsAsOf(
  ports: AsOfPorts,
  given: Projection,
  { moment, site }: AsOf,
): AsyncGenerator<readonly Row[], void, undefined> {
  const standing = await orHalt(catchUp(ports)(given))
  const projection = standing.reader === null ? given : { ...given, readWith: standing.reader }
  const asked =
    'position' in moment ? moment.position : await orHalt(ports.ledger.positionAt(moment.ts))
  // What is recorded from now on was not there when this was asked.
  const position = Math.min(asked, standing.checkpoint)
  if (projection.adds !== undefined)
    return yield* rowsUpTo(ports, { projection, standing, position, site })
  const query = { position, limit: PAGE_KEYS, ...(site === undefined ? {} : { site }) }
  for (let after = ''; ;) {
    const page = await orHalt(ports.store.readPast(projection, { ...query, after }))
    if (page === undefined || !isSameBuild(page.standing, standing))
      throw new Halt({ tag: 'Overtaken', projection: given.name })
    yield await rowsOfKeys(ports, projection, { keys: page.keys, position })
    if (page.next === undefined) return
    after = page.next
  }
}

type UpTo = {
  readonly projection: Projection
  readonly standing: Standing
  readonly position: number
  readonly site: Site | undefined
}

/** Rows that are added carry the position they were added at. */
async function* rowsUpTo(
  { store }: Pick<AsOfPorts, 'store'>,
  { projection, standing, position, site }: UpTo,
): AsyncGenerator<readonly Row[], void, undefined> {
  const between = { column: 'position', from: 0, to: position }
  const query = { between, limit: PAGE_ROWS, ...(site === undefined ? {} : { where: { site } }) }
  for (let after: string | undefined; ;) {
    const from = after === undefined ? {} : { after }
    const page = await orHalt(store.readRows(projection, { ...query, ...from }))
    if (page.standing === undefined || !isSameBuild(page.standing, standing))
      throw new Halt({ tag: 'Overtaken', projection: projection.name })
    yield page.rows
    if (page.next === undefined) return
    after = page.next
  }
}

const isSameBuild = (a: Standing, b: Standing): boolean =>
  a.version === b.version && a.reader === b.reader

type Page = { readonly keys: readonly Past[]; readonly position: number }

const rowsOfKeys = async (
  ports: AsOfPorts,
  projection: Projection,
  page: Page,
): Promise<readonly Row[]> => {
  const folded = await foldedFromSnapshots(ports, projection, page)
  const known = new Map([...folded, ...(await foldedFromHistory(ports, projection, page))])
  return page.keys.flatMap((one) => {
    if (one.tag === 'Settled') return one.rows
    const state = known.get(one.key)
    return state === undefined ? [] : rowsOfState(projection, state)
  })
}

type States = ReadonlyMap<string, Json>

/** Each event goes to the keys whose snapshot does not know it yet. */
const foldedFromSnapshots = async (
  ports: AsOfPorts,
  projection: Projection,
  { keys }: Page,
): Promise<States> => {
  const bases = new Map<string, StoredState>()
  const touched = new Map<number, string[]>()
  for (const one of keys) {
    if (one.tag !== 'Foldable') continue
    if (one.base !== undefined) bases.set(one.key, { state: one.base, since: 0, touched: [] })
    for (const at of one.touched) touched.set(at, [...(touched.get(at) ?? []), one.key])
  }
  const narrow = {
    ...projection,
    keysOf: ({ position }) => touched.get(position) ?? [],
  } satisfies Projection
  const follow = readingAt(ports.ledger, [...touched.keys()])
  const { held } = await orHalt(() => foldInMemory(ports, narrow, { follow, bases }))
  const still = [...bases].filter(([key]) => !held.has(key))
  const based = still.map(([key, { state }]) => [key, JSON.parse(state) as Json] as const)
  return new Map([...based, ...statesIn(held)])
}

const readingAt = (
  ledger: Pick<Ledger, 'readAt'>,
  positions: readonly number[],
): Ledger['follow'] => {
  const rising = positions.toSorted((a, b) => a - b)
  return followByPages(({ after, limit }) =>
    ledger.readAt(rising.filter((one) => one > after).slice(0, limit)),
  )
}

/** All of history for the keys of which nothing else can be believed. */
const foldedFromHistory = async (
  ports: AsOfPorts,
  projection: Projection,
  { keys, position }: Page,
): Promise<States> => {
  const unknown = new Set(keys.filter(({ tag }) => tag === 'Unknown').map(({ key }) => key))
  if (unknown.size === 0) return new Map()
  const narrow = {
    ...projection,
    keysOf: (recorded) =>
      projection.keysOf(recorded).filter((key) => unknown.has(storableText(key))),
  } satisfies Projection
  const follow = upTo(ports.ledger, { position })
  const { held } = await orHalt(() => foldInMemory(ports, narrow, { follow }))
  return new Map(statesIn(held))
}

const statesIn = (held: ReadonlyMap<string, { readonly state: Json }>) =>
  [...held].map(([key, { state }]) => [key, state] as const)
