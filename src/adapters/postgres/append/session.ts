/** The connection over which one appender writes, and how to tell that a lost one is over. */
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import type { Database } from '../database.ts'

export type Session = {
  readonly client: Client
  /**
   * Held by the session as an advisory lock. The server lets go of it when the session has ended
   * and can commit nothing more, whatever became of the connection.
   */
  readonly key: number
  /** Whether the connection is known to be gone. */
  readonly isLost: () => boolean
  /** Waits for the answer to a statement; a server that gives none in time is taken for lost. */
  readonly inTime: <A>(statement: Promise<A>) => Promise<A>
}

/** Any fixed number: the first half of the keys, apart from other uses of advisory locks. */
const KEYS = 1_818_846_823
const KEY_MAX = 2 ** 31 - 1
/** What waits longer for the ledger's lock is refused by the server: nothing was written. */
const LOCK_PATIENCE = '30s'
const POLL_MS = 20

const hold = async (client: Client, key: number): Promise<boolean> => {
  const { rows } = await client.query<{ readonly held: boolean }>(
    'select pg_try_advisory_lock($1, $2) as held',
    [KEYS, key],
  )
  return rows[0]?.held === true
}

/** `answerMs`: how long an answer may take. */
export const openSession = async (database: Database, answerMs: number): Promise<Session> => {
  const client = await database.connect('crawl_ledger_writer', {
    plan_cache_mode: 'force_generic_plan',
    lock_timeout: LOCK_PATIENCE,
  })
  const inTime = watched(client, answerMs)
  let lost = false
  for (const sign of ['error', 'end']) client.once(sign, () => (lost = true))
  for (;;) {
    const key = randomInt(KEY_MAX)
    if (await hold(client, key)) return { client, key, isLost: () => lost, inTime }
  }
}

const WATCH_MS = 1_000

/** One timer a session looks after all of its statements: one for each would cost every append. */
const watched = (client: Client, answerMs: number): Session['inTime'] => {
  let since: number | undefined
  const timer = setInterval(() => {
    if (since !== undefined && performance.now() - since > answerMs) cut(client)
  }, WATCH_MS)
  timer.unref()
  client.once('end', () => clearInterval(timer))
  return async (statement) => {
    since = performance.now()
    try {
      return await statement
    } finally {
      since = undefined
    }
  }
}

/** With a statement under way node-pg cuts the connection instead of saying goodbye. */
export const cut = (client: Client): void => {
  client.end().catch(() => undefined)
}

/** Ends the session that holds a key. Only the user who logged in may, not the role it works as. */
const END = `
  select pg_terminate_backend(pid) from pg_locks
  where locktype = 'advisory' and granted
    and classid = $1::bigint::oid and objid = $2::bigint::oid and objsubid = 2
    and database = (select oid from pg_database where datname = current_database())`

/**
 * Ends the session that held `key`, which may not know that its connection is lost, and waits until
 * it has ended; false if it has not by `until`.
 */
export const ended = async (client: Client, key: number, until: number): Promise<boolean> => {
  await client.query('set role none')
  await client.query(END, [KEYS, key])
  await client.query('set role crawl_ledger_writer')
  while (!(await hold(client, key))) {
    if (performance.now() > until) return false
    await sleep(POLL_MS)
  }
  await client.query('select pg_advisory_unlock($1, $2)', [KEYS, key])
  return true
}

/**
 * Whether the session still answers. If it does after a failed statement, the server is ready for
 * the next one, so it has rolled the failed one back.
 */
export const answers = (client: Client): Promise<boolean> =>
  client.query('select').then(
    () => true,
    () => false,
  )
