/** Writes one batch of states and rows with its checkpoint, in the caller's transaction. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ClientBase } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Standing, Written } from '../../../../projections/port.ts'
import type { Cell, Projection } from '../../../../projections/projection.ts'
import { column, INDEX_COLUMN, KEY_COLUMN, tableNames } from './tables.ts'

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

/** Everything by COPY, which takes a third of what INSERT takes; what was there is deleted first. */
export const writeEntries = async (
  client: ClientBase,
  projection: Projection,
  { place, generation }: Standing,
  written: readonly Written[],
): Promise<void> => {
  if (written.length === 0) return
  const { rows, states } = tableNames(projection.name, place)
  const known = written.filter(({ isNew }) => !isNew).map(({ key }) => key)
  const deleted = known.length === 0 ? 0 : await deleteKeys(client, { rows, states }, known)
  const columns = projection.table.columns
  const copied = [KEY_COLUMN, INDEX_COLUMN, ...columns].map(column).join(', ')
  await copy(client, `${states} (key, state)`, stateLines(written))
  const lines = rowLines(written, await formats(client, rows, columns))
  await copy(client, `${rows} (${copied})`, lines)
  const more = written.reduce((sum, entry) => sum + entry.rows.length, -deleted)
  if (more !== 0)
    await client.query('update projection.registry set rows = rows + $2 where generation = $1', [
      generation,
      more,
    ])
}

/** Answers how many rows went. */
const deleteKeys = async (
  client: ClientBase,
  { rows, states }: { readonly rows: string; readonly states: string },
  keys: readonly string[],
): Promise<number> => {
  await client.query(`delete from ${states} where key = any($1)`, [keys])
  const { rowCount } = await client.query(`delete from ${rows} where ${KEY_COLUMN} = any($1)`, [
    keys,
  ])
  return rowCount ?? 0
}

type Format = readonly [column: string, format: (cell: Cell) => string]

/** How the cells of each column are written: in a jsonb column a text is a JSON text. */
const formats = async (
  client: ClientBase,
  table: string,
  columns: readonly string[],
): Promise<readonly Format[]> => {
  const { rows } = await client.query<{ readonly name: string }>(
    `select attname as name from pg_attribute
     where attrelid = $1::regclass and atttypid = 'jsonb'::regtype`,
    [table],
  )
  const json = new Set(rows.map(({ name }) => name))
  return columns.map((name) => [name, json.has(name) ? jsonField : plainField])
}

const NULL = '\\N'
const SPECIAL = /[\\\t\n\r]/g
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
}

/** PostgreSQL, COPY: the text format. */
const textField = (text: string): string =>
  text.search(SPECIAL) < 0 ? text : text.replaceAll(SPECIAL, (one) => ESCAPES[one] ?? one)

const jsonField = (cell: Cell): string => (cell === null ? NULL : textField(JSON.stringify(cell)))

const plainField = (cell: Cell): string => {
  if (cell === null) return NULL
  return typeof cell === 'string' ? textField(cell) : JSON.stringify(cell)
}

function* stateLines(written: readonly Written[]): Generator<string> {
  for (const { key, state } of written) yield `${textField(key)}\t${textField(state)}\n`
}

function* rowLines(written: readonly Written[], columns: readonly Format[]): Generator<string> {
  for (const { key, rows } of written)
    for (const [index, row] of rows.entries()) {
      const cells = columns.map(([name, format]) => format(row[name] ?? null))
      yield `${textField(key)}\t${index}\t${cells.join('\t')}\n`
    }
}

/** Lines go out some at a time: one by one they cost more than all the rest. */
const CHUNK_CHARACTERS = 262_144

function* chunksOf(lines: Iterable<string>): Generator<string> {
  let chunk = ''
  for (const line of lines) {
    chunk += line
    if (chunk.length < CHUNK_CHARACTERS) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}

const copy = async (client: ClientBase, target: string, lines: Iterable<string>): Promise<void> => {
  const stream = client.query(copyFrom(`copy ${target} from stdin`))
  await pipeline(Readable.from(chunksOf(lines)), stream)
}
