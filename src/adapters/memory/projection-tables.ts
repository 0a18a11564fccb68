/** Live tables and shadows in memory: who may change them, and how one becomes the other. */
import type {
  Build,
  Overtaken,
  ProjectionStore,
  Shadow,
  Standing,
  Written,
} from '../../../projections/port.ts'
import type { Projection } from '../../../projections/projection.ts'
import { assert } from '../../kernel/assert.ts'
import { E, type Either } from '../../kernel/fp.ts'
import type { Table } from './projection-pages.ts'

type Places = { readonly live?: Table; readonly shadow?: Table }

export type Tables = {
  readonly now: () => string
  readonly tables: Map<string, Places>
  generations: number
}

/** Everything that changes a table. */
type Changes = Pick<
  ProjectionStore,
  'commit' | 'startShadow' | 'resumeShadow' | 'partShadow' | 'joinShadow' | 'swap' | 'dropShadow'
>

export const changesOf = (memory: Tables): Changes => ({
  commit: (projection, standing, batch) => async () => commit(memory, projection, standing, batch),
  startShadow:
    ({ name }, build) =>
    async () =>
      E.right(startShadow(memory, name, build)),
  resumeShadow:
    ({ name }, build) =>
    async () =>
      E.right(resumeShadow(memory, name, build)),
  partShadow: (shadow, of) => async () => partShadow(memory, shadow, of),
  joinShadow: (shadow, checkpoint) => async () => joinShadow(memory, shadow, checkpoint),
  swap: (_, shadow) => async () => swap(memory, shadow),
  dropShadow: (shadow) => async () => E.right(dropShadow(memory, shadow)),
})

export const placeAt = ({ tables }: Tables, { projection, place }: Standing): Table | undefined =>
  tables.get(projection)?.[place]

/** The table, if it, or the part of it, still stands there. */
export const tableAt = (memory: Tables, standing: Standing): Table | undefined => {
  const table = placeAt(memory, standing)
  const { part } = standing
  const found = part === undefined ? table?.standing : table?.parts[part.index]
  const stands =
    found?.generation === standing.generation &&
    found.checkpoint === standing.checkpoint &&
    found.part?.of === part?.of
  return stands ? table : undefined
}

/** The same, if whoever holds all of it may change it. */
const wholeAt = (memory: Tables, standing: Standing): Table | undefined => {
  const table = tableAt(memory, standing)
  return standing.part === undefined && table?.parts.length !== 0 ? undefined : table
}

export const overtaken = ({ projection }: Standing): Either<Overtaken, never> =>
  E.left({ tag: 'Overtaken', projection })

const commit = (
  memory: Tables,
  { adds }: Pick<Projection, 'adds'>,
  standing: Standing,
  { checkpoint, written }: { readonly checkpoint: number; readonly written: Iterable<Written> },
): Either<Overtaken, Standing> => {
  const table = wholeAt(memory, standing)
  if (table === undefined) return overtaken(standing)
  for (const { key, isNew, state, since, touched, rows, snapshots } of written) {
    assert(!isNew || !table.states.has(key), `${key} is not new`)
    table.states.set(key, { state, since, touched })
    table.snapshots.set(key, [...(table.snapshots.get(key) ?? []), ...snapshots])
    table.rows.set(key, adds === undefined ? rows : [...(table.rows.get(key) ?? []), ...rows])
  }
  const moved = { ...standing, checkpoint }
  if (standing.part === undefined) table.standing = moved
  else table.parts = table.parts.with(standing.part.index, moved)
  return E.right(moved)
}

const startShadow = (memory: Tables, projection: string, build: Build): Standing => {
  const generation = (memory.generations += 1)
  const standing = { ...build, projection, place: 'shadow', generation, checkpoint: 0 } as const
  const shadow = {
    standing,
    parts: [],
    states: new Map(),
    snapshots: new Map(),
    rows: new Map(),
    builtAt: null,
  }
  memory.tables.set(projection, { ...memory.tables.get(projection), shadow })
  return standing
}

/** A new holder: whoever held it before is overtaken. */
const hold = (memory: Tables, table: Table): Table => {
  const generation = (memory.generations += 1)
  table.standing = { ...table.standing, generation }
  table.parts = table.parts.map((part) => ({ ...part, generation }))
  return table
}

const resumeShadow = (
  memory: Tables,
  projection: string,
  { version, reader }: Build,
): Shadow | undefined => {
  const left = memory.tables.get(projection)?.shadow
  if (left?.standing.version !== version || left.standing.reader !== reader) return undefined
  const { standing, parts } = hold(memory, left)
  return { standing, parts }
}

const partShadow = (memory: Tables, shadow: Standing, of: number): Either<Overtaken, Shadow> => {
  const found = wholeAt(memory, shadow)
  if (found === undefined) return overtaken(shadow)
  const table = hold(memory, found)
  const { standing } = table
  table.parts = Array.from({ length: of }, (_, index) => ({ ...standing, part: { index, of } }))
  return E.right({ standing, parts: table.parts })
}

const joinShadow = (
  memory: Tables,
  shadow: Standing,
  checkpoint: number,
): Either<Overtaken, Standing> => {
  const table = tableAt(memory, shadow)
  const parts = table?.parts ?? []
  if (table === undefined || parts.length === 0) return overtaken(shadow)
  if (parts.some((part) => part.checkpoint !== checkpoint)) return overtaken(shadow)
  table.parts = []
  table.standing = { ...table.standing, checkpoint }
  return E.right(table.standing)
}

const dropShadow = ({ tables }: Tables, { projection, generation }: Standing): void => {
  const { live, shadow } = tables.get(projection) ?? {}
  if (shadow?.standing.generation !== generation) return
  tables.set(projection, live === undefined ? {} : { live })
}

const swap = (memory: Tables, shadow: Standing): Either<Overtaken, Standing> => {
  const table = wholeAt(memory, shadow)
  const reached = memory.tables.get(shadow.projection)?.live?.standing.checkpoint ?? 0
  if (table === undefined || reached > shadow.checkpoint) return overtaken(shadow)
  table.standing = { ...table.standing, place: 'live' }
  table.builtAt = memory.now()
  memory.tables.set(shadow.projection, { live: table })
  return E.right(table.standing)
}
