/**
 * A user of the shared server holds one connection with a shared advisory lock for as long as it
 * uses it. Whoever leaves tries the exclusive lock: getting it proves that nobody else is there and
 * keeps newcomers out while the server ends. The lock dies with its process, so a user that was
 * killed is never counted.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { E, type Either } from '../../../kernel/fp.ts'
import { CLUSTER_USER } from './settings.ts'
import type { Postmaster } from './postmaster.ts'

/** Locks are per database: in this one nobody else takes any. */
const MAINTENANCE_DATABASE = 'postgres'
const PRESENCE_KEY = 1

/** `passing`: starting, ending or gone at this moment; try again. */
export type NotEntered = { readonly passing: boolean; readonly because: string }

export type Presence = {
  /** Settles when the connection broke or was ended. */
  readonly lost: Promise<void>
  /** Whether nobody else is there; if so, nobody can enter until `end` or the server's end. */
  readonly isLast: () => Promise<boolean>
  readonly end: () => Promise<void>
}

export const enter = async (postmaster: Postmaster): Promise<Either<NotEntered, Presence>> => {
  const client = new Client({
    host: postmaster.socketDirectory,
    port: postmaster.port,
    user: CLUSTER_USER,
    database: MAINTENANCE_DATABASE,
    application_name: 'crawl-ledger presence',
    connectionTimeoutMillis: 10_000,
  })
  const presence = presenceOf(client)
  try {
    await client.connect()
    const { rows } = await client.query<{ entered: boolean }>(
      `SELECT pg_try_advisory_lock_shared(${PRESENCE_KEY}) AS entered`,
    )
    if (rows[0]?.entered === true) return E.right(presence)
    await presence.end()
    return E.left({ passing: true, because: 'it is being ended' })
  } catch (error) {
    await presence.end()
    return E.left(notEntered(error))
  }
}

const presenceOf = (client: Client): Presence => {
  const lost = new Promise<void>((resolve) => {
    client.once('end', resolve)
    // An error of an idle connection is the server's end.
    client.on('error', () => resolve())
  })
  return {
    lost,
    isLast: () => isLast(client),
    end: () => client.end().catch(() => undefined),
  }
}

/** Connections this command has just closed take a moment to vanish from the server's list. */
const LEAVING_MS = 1_000

const isLast = async (client: Client): Promise<boolean> => {
  await client.query(`SELECT pg_advisory_unlock_shared(${PRESENCE_KEY})`)
  const { rows } = await client.query<{ alone: boolean }>(
    `SELECT pg_try_advisory_lock(${PRESENCE_KEY}) AS alone`,
  )
  if (rows[0]?.alone !== true) return false
  const until = performance.now() + LEAVING_MS
  while (performance.now() < until) {
    if ((await otherClients(client)) === 0) return true
    await sleep(10)
  }
  return false
}

/** People with psql, or programs without presence: they keep the server as well. */
const otherClients = async (client: Client): Promise<number> => {
  const { rows } = await client.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_stat_activity
     WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  )
  return rows[0]?.n ?? 0
}

const PASSING = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
])

const notEntered = (error: unknown): NotEntered => {
  if (!(error instanceof Error)) throw error
  const code = 'code' in error ? String(error.code) : ''
  // node-pg gives no code to a connection that was cut or did not answer.
  return { passing: code === '' || PASSING.has(code), because: error.message }
}
