import type { ProjectionStore } from '../../projections/port.ts'
import { E, type TaskEither } from '../../src/kernel/fp.ts'
import type { Unavailable } from '../../src/ledger/port.ts'

/** A store whose process ends as it writes for the `turn`th time, right before or right after. */
export const dyingStore = (store: ProjectionStore, turn: number, isDone = false) => {
  let writes = 0
  const dead: Unavailable = { tag: 'Unavailable', because: 'the process died' }
  const dying =
    <L, A>(write: TaskEither<L, A>): TaskEither<L | Unavailable, A> =>
    async () => {
      writes += 1
      if (writes > turn) return E.left(dead)
      if (writes < turn) return write()
      if (isDone) await write()
      return E.left(dead)
    }
  return {
    ...store,
    commit: (...args) => dying(store.commit(...args)),
    startShadow: (...args) => dying(store.startShadow(...args)),
    resumeShadow: (...args) => dying(store.resumeShadow(...args)),
    partShadow: (...args) => dying(store.partShadow(...args)),
    joinShadow: (...args) => dying(store.joinShadow(...args)),
    dropShadow: (...args) => dying(store.dropShadow(...args)),
    swap: (...args) => dying(store.swap(...args)),
    saveReadings: (...args) => dying(store.saveReadings(...args)),
  } satisfies ProjectionStore
}
