/** The states of a table that are in memory: folded there, and committed together. */
import type { Overtaken, ProjectionStore, Standing, Written } from '../../../projections/port.ts'
import type { Folded, Projection, Row } from '../../../projections/projection.ts'
import { present } from '../../kernel/assert.ts'
import { canonicalJson, type Json } from '../../kernel/canonical-json.ts'
import { E, type Either } from '../../kernel/fp.ts'
import type { Unavailable } from '../../ledger/port.ts'

/** `final`: takes no more events; `bytes`: about what it takes in memory. Loaded again, a final state is its key and nothing else. */
type Held = { state: Json; isNew: boolean; changed: boolean; final: boolean; bytes: number }

type Committed = Either<Unavailable | Overtaken, Standing>

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
  // A table that has folded nothing holds nothing.
  elsewhere: standing.checkpoint === 0 ? new Set() : undefined,
  writing: Promise.resolve(E.right(standing)),
})

/** PostgreSQL's text and jsonb cannot hold U+0000; a host can send it inside a JSON string. */
const NUL = '\u0000'
const storableText = (text: string): string =>
  text.includes(NUL) ? text.replaceAll(NUL, '\uFFFD') : text

const storable = (cell: Json): Json => {
  if (typeof cell === 'string') return storableText(cell)
  if (typeof cell !== 'object' || cell === null) return cell
  if (Array.isArray(cell)) return cell.map(storable)
  return Object.fromEntries(
    Object.entries(cell).map(([key, value]) => [storableText(key), storable(value)]),
  )
}

/** How a state that takes no more events stands in the table: nobody will ask for it. */
const FINAL = 'null'

/** A state as text, and its rows as every store can hold them. */
export const stateAndRows = (
  { rowsOf, isFinal, table }: Projection,
  state: Json,
): { readonly state: string; readonly rows: readonly Row[] } => {
  const rows = rowsOf(state)
  const isLast = isFinal?.(state) === true
  const text = isLast ? FINAL : canonicalJson(state)
  // Rows say nothing that their state does not; a row's columns are its own keys, and stay.
  const clean = isLast ? !rows.some((row) => hasNul(row, table.columns)) : !text.includes('\\u0000')
  return { state: text, rows: clean ? rows : rows.map((row) => storable(row) as Row) }
}

const hasNul = (row: Row, columns: readonly string[]): boolean => {
  for (const column of columns) {
    const cell = row[column]
    if (typeof cell === 'string' && cell.includes(NUL)) return true
    if (typeof cell === 'object' && cell !== null && canonicalJson(cell).includes('\\u0000'))
      return true
  }
  return false
}

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
      known.changed ||= state !== known.state
      known.final = projection.isFinal?.(state) === true
      known.state = state
    }
  return E.right(undefined)
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
    const text = loaded.right.get(key)
    // A table's states were written by the same fold, under this name and version.
    const state = text === undefined ? projection.initial(key) : (JSON.parse(text) as Json)
    const final = text === FINAL && projection.isFinal !== undefined
    const bytes = text?.length ?? 0
    held.set(key, { state, isNew: text === undefined, changed: false, final, bytes })
    states.bytes += bytes
    if (elsewhere?.delete(key) === true) states.bytes -= KEY_BYTES
    if (text === undefined) states.newKeys += 1
  }
  return E.right(undefined)
}

/** Rough share of a key that is known and not held. */
const KEY_BYTES = 80

const NOTHING: Either<never, ReadonlyMap<string, string>> = E.right(new Map())

/**
 * Begins to commit what has changed up to `checkpoint`, and answers when the commit before it is
 * done: at most one is under way while folding goes on.
 */
export const beginCommit = async (states: HeldStates, checkpoint: number): Promise<Committed> => {
  const before = await states.writing
  if (E.isLeft(before)) return before
  const standing = before.right
  states.standing = standing
  letGoOfUnchanged(states)
  const changed = takeChanged(states)
  if (changed.length > 0 || checkpoint !== standing.checkpoint) {
    const { store, projection } = states
    const written = writtenOf(projection, changed)
    states.writing = store.commit(projection, standing, { checkpoint, written })()
    // A defect is met by whoever waits for this, and not before: nobody may be waiting yet.
    states.writing.catch(() => undefined)
  }
  return before
}

/** Commits everything up to `checkpoint`, waits for it, and lets the states go. */
export const commitAll = async (states: HeldStates, checkpoint: number): Promise<Committed> => {
  const begun = await beginCommit(states, checkpoint)
  const done = E.isLeft(begun) ? begun : await states.writing
  if (E.isLeft(done)) return done
  states.standing = done.right
  states.held.clear()
  states.bytes = 0
  states.elsewhere = undefined
  return done
}

/** What the commit before has written and nothing has changed since is in the table. */
const letGoOfUnchanged = (states: HeldStates): void => {
  const { held, elsewhere } = states
  for (const [key, { changed, isNew, bytes }] of held) {
    if (changed || isNew) continue
    held.delete(key)
    states.bytes -= bytes
    if (elsewhere === undefined) continue
    elsewhere.add(key)
    states.bytes += KEY_BYTES
  }
}

type Changed = { readonly key: string; readonly isNew: boolean; readonly state: Json }

const takeChanged = (states: HeldStates): readonly Changed[] => {
  const changed: Changed[] = []
  for (const [key, known] of states.held) {
    if (!known.changed) continue
    changed.push({ key, isNew: known.isNew, state: known.state })
    known.changed = false
    known.isNew = false
  }
  states.newKeys = 0
  return changed
}

/** Texts and rows are made one by one as the store takes them. States are values: none changes. */
function* writtenOf(
  projection: Projection,
  changed: readonly Changed[],
): Generator<Written, void, undefined> {
  for (const { key, isNew, state } of changed)
    yield { key, isNew, ...stateAndRows(projection, state) }
}
