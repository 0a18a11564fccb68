/** Writes one batch of states and rows with its checkpoint, in the caller's transaction. */
import type { ClientBase } from 'pg'
import type { Standing, Written } from '../../../../projections/port.ts'
import type { Cell, Projection, Row } from '../../../../projections/projection.ts'
import { digestsOf, type Trail } from '../../../../projections/snapshot.ts'
import { type Added, type Behind, rowsBehind } from './added-rows.ts'
import { copyIn } from './copy-in.ts'
import { column, INDEX_COLUMN, KEY_COLUMN, tableNames } from './tables.ts'

/** What one commit writes. */
export type Batch = { readonly checkpoint: number; readonly written: Iterable<Written> }

/**
 * Writes `batch` if the table, or the part of it, still stands where `standing` says; false if it does not.
 * The lock that moving the checkpoint takes on the registry's row holds until the end of the transaction:
 * others wait, and then see for themselves. Parts do not wait for each other.
 *
 * Everything goes by COPY, which takes a third of what INSERT takes; what was there is deleted first.
 */
export const writeBatch = async (
  client: ClientBase,
  projection: Projection,
  standing: Standing,
  { checkpoint, written }: Batch,
): Promise<boolean> => {
  const { rows, states, snapshots } = tableNames(projection.name, standing.place)
  const adds = projection.adds !== undefined
  const encoded = encode(written, standing, await formats(client, projection, rows), adds)
  const { known, count } = encoded
  const behind = await rowsBehind(client, rows, encoded.added)
  if (!(await standsAndMoves(client, standing, checkpoint))) return false
  let gone = 0
  if (known.length > 0) {
    const { rowCount } = await client.query(
      adds
        ? `delete from ${states} where key = any($1)`
        : `with gone as (delete from ${states} where key = any($1))
           delete from ${rows} where ${KEY_COLUMN} = any($1)`,
      [known],
    )
    gone = adds ? 0 : (rowCount ?? 0)
  }
  if (encoded.states.length === 0) return true
  const columns = [KEY_COLUMN, INDEX_COLUMN, ...projection.table.columns].map(column).join(', ')
  await copyIn(client, [
    { into: `${states} (key, state, since, touched)`, bytes: encoded.states },
    {
      into: `${snapshots} (key, position, since, touched, state, state_digest, digest)`,
      bytes: encoded.snapshots,
    },
    { into: `${rows} (${columns})`, bytes: encoded.rows(behind) },
  ])
  // Last, because from here on whoever else counts has to wait.
  await client.query('update projection.registry set rows = rows + $2 where generation = $1', [
    standing.generation,
    count - gone,
  ])
  return true
}

const standsAndMoves = async (
  client: ClientBase,
  { projection, place, generation, checkpoint, part }: Standing,
  to: number,
): Promise<boolean> => {
  const values = [projection, place, generation, checkpoint, to]
  const { rowCount } = await (part === undefined
    ? client.query(MOVE_TABLE, values)
    : client.query(MOVE_PART, [...values, part.index, part.of]))
  return rowCount === 1
}

/** Parting a shadow changes its generation: who knows the new one sees the parts. */
const MOVE_TABLE = `
  update projection.registry r set checkpoint = $5
  where name = $1 and place = $2 and generation = $3 and checkpoint = $4
    and not exists (select from projection.part p where p.generation = r.generation)`

/** The registry's row first, as everybody takes it. */
const MOVE_PART = `
  update projection.part p set checkpoint = $5
  from (
    select generation from projection.registry
    where name = $1 and place = $2 and generation = $3 for key share
  ) r
  where p.generation = r.generation and p.checkpoint = $4 and p.part = $6 and p.of = $7`

type Encoded = {
  /** Keys the table may hold already. */
  readonly known: readonly string[]
  /** How many rows. */
  readonly count: number
  readonly states: readonly Buffer[]
  readonly snapshots: readonly Buffer[]
  /** Rows that go behind others; `rows` puts them there. */
  readonly added: readonly Added[]
  readonly rows: (behind: Behind) => readonly Buffer[]
}

/** To bytes at once, one key after the other: texts that wait cost the memory ten times as much. */
const encode = (
  written: Iterable<Written>,
  standing: Standing,
  columns: readonly Format[],
  adds: boolean,
): Encoded => {
  const known: string[] = []
  const states = lines()
  const snapshots = lines()
  const rows = rowLines(columns)
  const added: Added[] = []
  let count = 0
  for (const one of written) {
    const key = textField(one.key)
    if (!one.isNew) known.push(one.key)
    states.add(`${key}\t${textField(one.state)}\t${trailFields(one)}\n`)
    for (const snapshot of one.snapshots) {
      const { stateDigest, digest } = digestsOf({ ...standing, key: one.key }, snapshot)
      const { position, state } = snapshot
      const fields = [key, position, trailFields(snapshot), textField(state), stateDigest, digest]
      snapshots.add(`${fields.join('\t')}\n`)
    }
    if (adds) added.push({ key: one.key, isNew: one.isNew, rows: one.rows })
    else rows.add(key, 0, one.rows)
    count += one.rows.length
  }
  return {
    known,
    count,
    states: states.bytes(),
    snapshots: snapshots.bytes(),
    added,
    rows: (behind) => {
      for (const one of added) rows.add(textField(one.key), behind.get(one.key) ?? 0, one.rows)
      return rows.bytes()
    },
  }
}

/** The columns `since` and `touched`. */
const trailFields = ({ since, touched }: Trail): string => `${since}\t{${touched.join(',')}}`

/** Lines go out some at a time: one by one they cost more than all the rest. */
const CHUNK_CHARACTERS = 65_536

const lines = () => {
  const done: Buffer[] = []
  let text = ''
  const close = (): void => {
    if (text !== '') done.push(Buffer.from(text))
    text = ''
  }
  return {
    add: (line: string): void => {
      text += line
      if (text.length >= CHUNK_CHARACTERS) close()
    },
    bytes: (): readonly Buffer[] => {
      close()
      return done
    },
  }
}

/** Rows of one key after the other, numbered from `first`. */
const rowLines = (columns: readonly Format[]) => {
  const { add, bytes } = lines()
  return {
    add: (key: string, first: number, rows: readonly Row[]): void => {
      for (const [index, row] of rows.entries()) {
        let cells = ''
        for (const [name, format] of columns) cells += `\t${format(row[name] ?? null)}`
        add(`${key}\t${first + index}${cells}\n`)
      }
    },
    bytes,
  }
}

type Format = readonly [column: string, format: (cell: Cell) => string]

const known = new WeakMap<Projection, readonly Format[]>()

/** How the cells of each column are written: in a jsonb column a text is a JSON text. */
const formats = async (
  client: ClientBase,
  projection: Projection,
  table: string,
): Promise<readonly Format[]> => {
  const found = known.get(projection)
  if (found !== undefined) return found
  const { rows } = await client.query<{ readonly name: string }>(
    `select attname as name from pg_attribute
     where attrelid = $1::regclass and atttypid = 'jsonb'::regtype`,
    [table],
  )
  const json = new Set(rows.map(({ name }) => name))
  const made = projection.table.columns.map((name): Format => [
    name,
    json.has(name) ? jsonField : plainField,
  ])
  // Every table of a projection is made by the same statement.
  known.set(projection, made)
  return made
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
