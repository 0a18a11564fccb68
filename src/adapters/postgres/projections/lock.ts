import type { Client } from 'pg'
import { E, type TaskEither } from '../../../kernel/fp.ts'
import type { Unavailable } from '../../../ledger/port.ts'
import type { Database } from '../database.ts'
import { unavailableBecause } from '../failure.ts'

type LockDatabase = Pick<Database, 'place' | 'connect'>

/**
 * Holds an advisory lock on a connection of its own while `task` runs: a process that dies lets go
 * of it, and waiting for it takes no connection from the pool.
 */
export const exclusively =
  <L, A>(
    database: LockDatabase,
    name: string,
    task: TaskEither<L, A>,
  ): TaskEither<L | Unavailable, A> =>
  async () => {
    let client: Client | undefined
    try {
      client = await database.connect('crawl_ledger_projector')
      await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name])
    } catch (error) {
      await client?.end()
      return E.left(unavailableBecause(database.place, error))
    }
    try {
      return await task()
    } finally {
      await client.end()
    }
  }
