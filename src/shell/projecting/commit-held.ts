/** Held states that have changed go to their table, all together and with the checkpoint. */
import type { Written } from '../../../projections/port.ts'
import type { Projection, Row } from '../../../projections/projection.ts'
import { canonicalJson, type Json } from '../../kernel/canonical-json.ts'
import { E } from '../../kernel/fp.ts'
import { type Committed, type HeldStates, KEY_BYTES } from './held-states.ts'
import { stateAndRows } from './storable.ts'

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

type Changed = Omit<Written, 'state' | 'rows'> & {
  readonly state: Json
  readonly told: readonly Row[]
}

const takeChanged = (states: HeldStates): readonly Changed[] => {
  const changed: Changed[] = []
  for (const [key, known] of states.held) {
    if (!known.changed) continue
    const { isNew, state, since, touched, snapshots, told } = known
    // The next event of the key goes onto the end of this very list, while it is written.
    const rows = told?.rows ?? []
    changed.push({ key, isNew, state, since, touched: [...touched], snapshots, told: rows })
    const handedOver = snapshots.reduce((sum, one) => sum + one.state.length, told?.bytes ?? 0)
    known.snapshots = []
    known.told = undefined
    known.bytes -= handedOver
    states.bytes -= handedOver
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
  for (const { state, told, ...one } of changed) {
    const isAdded = projection.adds !== undefined
    const made = isAdded
      ? { state: canonicalJson(state), rows: told }
      : stateAndRows(projection, state)
    yield { ...one, ...made }
  }
}
