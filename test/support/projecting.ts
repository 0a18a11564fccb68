/** Projections run over a history in memory or in a given store. */
import { memoryBodyStore } from '../../src/adapters/memory/bodies.ts'
import { memoryProjectionStore } from '../../src/adapters/memory/projection-store.ts'
import { canonicalJson, type Json } from '../../src/kernel/canonical-json.ts'
import type { Recorded } from '../../src/ledger/entry.ts'
import { READER_VERSIONS } from '../../src/readers/index.ts'
import type { Reader } from '../../src/readers/reader.ts'
import { type AsOf, type AsOfPorts, rowsAsOf } from '../../src/shell/projecting/as-of.ts'
import type { ProjectionStore, StoredState } from '../../projections/port.ts'
import type { Projection, Reading, Row } from '../../projections/projection.ts'
import type { Past } from '../../projections/snapshot.ts'
import { right } from './either.ts'
import type { History } from './history.ts'
import { recordedLedger } from './recorded-ledger.ts'

export const READERS: readonly Reader[] = READER_VERSIONS

export const memoryStore = (): ProjectionStore =>
  memoryProjectionStore(() => '2026-11-30T00:00:00.000Z')

export const portsOf = (
  history: Pick<History, 'recorded' | 'bodies'>,
  store: ProjectionStore = memoryStore(),
  upTo?: () => number,
): AsOfPorts => ({
  ledger: recordedLedger(history.recorded, upTo),
  bodies: memoryBodyStore((size) => Buffer.alloc(size), history.bodies),
  store,
  readers: READERS,
})

/** All states with their trails and all rows of the live table: two builds are equal if these are. */
export const contentsOf = async (store: ProjectionStore, projection: Projection) => {
  const live = right(await store.live(projection)())
  if (live === undefined) return { states: [], rows: [] }
  const states: (StoredState & { readonly key: string })[] = []
  for (let after = ''; ;) {
    const page = right(await store.readStates(live, { after, limit: 100 })())
    states.push(...page)
    const last = page.at(-1)
    if (last === undefined) break
    after = last.key
  }
  return { states, rows: await allRows(store, projection) }
}

const allRows = async (store: ProjectionStore, projection: Projection): Promise<string[]> => {
  const rows: Row[] = []
  for (let after: string | undefined; ;) {
    const place: { after?: string } = after === undefined ? {} : { after }
    const page = right(await store.readRows(projection, { limit: 100, ...place })())
    rows.push(...page.rows)
    if (page.next === undefined) return rows.map((row) => canonicalJson(row))
    after = page.next
  }
}

/** The fold alone, without runner or store: the state of one key after these events. */
export const foldAll = (
  projection: Projection,
  key: string,
  recorded: readonly Recorded[],
  readingOf: (event: Recorded) => Json | undefined = () => undefined,
): Json =>
  recorded
    .filter((event) => projection.keysOf(event).includes(key))
    .reduce<Json>((state, event) => {
      const json = readingOf(event)
      const reading: Reading | undefined =
        json === undefined ? undefined : { reader: 'test@1', reading: json }
      return projection.fold(state, { recorded: event, reading })
    }, projection.initial(key))

/** All rows of an earlier moment, as text. */
export const rowsThen = async (
  ports: AsOfPorts,
  projection: Projection,
  asOf: AsOf,
): Promise<readonly string[]> => {
  const rows: string[] = []
  for await (const page of rowsAsOf(ports, projection, asOf))
    rows.push(...page.map((row) => canonicalJson(row)))
  return rows
}

/** What the live table knows of its keys as of a position: snapshots, bit for bit, where rows have changed since. */
export const pastOf = async (
  store: ProjectionStore,
  projection: Projection,
  position: number,
): Promise<readonly Past[]> => {
  const keys: Past[] = []
  for (let after = ''; ;) {
    const page = right(await store.readPast(projection, { position, after, limit: 100 })())
    keys.push(...(page?.keys ?? []))
    if (page?.next === undefined) return keys
    after = page.next
  }
}
