/** What a live table knows of its keys as of an earlier position. */
import { type ClientBase, DatabaseError, type Pool } from 'pg'
import type { PastPage, PastQuery, Standing } from '../../../../projections/port.ts'
import type { Projection } from '../../../../projections/projection.ts'
import {
  foldingAt,
  lastTouch,
  type Past,
  type Snapshot,
  type SnapshotDigests,
  type Trail,
  trailDigest,
} from '../../../../projections/snapshot.ts'
import { assert } from '../../../kernel/assert.ts'
import { sha256Hex } from '../../../kernel/digest.ts'
import { E } from '../../../kernel/fp.ts'
import { keyedRows, ROWS_MAX } from './rows.ts'
import { liveStanding } from './standing.ts'
import { KEY_COLUMN, tableNames } from './tables.ts'
import { inTransaction } from './transaction.ts'

/**
 * At one checkpoint: the locks come first, so that no swap comes in between, and the snapshot of the
 * transaction is taken by the first question after them.
 */
export const readPast = async (
  pool: Pool,
  projection: Projection,
  query: PastQuery,
): Promise<PastPage | undefined> => {
  assert(query.limit >= 1 && query.limit <= ROWS_MAX, `1 to ${ROWS_MAX} keys, not ${query.limit}`)
  const { rows, states, snapshots } = tableNames(projection.name, 'live')
  const begin = `begin isolation level repeatable read read only;
    lock table ${rows}, ${states}, ${snapshots} in access share mode`
  try {
    const page = await inTransaction<never, PastPage | undefined>(
      pool,
      async (client) => {
        const standing = await liveStanding(client, projection.name)
        if (standing?.version !== projection.version) return E.right(undefined)
        return E.right(await pageOf(client, projection, standing, query))
      },
      begin,
    )
    return E.isRight(page) ? page.right : undefined
  } catch (error) {
    // undefined_table: nothing was built yet.
    if (error instanceof DatabaseError && error.code === '42P01') return undefined
    throw error
  }
}

type Key = Trail & { readonly key: string }

const pageOf = async (
  client: ClientBase,
  projection: Projection,
  standing: Standing,
  query: PastQuery,
): Promise<PastPage> => {
  const { position, limit } = query
  const found = await keysOf(client, projection, query)
  const keys = found.slice(0, limit)
  const isSettled = (one: Key): boolean => lastTouch(one) <= position
  const settled = keys.filter(isSettled).map(({ key }) => key)
  const rows = await keyedRows(client, projection, settled)
  const changed = keys.filter((one) => !isSettled(one)).map(({ key }) => key)
  const snapshots = await snapshotsAround(client, standing, changed, position)
  const past = keys.map((one): Past => {
    const { key } = one
    if (isSettled(one)) return { key, tag: 'Settled', rows: rows.get(key) ?? [] }
    return pastOf(standing, position, one, snapshots.get(key) ?? [])
  })
  return { standing, keys: past, next: found.length > limit ? keys.at(-1)?.key : undefined }
}

/** One more than the page holds, if there are so many. */
const keysOf = async (
  client: ClientBase,
  projection: Projection,
  query: PastQuery,
): Promise<readonly Key[]> => {
  const { states } = tableNames(projection.name, 'live')
  const trail = `select key, since, array_to_json(touched) as touched from ${states}`
  if (query.site !== undefined) {
    const keys = await keysOfSite(client, projection, { ...query, site: query.site })
    const { rows } = await client.query<Key>(`${trail} where key = any($1) order by key`, [keys])
    return rows
  }
  const { position, after, limit } = query
  const { rows } = await client.query<Key>(
    `${trail} where key > $1 and ($2::text is null or key <= $2) order by key limit $3`,
    [after, projection.lastKeyAt?.(position), limit + 1],
  )
  return rows
}

/**
 * Rows are compared as pairs and without an equality, so that only an index of the site can give the order:
 * else the server may look for the site in all rows, key by key.
 */
const keysOfSite = async (
  client: ClientBase,
  projection: Projection,
  { position, site, after, limit }: PastQuery & { readonly site: string },
): Promise<readonly string[]> => {
  const { rows } = tableNames(projection.name, 'live')
  const pair = `(site, ${KEY_COLUMN})`
  const found = await client.query<{ readonly key: string }>(
    `select distinct site, ${KEY_COLUMN} as key from ${rows}
     where ${pair} > ($1, $2) and site <= $1 and ($3::text is null or ${pair} <= ($1, $3))
     order by site, ${KEY_COLUMN} limit $4`,
    [site, after, projection.lastKeyAt?.(position), limit + 1],
  )
  return found.rows.map(({ key }) => key)
}

type SnapshotRow = SnapshotDigests &
  Omit<Snapshot, 'state'> & {
    readonly key: string
    /** Only of the one before. */
    readonly state: string | null
  }

/** The snapshot before and the one after, of each key. */
const snapshotsAround = async (
  client: ClientBase,
  { projection }: Standing,
  keys: readonly string[],
  position: number,
): Promise<ReadonlyMap<string, readonly SnapshotRow[]>> => {
  if (keys.length === 0) return new Map()
  const { snapshots } = tableNames(projection, 'live')
  const trail = `key, position, since, array_to_json(touched) as touched,
    state_digest as "stateDigest", digest`
  const { rows } = await client.query<SnapshotRow>(
    `select s.* from unnest($1::text[]) as k (key) cross join lateral (
       (select ${trail}, state from ${snapshots} b where b.key = k.key and position <= $2
        order by position desc limit 1)
       union all
       (select ${trail}, null from ${snapshots} a where a.key = k.key and position > $2
        order by position limit 1)
     ) s`,
    [keys, position],
  )
  return Map.groupBy(rows, ({ key }) => key)
}

const pastOf = (
  standing: Standing,
  position: number,
  { key, ...trail }: Key,
  snapshots: readonly SnapshotRow[],
): Past => {
  const isAsWritten = snapshots.every(
    (one) =>
      trailDigest({ ...standing, key }, one, one.stateDigest) === one.digest &&
      (one.state === null || sha256Hex(one.state) === one.stateDigest),
  )
  const { position: at, state } = snapshots.find((one) => one.position <= position) ?? {}
  const before = at === undefined || typeof state !== 'string' ? undefined : { position: at, state }
  const after = snapshots.find((one) => one.position > position)
  const folding = isAsWritten ? foldingAt(position, before, after ?? trail) : undefined
  return folding === undefined ? { key, tag: 'Unknown' } : { key, tag: 'Foldable', ...folding }
}
