import { comparePlaces, type Place } from '../../../projections/place.ts'
import type {
  KnownReadings,
  Overtaken,
  ProjectionStatus,
  ProjectionStore,
  Standing,
  StoredState,
  TablePage,
} from '../../../projections/port.ts'
import { E, type Either } from '../../kernel/fp.ts'
import { byKey, pageOf, pastPage } from './projection-pages.ts'
import { changesOf, overtaken, placeAt, tableAt, type Tables } from './projection-tables.ts'

type Memory = Tables & {
  readonly readings: Map<string, string>
  /** The last who waits for each lock. */
  readonly locks: Map<string, Promise<unknown>>
}

const emptyMemory = (): Omit<Memory, 'now'> => ({
  tables: new Map(),
  readings: new Map(),
  locks: new Map(),
  generations: 0,
})

/** Projections in memory, for as long as the store lives. `now` dates the builds. */
export const memoryProjectionStore = (now: () => string): ProjectionStore => {
  const memory: Memory = { ...emptyMemory(), now }
  return {
    ...changesOf(memory),
    exclusively: (names, task) => inTurn(memory, names.toSorted(), task),
    live:
      ({ name }) =>
      async () =>
        E.right(memory.tables.get(name)?.live?.standing),
    loadStates: (standing, keys) => async () => E.right(statesOf(memory, standing, keys)),
    loadReadings: (reader, concluded, bytesMax) => async () =>
      E.right(loadReadings(memory, (at) => `${reader} ${at}`, concluded, bytesMax)),
    saveReadings: (reader, made) => async () => {
      for (const [at, reading] of made) memory.readings.set(`${reader} ${at}`, reading)
      return E.right(undefined)
    },
    forgetReadings: (concluded) => async () => E.right(forget(memory, new Set(concluded))),
    scrub: () => async () => E.right({ log: 'rewritten' }),
    readPast: (projection, query) => async () =>
      E.right(pastPage(memory.tables.get(projection.name)?.live, projection, query)),
    readRows:
      ({ name }, query) =>
      async () =>
        E.right(pageOf(memory.tables.get(name)?.live, query)),
    readTable: (standing, page) => async () => tablePage(memory, standing, page),
    readStates: (standing, page) => async () => E.right(statesPage(memory, standing, page)),
    status: () => async () => E.right(statuses(memory)),
  }
}

const forget = ({ readings }: Memory, concluded: ReadonlySet<number>): void => {
  for (const key of readings.keys())
    if (concluded.has(Number(key.slice(key.lastIndexOf(' ') + 1)))) readings.delete(key)
}

const inTurn = <A>(
  memory: Memory,
  [name, ...rest]: readonly string[],
  task: () => Promise<A>,
): (() => Promise<A>) =>
  name === undefined ? task : () => exclusively(memory, name, inTurn(memory, rest, task))

/** One holder of a name at a time, in the order of asking. */
const exclusively = <A>({ locks }: Memory, name: string, task: () => Promise<A>): Promise<A> => {
  const turn = (locks.get(name) ?? Promise.resolve()).then(task)
  // A holder that throws must not keep the next one waiting for ever.
  const over = turn.catch(() => undefined)
  locks.set(name, over)
  return turn
}

const statesOf = (
  memory: Memory,
  standing: Standing,
  keys: readonly string[],
): ReadonlyMap<string, StoredState> => {
  const found = new Map<string, StoredState>()
  for (const key of keys) {
    const state = placeAt(memory, standing)?.states.get(key)
    if (state !== undefined) found.set(key, state)
  }
  return found
}

const statesPage = (
  memory: Memory,
  standing: Standing,
  { after, limit }: { readonly after: string; readonly limit: number },
) => {
  const states = [...(placeAt(memory, standing)?.states ?? [])]
  const later = states.filter(([key]) => key > after).sort(byKey)
  return later.slice(0, limit).map(([key, state]) => ({ key, ...state }))
}

const loadReadings = (
  { readings }: Memory,
  keyOf: (at: number) => string,
  concluded: readonly number[],
  bytesMax: number,
): KnownReadings => {
  const found = new Map<number, string>()
  let bytes = 0
  for (const at of concluded) {
    const reading = readings.get(keyOf(at))
    if (reading === undefined) continue
    if (bytes >= bytesMax) return { through: at - 1, readings: found }
    found.set(at, reading)
    bytes += reading.length
  }
  return { through: concluded.at(-1) ?? 0, readings: found }
}

const statuses = ({ tables }: Memory): readonly ProjectionStatus[] => {
  const all = [...tables.values()].flatMap(({ live, shadow }) => [live, shadow])
  return all
    .filter((table) => table !== undefined)
    .map(({ standing, rows, builtAt }) => {
      const count = [...rows.values()].reduce((sum, { length }) => sum + length, 0)
      return { ...standing, rows: count, builtAt }
    })
}

const tablePage = (
  memory: Memory,
  standing: Standing,
  { after, limit }: { readonly after: Place; readonly limit: number },
): Either<Overtaken, TablePage> => {
  const table = tableAt(memory, standing)
  if (table === undefined) return overtaken(standing)
  const found = [...table.rows]
    .flatMap(([key, rows]) => rows.map((row, index) => ({ row, place: { key, index } })))
    .filter(({ place }) => comparePlaces(place, after) > 0)
    .sort((a, b) => comparePlaces(a.place, b.place))
  return E.right({ rows: found.slice(0, limit), last: found.length <= limit })
}
