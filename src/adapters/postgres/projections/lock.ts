import type { Client } from 'pg'
import { E, type TaskEither } from '../../../kernel/fp.ts'
import type { Unavailable } from '../../../ledger/port.ts'
import type { Database } from '../database.ts'
import { unavailableBecause } from '../failure.ts'

type LockDatabase = Pick<Database, 'place' | 'connect'>

/**
 * Holds advisory locks on a connection of its own while `task` runs: a process that dies lets go of
 * them, and waiting takes no connection from the pool. In one order: nobody waits for who waits for it.
 */
export const exclusively =
  <L, A>(
    database: LockDatabase,
    names: readonly string[],
    task: TaskEither<L, A>,
  ): TaskEither<L | Unavailable, A> =>
  async () => {
    let client: Client | undefined
    try {
      client = await database.connect('crawl_ledger_projector')
      for (const name of names.toSorted())
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
