/** Readings of erased bodies: out of the tables, and out of the files under them. */
import type { Pool } from 'pg'
import type { Scrubbed } from '../../../../projections/port.ts'
import type { Database } from '../database.ts'

export const forgetReadings = async (pool: Pool, concluded: readonly number[]): Promise<void> => {
  // In one statement: of two who forget captures with one text, the later one must not leave it.
  await pool.query(
    `with gone as (delete from projection.reading where concluded = any($1) returning digest)
     delete from projection.reading_text t
     where digest in (select digest from gone)
       and not exists (
         select from projection.reading r
         where r.digest = t.digest and not (r.concluded = any($1)))`,
    [concluded],
  )
}

/** PostgreSQL: insufficient_privilege. */
const NOT_ALLOWED = '42501'

/**
 * A deleted row stays in its page, a page in the write-ahead log, a short text among the statistics of
 * its column. So the tables are written anew, then the log goes on in a new segment, and a checkpoint
 * removes the files of dropped tables and the segments before it.
 */
export const scrub = async (
  database: Pick<Database, 'projector' | 'connectAsUser'>,
): Promise<Scrubbed> => {
  const { projector } = database
  await projector.query('vacuum (full, analyze) projection.reading')
  await projector.query('vacuum (full, analyze) projection.reading_text')
  const client = await database.connectAsUser()
  try {
    await client.query('vacuum (full) pg_catalog.pg_statistic')
    await client.query('select pg_switch_wal()')
    await client.query('checkpoint')
    return { log: 'rewritten' }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === NOT_ALLOWED)
      return { log: 'kept' }
    throw error
  } finally {
    await client.end()
  }
}
