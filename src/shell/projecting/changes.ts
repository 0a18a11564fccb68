/**
 * What differs between two tables of one projection: both are read in the order of their places, page
 * by page, so that memory stays flat however long they are.
 */
import { BEFORE_ALL, comparePlaces, type Place } from '../../../projections/place.ts'
import type { Overtaken, ProjectionStore, Standing, TableRow } from '../../../projections/port.ts'
import type { Cell } from '../../../projections/projection.ts'
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

/** Tells every cell of `before` that is not so in `after`, and every one that is new there. */
export const compareTables = async (
  store: Store,
  before: Standing,
  after: Standing,
  tell: OnChange,
): Promise<Either<Failed, Compared>> => {
  const old = cursor(store, before)
  const made = cursor(store, after)
  let [facts, rows] = [0, 0]
  for (;;) {
    const a = await old.peek()
    if (E.isLeft(a)) return a
    const b = await made.peek()
    if (E.isLeft(b)) return b
    const next = nextPair(a.right, b.right)
    if (next === undefined) return E.right({ facts, rows })
    if (next.before !== null) old.take()
    if (next.after !== null) made.take()
    const changes = changesIn(after.projection, next)
    for (const change of changes) await tell(change)
    facts += changes.length
    if (changes.length > 0) rows += 1
  }
}

type Placed = { readonly place: Place; readonly row: TableRow }
type Pair = {
  readonly place: Place
  readonly before: TableRow | null
  readonly after: TableRow | null
}

/** The rows at the earlier place of the two; undefined at the end of both tables. */
const nextPair = (a: Placed | undefined, b: Placed | undefined): Pair | undefined => {
  if (a === undefined)
    return b === undefined ? undefined : { ...placeOf(b), before: null, after: b.row }
  if (b === undefined) return { ...placeOf(a), before: a.row, after: null }
  const order = comparePlaces(a.place, b.place)
  if (order === 0) return { ...placeOf(a), before: a.row, after: b.row }
  return order < 0
    ? { ...placeOf(a), before: a.row, after: null }
    : { ...placeOf(b), before: null, after: b.row }
}

const placeOf = ({ place }: Placed): Pick<Pair, 'place'> => ({ place })

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

const cursor = (store: Store, standing: Standing) => {
  let page: readonly Placed[] = []
  let next = 0
  let last = false
  let after: Place = BEFORE_ALL
  return {
    /** The row that comes next, undefined at the end. */
    peek: async (): Promise<Either<Failed, Placed | undefined>> => {
      if (next >= page.length && !last) {
        const read = await store.readTable(standing, { after, limit: PAGE_ROWS })()
        if (E.isLeft(read)) return read
        page = read.right.rows
        last = read.right.last
        next = 0
        after = page.at(-1)?.place ?? after
      }
      return E.right(page[next])
    },
    take: (): void => {
      next += 1
    },
  }
}
