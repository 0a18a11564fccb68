/** The states of a table that are in memory, where they are folded until they are committed. */
import type {
  Overtaken,
  ProjectionStore,
  Standing,
  StoredState,
} from '../../../projections/port.ts'
import type { Folded, Projection, Row } from '../../../projections/projection.ts'
import { type Snapshot, SNAPSHOT_BYTES, SNAPSHOT_EVERY } from '../../../projections/snapshot.ts'
import { assert, present } from '../../kernel/assert.ts'
import { canonicalJson, type Json } from '../../kernel/canonical-json.ts'
import { E, type Either } from '../../kernel/fp.ts'
import type { Unavailable } from '../../ledger/port.ts'
import { FINAL, rowsOfState, storableText } from './storable.ts'

/** `final`: takes no more events; `bytes`: about what it takes in memory. Loaded again, a final state is its key and nothing else. */
type Held = {
  state: Json
  isNew: boolean
  changed: boolean
  final: boolean
  bytes: number
  /** As `Trail` has them. */
  since: number
  touched: number[]
  /** Not committed yet. */
  snapshots: Snapshot[]
  /** Rows to add that are not committed yet. */
  told: Told | undefined
}

type Told = { readonly rows: Row[]; bytes: number }

export type Committed = Either<Unavailable | Overtaken, Standing>

export type HeldStates = {
  readonly store: Pick<ProjectionStore, 'loadStates' | 'commit'>
  readonly projection: Projection
  standing: Standing
  readonly held: Map<string, Held>
  /** About what `held` and `elsewhere` take in memory. */
  bytes: number
  /** Keys of `held` that the table has not got yet. */
  newKeys: number
  /** Keys of the table that are not held. undefined: not known, the table has to be asked. */
  elsewhere: Set<string> | undefined
  /** A commit under way. What it writes stays held until it is done. */
  writing: Promise<Committed>
}

export const heldStates = (
  store: HeldStates['store'],
  projection: Projection,
  standing: Standing,
): HeldStates => ({
  store,
  projection,
  standing,
  held: new Map(),
  bytes: 0,
  newKeys: 0,
  // A table, or a part of one, that has folded nothing holds nothing.
  elsewhere: standing.checkpoint === 0 ? new Set() : undefined,
  writing: Promise.resolve(E.right(standing)),
})

/** A step of a fold, and about how much larger it may make a state. */
export type Step = { readonly folded: Folded; readonly bytes: number }

/** Brings the batch's states into memory and folds it, in the order of the ledger. */
export const foldBatch = async (
  states: HeldStates,
  batch: readonly Step[],
): Promise<Either<Unavailable, void>> => {
  const { projection, held } = states
  const missing = new Set<string>()
  const keys = batch.map(({ folded }) => {
    const touched = keysOf(projection, folded)
    for (const key of touched) if (!held.has(key)) missing.add(key)
    return touched
  })
  const loaded = await hold(states, missing)
  if (E.isLeft(loaded)) return loaded
  for (const [i, { folded, bytes }] of batch.entries())
    for (const key of keys[i] ?? []) {
      const known = present(held.get(key), 'every key of the batch is held')
      if (known.final) continue
      const state = projection.fold(known.state, folded)
      known.bytes += bytes
      states.bytes += bytes
      known.final = projection.isFinal?.(state) === true
      if (state === known.state) continue
      known.state = state
      known.changed = true
      const { position } = folded.recorded
      const { adds } = projection
      const taken = adds ? addRows(states, known, position, adds) : touch(states, known, position)
      known.bytes += taken
      states.bytes += taken
    }
  return E.right(undefined)
}

/** Answers about how much was added. An earlier moment is had from the rows: the trail is the last event. */
const addRows = (
  { projection }: HeldStates,
  known: Held,
  position: number,
  { keeps }: NonNullable<Projection['adds']>,
): number => {
  known.since = position
  const rows = rowsOfState(projection, known.state)
  known.state = keeps(known.state)
  if (rows.length === 0) return 0
  const isTold = rows.every((row) => row.position === position)
  assert(isTold, `${projection.name} tells rows of another event than the one at ${position}`)
  const told = (known.told ??= { rows: [], bytes: 0 })
  const bytes = rows.reduce((sum, row) => sum + bytesOf(row), 0)
  told.rows.push(...rows)
  told.bytes += bytes
  return bytes
}

/** About what a row takes in memory beside its texts. */
const ROW_BYTES = 400

const bytesOf = (row: Row): number => {
  let bytes = ROW_BYTES
  for (const cell of Object.values(row)) if (typeof cell === 'string') bytes += cell.length
  return bytes
}

const touch = (states: HeldStates, known: Held, position: number): number => {
  known.touched.push(position)
  return takeSnapshotWhenDue(states, known)
}

/** Decided by the events of the key alone, so that any way of folding takes the same ones. */
const takeSnapshotWhenDue = ({ projection }: HeldStates, known: Held): number => {
  const { since, touched, final } = known
  const every = projection.snapshotEvery ?? SNAPSHOT_EVERY
  // Nobody asks for a final state: its rows stand as they are.
  if (final || touched.length % every !== 0) return 0
  const state = canonicalJson(known.state)
  if (state.length > touched.length * SNAPSHOT_BYTES) return 0
  const position = touched.at(-1) ?? since
  known.snapshots.push({ position, since, touched, state })
  known.since = position
  known.touched = []
  return state.length
}

/** Each key once: a state takes an event once. */
const keysOf = (projection: Projection, { recorded }: Folded): readonly string[] => {
  const keys = projection.keysOf(recorded)
  return keys.length < 2 ? keys.map(storableText) : [...new Set(keys.map(storableText))]
}

const hold = async (
  states: HeldStates,
  missing: ReadonlySet<string>,
): Promise<Either<Unavailable, void>> => {
  if (missing.size === 0) return E.right(undefined)
  const { store, projection, held, standing, elsewhere } = states
  const stored = [...missing].filter((key) => elsewhere?.has(key) ?? true)
  const loaded = stored.length === 0 ? NOTHING : await store.loadStates(standing, stored)()
  if (E.isLeft(loaded)) return loaded
  for (const key of missing) {
    const stored = loaded.right.get(key)
    const fresh = heldFrom(projection, key, stored)
    held.set(key, fresh)
    states.bytes += fresh.bytes
    if (elsewhere?.delete(key) === true) states.bytes -= KEY_BYTES
    if (stored === undefined) states.newKeys += 1
  }
  return E.right(undefined)
}

/** Rough share of a key that is known and not held. */
export const KEY_BYTES = 80

const heldFrom = (projection: Projection, key: string, stored: StoredState | undefined): Held => {
  const fresh = { changed: false, snapshots: [], told: undefined }
  if (stored === undefined) {
    const state = projection.initial(key)
    return { ...fresh, state, isNew: true, final: false, bytes: 0, since: 0, touched: [] }
  }
  // A table's states were written by the same fold, under this name and version.
  const state = JSON.parse(stored.state) as Json
  const final = stored.state === FINAL && projection.isFinal !== undefined
  const { since, touched } = stored
  const bytes = stored.state.length
  return { ...fresh, state, isNew: false, final, bytes, since, touched: [...touched] }
}

const NOTHING: Either<never, ReadonlyMap<string, StoredState>> = E.right(new Map())
