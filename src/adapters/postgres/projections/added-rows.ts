/** Rows of projections that add them: each goes behind those that its key has. */
import type { ClientBase } from 'pg'
import type { Written } from '../../../../projections/port.ts'
import { INDEX_COLUMN, KEY_COLUMN } from './tables.ts'

export type Added = Pick<Written, 'key' | 'isNew' | 'rows'>

/** Where the rows of each key go on; of one that has none, at 0. */
export type Behind = ReadonlyMap<string, number>

/**
 * Asked before the lock is held: had somebody added rows since, the table would not stand there any more.
 * Key by key along the index, or each commit would look at all rows that its keys ever got.
 */
export const rowsBehind = async (
  client: Pick<ClientBase, 'query'>,
  table: string,
  added: readonly Added[],
): Promise<Behind> => {
  const keys = added.filter(({ isNew, rows }) => !isNew && rows.length > 0).map(({ key }) => key)
  if (keys.length === 0) return new Map()
  const { rows } = await client.query<{ readonly key: string; readonly next: number }>(
    `select k.key, last.${INDEX_COLUMN} + 1 as next
     from unnest($1::text[]) as k (key) cross join lateral (
       select ${INDEX_COLUMN} from ${table} where ${KEY_COLUMN} = k.key
       order by ${INDEX_COLUMN} desc limit 1
     ) last`,
    [keys],
  )
  return new Map(rows.map(({ key, next }) => [key, next]))
}
