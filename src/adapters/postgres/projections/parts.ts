/** Shadows that were left, and the parts a shadow is folded by. */
import type { ClientBase } from 'pg'
import type { Build, Overtaken, Shadow, Standing } from '../../../../projections/port.ts'
import type { Projection } from '../../../../projections/projection.ts'
import { E, type Either } from '../../../kernel/fp.ts'
import { COLUMNS, overtaken, type RegistryRow, standingIn } from './standing.ts'

/** Waits for a commit under way, as it changes the key of the registry's row; any later one is refused. */
export const resumeShadow = async (
  client: ClientBase,
  { name }: Projection,
  { version, reader }: Build,
): Promise<Either<never, Shadow | undefined>> => {
  const { rows } = await client.query<RegistryRow>(
    `update projection.registry set generation = nextval('projection.generation')
     where name = $1 and place = 'shadow' and version = $2 and reader is not distinct from $3
     returning ${COLUMNS}`,
    [name, version, reader],
  )
  if (rows[0] === undefined) return E.right(undefined)
  const standing = standingIn(rows[0])
  return E.right({ standing, parts: await partsOf(client, standing) })
}

export const partShadow = async (
  client: ClientBase,
  { projection, place, generation, checkpoint }: Standing,
  of: number,
): Promise<Either<Overtaken, Shadow>> => {
  const { rows } = await client.query<RegistryRow>(
    `update projection.registry r set generation = nextval('projection.generation')
     where name = $1 and place = $2 and generation = $3 and checkpoint = $4
       and not exists (select from projection.part p where p.generation = r.generation)
     returning ${COLUMNS}`,
    [projection, place, generation, checkpoint],
  )
  if (rows[0] === undefined) return overtaken(projection)
  const standing = standingIn(rows[0])
  await client.query(
    `insert into projection.part (generation, part, of, checkpoint)
     select $1, part, $2, $3 from generate_series(0, $2 - 1) part`,
    [standing.generation, of, checkpoint],
  )
  return E.right({ standing, parts: await partsOf(client, standing) })
}

/** The parts are looked at when the lock is held: a commit of a part that came first is seen whole. */
export const joinShadow = async (
  client: ClientBase,
  shadow: Standing,
  checkpoint: number,
): Promise<Either<Overtaken, Standing>> => {
  const { projection, place, generation } = shadow
  const { rowCount } = await client.query(
    `select from projection.registry
     where name = $1 and place = $2 and generation = $3 and checkpoint = $4 for update`,
    [projection, place, generation, shadow.checkpoint],
  )
  const parts = rowCount === 1 ? await partsOf(client, shadow) : []
  if (parts.length === 0 || parts.some((part) => part.checkpoint !== checkpoint))
    return overtaken(projection)
  await client.query('delete from projection.part where generation = $1', [generation])
  await client.query('update projection.registry set checkpoint = $2 where generation = $1', [
    generation,
    checkpoint,
  ])
  return E.right({ ...shadow, checkpoint })
}

type PartRow = { readonly part: number; readonly of: number; readonly checkpoint: number }

const partsOf = async (client: ClientBase, standing: Standing): Promise<readonly Standing[]> => {
  const { rows } = await client.query<PartRow>(
    'select part, of, checkpoint from projection.part where generation = $1 order by part',
    [standing.generation],
  )
  return rows.map(({ part, of, checkpoint }) => ({
    ...standing,
    checkpoint,
    part: { index: part, of },
  }))
}
