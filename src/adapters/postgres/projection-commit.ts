/** Writes one batch of states and rows with its checkpoint, in the caller's transaction. */
import type { ClientBase } from 'pg'
import type { Standing, Written } from '../../../projections/port.ts'
import type { Projection } from '../../../projections/projection.ts'
import { column, INDEX_COLUMN, KEY_COLUMN, tableNames } from './projection-tables.ts'

/** One statement carries at most so many entries, or about so many characters. */
const CHUNK_ENTRIES = 5_000
const CHUNK_CHARACTERS = 8_388_608

/**
 * Moves the checkpoint if the table still stands where `standing` says; false if it does not. The
 * lock this takes on the registry's row holds until the commit: others wait, and then see for
 * themselves.
 */
export const moveCheckpoint = async (
  client: ClientBase,
  standing: Standing,
  checkpoint: number,
): Promise<boolean> => {
  const { rowCount } = await client.query(
    `update projection.registry set checkpoint = $5
     where name = $1 and place = $2 and generation = $3 and checkpoint = $4`,
    [standing.projection, standing.place, standing.generation, standing.checkpoint, checkpoint],
  )
  return rowCount === 1
}

export const writeEntries = async (
  client: ClientBase,
  projection: Projection,
  { place, generation }: Standing,
  written: readonly Written[],
): Promise<void> => {
  const statements = statementsOf(projection, place)
  let more = 0
  for (const chunk of chunks(written)) {
    const known = chunk.filter(({ isNew }) => !isNew).map(({ key }) => key)
    const deleted = known.length === 0 ? undefined : await client.query(statements.clear, [known])
    await client.query(statements.states, [statesJson(chunk)])
    const inserted = await client.query(statements.rows, [rowsJson(chunk)])
    more += (inserted.rowCount ?? 0) - (deleted?.rowCount ?? 0)
  }
  if (more !== 0)
    await client.query('update projection.registry set rows = rows + $2 where generation = $1', [
      generation,
      more,
    ])
}

const statementsOf = (projection: Projection, place: Standing['place']) => {
  const { rows, states } = tableNames(projection.name, place)
  const columns = [KEY_COLUMN, INDEX_COLUMN, ...projection.table.columns].map(column).join(', ')
  return {
    clear: `delete from ${rows} where ${KEY_COLUMN} = any($1)`,
    states: `insert into ${states} (key, state)
      select key, state from json_to_recordset($1::json) as entry (key text, state text)
      on conflict (key) do update set state = excluded.state`,
    rows: `insert into ${rows} (${columns})
      select ${columns} from json_populate_recordset(null::${rows}, $1::json)`,
  }
}

function* chunks(written: readonly Written[]): Generator<readonly Written[]> {
  let chunk: Written[] = []
  let characters = 0
  for (const entry of written) {
    chunk.push(entry)
    characters += entry.state.length
    if (chunk.length < CHUNK_ENTRIES && characters < CHUNK_CHARACTERS) continue
    yield chunk
    chunk = []
    characters = 0
  }
  if (chunk.length > 0) yield chunk
}

const statesJson = (chunk: readonly Written[]): string =>
  JSON.stringify(chunk.map(({ key, state }) => ({ key, state })))

const rowsJson = (chunk: readonly Written[]): string =>
  JSON.stringify(
    chunk.flatMap(({ key, rows }) =>
      rows.map((row, index) => ({ ...row, [KEY_COLUMN]: key, [INDEX_COLUMN]: index })),
    ),
  )
