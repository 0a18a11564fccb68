/**
 * What differs between two tables of one projection: both are read in the order of their places, page
 * by page, so that memory stays flat however long they are.
 */
import { BEFORE_ALL, comparePlaces, type Place } from '../../../projections/place.ts'
import type {
  Overtaken,
  ProjectionStore,
  Standing,
  TablePage,
  TableRow,
} from '../../../projections/port.ts'
import type { Cell, Projection } from '../../../projections/projection.ts'
import { canonicalJson } from '../../kernel/canonical-json.ts'
import { E, type Either } from '../../kernel/fp.ts'
import type { Unavailable } from '../../ledger/port.ts'

/** One cell that another build has otherwise. `index` counts the rows of one key. */
export type Change = {
  readonly projection: string
  readonly key: string
  readonly index: number
  readonly row: 'changed' | 'appeared' | 'vanished'
  readonly column: string
  readonly before: Cell
  readonly after: Cell
  /** Positions and commitments in the row: the captures it rests on, before and after. */
  readonly rests: { readonly before: TableRow | null; readonly after: TableRow | null }
}

export type Compared = { readonly facts: number; readonly rows: number }

export type OnChange = (change: Change) => Promise<void> | void

type Store = Pick<ProjectionStore, 'readTable'>
type Failed = Unavailable | Overtaken

/** Two tables of one projection. */
export type Tables = {
  readonly projection: Projection
  readonly before: Standing
  readonly after: Standing
}

/** Tells every cell of `before` that is not so in `after`, and every one that is new there. */
export const compareTables = async (
  store: Store,
  { projection, before, after }: Tables,
  tell: OnChange,
): Promise<Either<Failed, Compared>> => {
  const old = groups(store, projection, before)
  const made = groups(store, projection, after)
  let [facts, rows] = [0, 0]
  for (;;) {
    const a = await old.peek()
    if (E.isLeft(a)) return a
    const b = await made.peek()
    if (E.isLeft(b)) return b
    if (a.right === undefined && b.right === undefined) return E.right({ facts, rows })
    const order = orderOf(a.right, b.right)
    const olds = order <= 0 ? old.take() : []
    const news = order >= 0 ? made.take() : []
    for (const pair of pairsOf(projection, olds, news)) {
      const changes = changesIn(projection.name, pair)
      for (const change of changes) await tell(change)
      facts += changes.length
      if (changes.length > 0) rows += 1
    }
  }
}

type Placed = TablePage['rows'][number]
/** Rows among which pairs are looked for, at least one, and where they stand. */
type Group = { readonly at: Place; readonly rows: readonly Placed[] }

/**
 * All rows of one key; where rows are added, those of one event. They stand in the order of the ledger, and
 * a key may have any number of them.
 */
const groupOf = ({ adds }: Projection, { place: { key }, row }: Placed): Place => {
  const { position } = row
  return { key, index: adds !== undefined && typeof position === 'number' ? position : 0 }
}

/** Negative: `a` comes first. The end of a table comes last. */
const orderOf = (a: Group | undefined, b: Group | undefined): number => {
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1
  return comparePlaces(a.at, b.at)
}

type Pair = {
  readonly place: Place
  readonly before: TableRow | null
  readonly after: TableRow | null
}

/** Rows that tell of the same thing, in the order of the new table; then those that are gone. */
const pairsOf = (
  { table }: Projection,
  olds: readonly Placed[],
  news: readonly Placed[],
): readonly Pair[] => {
  const known = new Map<string, Placed[]>()
  for (const one of olds) {
    const name = identityOf(table.identity, one)
    known.set(name, [...(known.get(name) ?? []), one])
  }
  const pairs = news.map((one): Pair => {
    const before = known.get(identityOf(table.identity, one))?.shift()
    return { place: one.place, before: before?.row ?? null, after: one.row }
  })
  const gone = [...known.values()].flat()
  return [...pairs, ...gone.map(({ place, row }) => ({ place, before: row, after: null }))]
}

/** Where nothing tells rows apart, a key has one. An older table may not have a column: null. */
const identityOf = (identity: readonly string[] = [], { row }: Placed): string =>
  canonicalJson(identity.map((column) => row[column] ?? null))

/** Who read it is no fact about what was read; the readers stand above the changes. */
const isFact = (column: string): boolean => column !== 'reader'

const changesIn = (projection: string, { place, before, after }: Pair): readonly Change[] => {
  const columns = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  const row = before === null ? 'appeared' : after === null ? 'vanished' : 'changed'
  const differing = [...columns].filter(
    (column) => isFact(column) && !isSame(before?.[column] ?? null, after?.[column] ?? null),
  )
  const rests = { before: restOf(before), after: restOf(after) }
  return differing.map((column) => ({
    projection,
    ...place,
    row,
    column,
    before: before?.[column] ?? null,
    after: after?.[column] ?? null,
    rests,
  }))
}

/** jsonb has no order of keys. */
const isSame = (a: Cell, b: Cell): boolean =>
  a === b ||
  (typeof a === 'object' && typeof b === 'object' && canonicalJson(a) === canonicalJson(b))

const EVIDENCE = /^(?:commit|(?:\w+_)?(?:position|request))$/

const restOf = (row: TableRow | null): TableRow | null =>
  row === null
    ? null
    : Object.fromEntries(
        Object.entries(row).filter(([column, cell]) => EVIDENCE.test(column) && cell !== null),
      )

/** Rows may be large, a data set each. */
const PAGE_ROWS = 200

/** The rows of a table, group by group. Those of one are in memory at once, as a state is when it is folded. */
const groups = (store: Store, projection: Projection, standing: Standing) => {
  let rows: readonly Placed[] = []
  let last = false
  let passed: Place = BEFORE_ALL
  let group: Group | undefined
  return {
    /** What comes next, undefined at the end. */
    peek: async (): Promise<Either<Failed, Group | undefined>> => {
      while (group === undefined) {
        const [first] = rows
        const at = first && groupOf(projection, first)
        const end = rows.findIndex((one) => at && comparePlaces(at, groupOf(projection, one)) !== 0)
        if (at !== undefined && (end > 0 || last)) {
          const cut = end < 0 ? rows.length : end
          group = { at, rows: rows.slice(0, cut) }
          rows = rows.slice(cut)
        } else if (last) return E.right(undefined)
        else {
          const read = await store.readTable(standing, { after: passed, limit: PAGE_ROWS })()
          if (E.isLeft(read)) return read
          rows = [...rows, ...read.right.rows]
          last = read.right.last
          passed = read.right.rows.at(-1)?.place ?? passed
        }
      }
      return E.right(group)
    },
    take: (): readonly Placed[] => {
      const taken = group?.rows ?? []
      group = undefined
      return taken
    },
  }
}
