import type { ClientBase, Pool } from 'pg'
import { E, type Either } from '../../../kernel/fp.ts'

/** A `Left` rolls back, as an error does. */
export const inTransaction = async <L, A>(
  pool: Pool,
  task: (client: ClientBase) => Promise<Either<L, A>>,
  begin = 'begin',
): Promise<Either<L, A>> => {
  const client = await pool.connect()
  let settled = false
  try {
    await client.query(begin)
    const answer = await task(client)
    await client.query(E.isRight(answer) ? 'commit' : 'rollback')
    settled = true
    return answer
  } finally {
    // A connection in the middle of something is closed, which rolls back, and not used again.
    client.release(!settled)
  }
}
