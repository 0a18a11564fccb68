/**
 * The database, opened: checked for what the ledger's promises need, brought up to the newest
 * schema, and from then on only used through the two roles of `schema/roles.sql`.
 */
import { Kysely, PostgresDialect } from 'kysely'
import { Client, Pool, type PoolClient } from 'pg'
import { assert } from '../../kernel/assert.ts'
import { E, type Either, type TaskEither } from '../../kernel/fp.ts'
import type { Unavailable } from '../../ledger/port.ts'
import { checkSettings, connectionOf, placeOf, type Role, type Settings } from './connection.ts'
import { unavailableBecause } from './failure.ts'
import { migrate } from './migrate.ts'

/** The tables as `schema/ledger` makes them. */
export type Tables = {
  readonly event: {
    readonly position: number
    readonly stream: string
    readonly version: number
    readonly type: string
    readonly ts: number
    readonly entry: Buffer
    readonly leaf: Buffer
  }
  readonly site_claim: {
    readonly site: string
    readonly fence: number
    readonly holder: string | null
    readonly lease_until: Date
  }
  readonly tree_hash: { readonly level: number; readonly index: number; readonly hash: Buffer }
  readonly head: { readonly size: number; readonly note: string }
  readonly cosignature: {
    readonly size: number
    readonly key: string
    readonly time: number
    readonly signature: Buffer
  }
}

export type Database = {
  /** Host and database, for messages. */
  readonly place: string
  /** As crawl_ledger_writer: reads the ledger, appends, claims. */
  readonly writer: Kysely<Tables>
  /** As crawl_ledger_projector: reads the ledger, owns the schema `projection`. */
  readonly projector: Pool
  /** A connection of its own, for who needs to know when exactly it is lost. */
  readonly connect: (role: Role, session?: Readonly<Record<string, string>>) => Promise<Client>
  /** As the user who logs in, for the upkeep that neither role may do. */
  readonly connectAsUser: () => Promise<Client>
  /** Ends every connection, also those made by `connect`. */
  readonly close: () => Promise<void>
}

const VERSION_MIN = 150_000
const POOL_MAX = 8
/** Longer than any statement of the writer takes; what hangs comes back as Unavailable. */
const STATEMENT_PATIENCE_MS = 60_000

/** Opens the database of `settings`, setting it up if it is new or behind. */
export const openDatabase =
  (settings: Settings): TaskEither<Unavailable, Database> =>
  async () => {
    const checked = checkSettings(settings)
    if (E.isLeft(checked)) return checked
    const place = placeOf(settings)
    try {
      const client = guarded(new Client(connectionOf(settings, undefined)))
      await client.connect()
      try {
        const ready = await prepare(client, place)
        return E.isLeft(ready) ? ready : E.right(databaseOf(settings, place))
      } finally {
        await client.end()
      }
    } catch (error) {
      return E.left(unavailableBecause(place, error))
    }
  }

/** Without a listener the loss of an idle connection would end the process. */
const guarded = <A extends Client | PoolClient>(client: A): A => {
  client.on('error', () => undefined)
  return client
}

const prepare = async (client: Client, place: string): Promise<Either<Unavailable, void>> => {
  const unfit = await unfitness(client)
  if (unfit !== undefined)
    return E.left({ tag: 'Unavailable', because: `the database ${place}: ${unfit}` })
  return migrate(client, place)
}

type Facts = {
  readonly version: number
  readonly name: string
  readonly fsync: string
  readonly synchronous: string
  readonly encoding: string
}

/** Why the ledger must not be kept there; undefined if it may. */
const unfitness = async (client: Client): Promise<string | undefined> => {
  const { rows } = await client.query<Facts>(`
    select current_setting('server_version_num')::int as version,
      current_setting('server_version') as name,
      current_setting('fsync') as fsync,
      current_setting('synchronous_commit') as synchronous,
      current_setting('server_encoding') as encoding`)
  const [facts] = rows
  if (facts === undefined) return 'it does not say which version it is'
  if (facts.version < VERSION_MIN)
    return `it is PostgreSQL ${facts.name}; the ledger needs 15 or newer`
  if (facts.fsync !== 'on')
    return 'fsync is off, so nothing in it is durable; set fsync = on in postgresql.conf'
  if (facts.synchronous === 'off')
    return 'synchronous_commit is off, so an append would not be durable; set it to on for this database and user'
  if (facts.encoding !== 'UTF8')
    return `its encoding is ${facts.encoding}; create the database with encoding UTF8`
  return undefined
}

const databaseOf = (settings: Settings, place: string): Database => {
  const writers = pool(settings, 'crawl_ledger_writer', {
    statement_timeout: `${STATEMENT_PATIENCE_MS}ms`,
  })
  const projector = pool(settings, 'crawl_ledger_projector', {
    search_path: 'projection, public',
    // Rows, states and checkpoint are lost together or not at all, and are folded again.
    synchronous_commit: 'off',
    // Along an index in its order, instead of gathering all that fits and sorting it: pages are in memory or on
    // a disk without arms, and there may be no statistics.
    random_page_cost: '1.1',
    enable_bitmapscan: 'off',
  })
  const dedicated = new Set<Client>()
  let ended: Promise<void> | undefined
  const connectWith = async (
    role: Role | undefined,
    session?: Readonly<Record<string, string>>,
  ): Promise<Client> => {
    assert(ended === undefined, 'the database was closed')
    const client = guarded(new Client(connectionOf(settings, role, session)))
    client.once('end', () => dedicated.delete(client))
    await client.connect()
    dedicated.add(client)
    return client
  }
  const end = async (): Promise<void> => {
    await Promise.all([...dedicated].map((client) => client.end()))
    await Promise.all([writers.end(), projector.end()])
  }
  const writer = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: writers }) })
  return {
    place,
    writer,
    projector,
    connect: connectWith,
    connectAsUser: () => connectWith(undefined),
    close: () => (ended ??= end()),
  }
}

const pool = (settings: Settings, role: Role, session: Readonly<Record<string, string>>): Pool => {
  const made = new Pool({ ...connectionOf(settings, role, session), max: POOL_MAX })
  made.on('connect', guarded)
  // A connection that is lost while idle is replaced at the next use.
  made.on('error', () => undefined)
  return made
}
