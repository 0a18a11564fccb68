/** Pages of a projection's table in memory. */
import { formatPlace, parsePlace, type Place } from '../../../projections/place.ts'
import type {
  Nearest,
  PastPage,
  PastQuery,
  RowsPage,
  RowsQuery,
  Standing,
  StoredState,
} from '../../../projections/port.ts'
import type { Cell, Projection, Row } from '../../../projections/projection.ts'
import { foldingAt, lastTouch, type Past, type Snapshot } from '../../../projections/snapshot.ts'

export type Table = {
  standing: Standing
  /** None if it is folded whole. */
  parts: readonly Standing[]
  readonly states: Map<string, StoredState>
  readonly snapshots: Map<string, readonly Snapshot[]>
  readonly rows: Map<string, readonly Row[]>
  builtAt: string | null
}

export const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : a > b ? 1 : 0

export const pageOf = (table: Table | undefined, query: RowsQuery): RowsPage => {
  if (table === undefined) return { standing: undefined, rows: [], next: undefined }
  const { limit, after } = query
  const start = after === undefined ? undefined : parsePlace(after)
  const found = [...table.rows]
    .sort(byKey)
    .flatMap(([key, rows]) => rows.map((row, index) => ({ row, key, index })))
    .filter(({ row, key, index }) => isAfter({ key, index }, start) && isWanted(row, query))
    .sort(byDistance(query))
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const more = found.length > limit && query.nearest === undefined
  const next = more && last !== undefined ? formatPlace(last) : undefined
  return { standing: table.standing, rows: page.map(({ row }) => row), next }
}

export const pastPage = (
  table: Table | undefined,
  { version, lastKeyAt }: Projection,
  { position, site, after, limit }: PastQuery,
): PastPage | undefined => {
  if (table === undefined || table.standing.version !== version) return undefined
  const upTo = lastKeyAt?.(position)
  const isOfSite = (key: string): boolean =>
    site === undefined || table.rows.get(key)?.some((row) => row['site'] === site) === true
  const found = [...table.states]
    .filter(([key]) => key > after && (upTo === undefined || key <= upTo) && isOfSite(key))
    .sort(byKey)
  const keys = found.slice(0, limit).map(([key, state]) => pastOf(table, position, key, state))
  const next = found.length > limit ? keys.at(-1)?.key : undefined
  return { standing: table.standing, keys, next }
}

const pastOf = (
  { rows, snapshots }: Table,
  position: number,
  key: string,
  trail: StoredState,
): Past => {
  if (lastTouch(trail) <= position) return { key, tag: 'Settled', rows: rows.get(key) ?? [] }
  const taken = snapshots.get(key) ?? []
  const before = taken.findLast((one) => one.position <= position)
  const after = taken.find((one) => one.position > position)
  const folding = foldingAt(position, before, after ?? trail)
  return folding === undefined ? { key, tag: 'Unknown' } : { key, tag: 'Foldable', ...folding }
}

const isAfter = (place: Place, start: Place | undefined): boolean =>
  start === undefined ||
  place.key > start.key ||
  (place.key === start.key && place.index > start.index)

const isWanted = (row: Row, { where = {}, between, nearest }: RowsQuery): boolean =>
  Object.entries(where).every(([column, value]) => row[column] === value) &&
  (between === undefined || isBetween(row[between.column] ?? null, between.from, between.to)) &&
  (nearest === undefined || isNear(row, nearest))

const isBetween = (cell: Cell, from: string | number, to: string | number): boolean =>
  (typeof cell === 'string' || typeof cell === 'number') && cell >= from && cell <= to

/** Sorting keeps the order of keys among equals. */
const byDistance =
  ({ nearest }: RowsQuery) =>
  (a: { readonly row: Row }, b: { readonly row: Row }): number =>
    nearest === undefined ? 0 : distance(a.row, nearest) - distance(b.row, nearest)

/** In milliseconds; of a cell that is no time as far as can be. */
const distance = (row: Row, { timeIn, to }: Nearest): number => {
  const cell = row[timeIn]
  return typeof cell === 'string' ? Math.abs(Date.parse(cell) - to) : Number.MAX_VALUE
}

const isNear = (row: Row, nearest: Nearest): boolean =>
  row[nearest.textIn] === nearest.text && distance(row, nearest) <= nearest.withinMs
