/** Projections in the schema `projection` of the ledger's database, which their role owns. */
import type { ClientBase, Pool } from 'pg'
import type {
  Overtaken,
  ProjectionStore,
  Standing,
  StoredState,
} from '../../../../projections/port.ts'
import type { Projection } from '../../../../projections/projection.ts'
import { E, type Either, type TaskEither } from '../../../kernel/fp.ts'
import type { Unavailable } from '../../../ledger/port.ts'
import type { Database } from '../database.ts'
import { unavailableBecause } from '../failure.ts'
import { type Batch, writeBatch } from './commit.ts'
import { forgetReadings, scrub } from './forget.ts'
import { exclusively } from './lock.ts'
import { joinShadow, partShadow, resumeShadow } from './parts.ts'
import { loadReadings, saveReadings } from './readings.ts'
import { readPast } from './past.ts'
import { readRows } from './rows.ts'
import { readTable } from './table-rows.ts'
import { dropShadow, liveStanding, overtaken, startShadow, statuses, swap } from './standing.ts'
import { FURNISHED, FURNITURE, FURNITURE_LOCK, tableNames } from './tables.ts'
import { inTransaction } from './transaction.ts'

export const postgresProjectionStore = (
  database: Pick<Database, 'place' | 'projector' | 'connect' | 'connectAsUser'>,
): ProjectionStore => {
  const { projector: pool } = database
  const { attempt, asking, changing } = askingOf(database)
  return {
    exclusively: (names, task) => exclusively(database, names, task),
    live: ({ name }) => asking(() => liveStanding(pool, name)),
    loadStates: (standing, keys) => asking(() => loadStates(pool, standing, keys)),
    commit: (projection, standing, batch) =>
      changing((client) => commit(client, projection, standing, batch)),
    startShadow: (projection, build) =>
      changing((client) => startShadow(client, projection, build)),
    resumeShadow: (projection, build) =>
      changing((client) => resumeShadow(client, projection, build)),
    partShadow: (shadow, of) => changing((client) => partShadow(client, shadow, of)),
    joinShadow: (shadow, checkpoint) =>
      changing((client) => joinShadow(client, shadow, checkpoint)),
    swap: (projection, shadow) => changing((client) => swap(client, projection, shadow)),
    dropShadow: (shadow) => changing((client) => dropShadow(client, shadow)),
    loadReadings: (reader, concluded, bytesMax) =>
      asking(() => loadReadings(pool, reader, concluded, bytesMax)),
    saveReadings: (reader, readings) => asking(() => saveReadings(pool, reader, readings)),
    forgetReadings: (concluded) => asking(() => forgetReadings(pool, concluded)),
    scrub: () => asking(() => scrub(database)),
    readPast: (projection, query) => asking(() => readPast(pool, projection, query)),
    readRows: (projection, query) => asking(() => readRows(pool, projection, query)),
    readTable: (standing, page) => attempt(() => readTable(pool, standing, page)),
    readStates: (standing, page) => asking(() => readStates(pool, standing, page)),
    status: () => asking(() => statuses(pool)),
  }
}

/** How the store talks to its database, which it furnishes first. */
const askingOf = ({ projector: pool, place }: Pick<Database, 'place' | 'projector'>) => {
  const furnished = once(() => furnish(pool))

  /** Runs `task`; an error that says the database is not to be had becomes an answer. */
  const attempt =
    <L, A>(task: () => Promise<Either<L, A>>): TaskEither<L | Unavailable, A> =>
    async () => {
      try {
        await furnished()
        return await task()
      } catch (error) {
        return E.left(unavailableBecause(place, error))
      }
    }
  const asking = <A>(task: () => Promise<A>): TaskEither<Unavailable, A> =>
    attempt<never, A>(async () => E.right(await task()))
  const changing = <L, A>(task: (client: ClientBase) => Promise<Either<L, A>>) =>
    attempt(() => inTransaction(pool, task))
  return { attempt, asking, changing }
}

/** `task` until it has succeeded once. */
const once = (task: () => Promise<void>): (() => Promise<void>) => {
  let done: Promise<void> | undefined
  return () =>
    (done ??= task().catch((error: unknown) => {
      done = undefined
      throw error
    }))
}

const furnish = async (pool: Pool): Promise<void> => {
  const { rows } = await pool.query<{ readonly here: boolean }>(FURNISHED)
  if (rows[0]?.here === true) return
  await inTransaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [FURNITURE_LOCK])
    await client.query(FURNITURE)
    return E.right(undefined)
  })
}

const commit = async (
  client: ClientBase,
  projection: Projection,
  standing: Standing,
  batch: Batch,
): Promise<Either<Overtaken, Standing>> =>
  (await writeBatch(client, projection, standing, batch))
    ? E.right({ ...standing, checkpoint: batch.checkpoint })
    : overtaken(projection.name)

type StateRow = StoredState & { readonly key: string }

// As JSON, because node-pg would make texts of bigints in an array.
const STATE = 'key, state, since, array_to_json(touched) as touched'

const loadStates = async (
  pool: Pool,
  { projection, place }: Standing,
  keys: readonly string[],
): Promise<ReadonlyMap<string, StoredState>> => {
  if (keys.length === 0) return new Map()
  const { rows } = await pool.query<StateRow>(
    `select ${STATE} from ${tableNames(projection, place).states} where key = any($1)`,
    [keys],
  )
  return new Map(rows.map(({ key, ...state }) => [key, state]))
}

const readStates = async (
  pool: Pool,
  { projection, place }: Standing,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly StateRow[]> => {
  const { rows } = await pool.query<StateRow>(
    `select ${STATE} from ${tableNames(projection, place).states}
     where key > $1 order by key limit $2`,
    [after, limit],
  )
  return rows
}
