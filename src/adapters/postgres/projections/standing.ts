/** Which tables there are, and how the shadow becomes the live one. */
import type { ClientBase, Pool } from 'pg'
import type { Build, Overtaken, ProjectionStatus, Standing } from '../../../../projections/port.ts'
import type { Projection } from '../../../../projections/projection.ts'
import { present } from '../../../kernel/assert.ts'
import { E, type Either } from '../../../kernel/fp.ts'
import { createTables, dropTables, finishShadow, replaceLive } from './tables.ts'

export type RegistryRow = Omit<Standing, 'projection'> & {
  readonly name: string
  readonly rows: number
  readonly built_at: Date | null
}

export const COLUMNS = 'name, place, generation, version, reader, checkpoint, rows, built_at'

export const standingIn = (row: RegistryRow): Standing => {
  const { name, place, generation, version, reader, checkpoint } = row
  return { projection: name, place, generation, version, reader, checkpoint }
}

export const overtaken = (projection: string): Either<Overtaken, never> =>
  E.left({ tag: 'Overtaken', projection })

export const liveStanding = async (
  client: Pick<ClientBase, 'query'>,
  name: string,
): Promise<Standing | undefined> => {
  const { rows } = await client.query<RegistryRow>(
    `select ${COLUMNS} from projection.registry where name = $1 and place = 'live'`,
    [name],
  )
  return rows[0] === undefined ? undefined : standingIn(rows[0])
}

export const startShadow = async (
  client: ClientBase,
  projection: Projection,
  { version, reader }: Build,
): Promise<Either<never, Standing>> => {
  await client.query("delete from projection.registry where name = $1 and place = 'shadow'", [
    projection.name,
  ])
  await client.query(dropTables(projection.name, 'shadow'))
  await client.query(createTables(projection, 'shadow'))
  const { rows } = await client.query<RegistryRow>(
    `insert into projection.registry (name, place, generation, version, reader, checkpoint, rows)
     values ($1, 'shadow', nextval('projection.generation'), $2, $3, 0, 0) returning ${COLUMNS}`,
    [projection.name, version, reader],
  )
  return E.right(standingIn(present(rows[0], 'an insert gives its row back')))
}

/** The registry's row first, as every commit takes it; a shadow of another generation stays. */
export const dropShadow = async (
  client: ClientBase,
  { projection, generation }: Standing,
): Promise<Either<never, void>> => {
  const { rowCount } = await client.query(
    "delete from projection.registry where name = $1 and place = 'shadow' and generation = $2",
    [projection, generation],
  )
  if (rowCount === 1) await client.query(dropTables(projection, 'shadow'))
  return E.right(undefined)
}

const isParted = async (client: ClientBase, { generation }: Standing): Promise<boolean> => {
  const parts = await client.query('select from projection.part where generation = $1 limit 1', [
    generation,
  ])
  return parts.rowCount === 1
}

/** Locks the registry's rows first and the tables last, as every commit does. */
export const swap = async (
  client: ClientBase,
  projection: Projection,
  shadow: Standing,
): Promise<Either<Overtaken, Standing>> => {
  const { name } = projection
  const { rows } = await client.query<RegistryRow>(
    `select ${COLUMNS} from projection.registry where name = $1 order by place for update`,
    [name],
  )
  const standings = rows.map(standingIn)
  const live = standings.find(({ place }) => place === 'live')
  const found = standings.find(({ place }) => place === 'shadow')
  const stands = found?.generation === shadow.generation && found.checkpoint === shadow.checkpoint
  if (!stands || (live?.checkpoint ?? 0) > shadow.checkpoint) return overtaken(name)
  if (await isParted(client, found)) return overtaken(name)
  await client.query(finishShadow(projection))
  await client.query(replaceLive(name))
  await client.query("delete from projection.registry where name = $1 and place = 'live'", [name])
  await client.query(
    `update projection.registry set place = 'live', built_at = clock_timestamp()
     where name = $1 and place = 'shadow'`,
    [name],
  )
  return E.right({ ...shadow, place: 'live' })
}

export const statuses = async (pool: Pool): Promise<readonly ProjectionStatus[]> => {
  const { rows } = await pool.query<RegistryRow>(
    `select ${COLUMNS} from projection.registry order by name, place`,
  )
  return rows.map((row) => ({
    ...standingIn(row),
    rows: row.rows,
    builtAt: row.built_at?.toISOString() ?? null,
  }))
}
