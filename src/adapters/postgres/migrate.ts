/**
 * Brings the schema up to date. `schema/ledger` holds numbered files that are only ever added to:
 * each is applied once, in a transaction of its own, and recorded with the digest of its text.
 */
import { readdir, readFile } from 'node:fs/promises'
import type { Client } from 'pg'
import { sha256Hex } from '../../kernel/digest.ts'
import { E, type Either } from '../../kernel/fp.ts'
import type { Unavailable } from '../../ledger/port.ts'
import { unavailableBecause } from './failure.ts'

/** One file of the schema. `name` is also what is recorded. */
export type Step = { readonly name: string; readonly sql: string; readonly sha256: string }

const SCHEMA = new URL('../../../schema/', import.meta.url)
const ROLES = 'roles.sql'
const NUMBERED = /^\d{4}-[a-z0-9-]+\.sql$/

const stepOf = async (name: string, file: URL): Promise<Step> => {
  const sql = await readFile(file, 'utf8')
  return { name, sql, sha256: sha256Hex(sql) }
}

/** The files of `schema/`, in the order in which they are applied; the roles come last. */
export const readSchema = async (schema: URL = SCHEMA): Promise<readonly Step[]> => {
  const names = (await readdir(new URL('ledger/', schema))).filter((name) => NUMBERED.test(name))
  const steps = names.sort().map((name) => stepOf(name, new URL(`ledger/${name}`, schema)))
  return Promise.all([...steps, stepOf(ROLES, new URL(ROLES, schema))])
}

/** What a database was set up with: the digest of each step by its name. */
type Applied = ReadonlyMap<string, string>

/** Any fixed number: two programs that set up one database take turns. */
const SETUP_LOCK = 7_234_019_283_401

/**
 * Applies what is missing. Safe when several processes do it at once; one query when nothing is.
 * Refuses a database set up by a newer program, or by one whose released files were changed.
 */
export const migrate = async (
  client: Client,
  place: string,
  steps?: readonly Step[],
): Promise<Either<Unavailable, void>> => {
  const wanted = steps ?? (await readSchema())
  if (pending(await applied(client), wanted).length === 0) return E.right(undefined)
  await client.query('select pg_advisory_lock($1)', [SETUP_LOCK])
  try {
    // Somebody else may have done it while we waited.
    const done = await applied(client)
    const wrong = contradiction(done, wanted)
    if (wrong !== undefined)
      return E.left({ tag: 'Unavailable', because: `the database ${place}: ${wrong}` })
    for (const step of pending(done, wanted)) {
      const failure = await apply(client, place, step)
      if (failure !== undefined) return E.left(failure)
    }
    return E.right(undefined)
  } finally {
    await client.query('select pg_advisory_unlock($1)', [SETUP_LOCK])
  }
}

/** Steps that are missing or were changed; a step the program does not know counts as one too. */
const pending = (done: Applied, wanted: readonly Step[]): readonly Step[] => {
  const missing = wanted.filter(({ name, sha256 }) => done.get(name) !== sha256)
  return missing.length === 0 && done.size > wanted.length ? wanted.slice(0, 1) : missing
}

const contradiction = (done: Applied, wanted: readonly Step[]): string | undefined => {
  const known = new Map(wanted.map((step) => [step.name, step.sha256]))
  for (const [name, sha256] of done) {
    if (name === ROLES) continue
    if (!known.has(name))
      return `it was set up by a newer crawl-ledger (it has ${name}); use that version`
    if (known.get(name) !== sha256)
      return `schema/ledger/${name} is not what it was when it was applied; a released file is never changed, add a new one`
  }
  return undefined
}

/**
 * Roles belong to the server and not to a database: one that was restored from a dump says that it
 * has them, and its server may not know them, or not their rights, or not us as one of them.
 */
const APPLIED = `
  select name, sha256 from schema_step
  where name <> $1 or exists (
    select from pg_roles where rolname = 'crawl_ledger_writer'
      and has_table_privilege(oid, to_regclass('public.event'), 'insert') and pg_has_role(oid, 'member'))`

const applied = async (client: Client): Promise<Applied> => {
  const { rows } = await client.query<{ readonly here: boolean }>(
    "select to_regclass('public.schema_step') is not null as here",
  )
  if (rows[0]?.here !== true) return new Map()
  const steps = await client.query<{ readonly name: string; readonly sha256: string }>(APPLIED, [
    ROLES,
  ])
  return new Map(steps.rows.map(({ name, sha256 }) => [name, sha256]))
}

const RECORD = `
  create table if not exists schema_step (
    name text primary key,
    sha256 text not null,
    applied_at timestamptz not null default clock_timestamp()
  )`

const apply = async (
  client: Client,
  place: string,
  { name, sql, sha256 }: Step,
): Promise<Unavailable | undefined> => {
  await client.query('begin')
  try {
    await client.query(RECORD)
    await client.query(sql)
    await client.query(
      `insert into schema_step (name, sha256) values ($1, $2)
       on conflict (name) do update set sha256 = excluded.sha256, applied_at = excluded.applied_at`,
      [name, sha256],
    )
    await client.query('commit')
    return undefined
  } catch (error) {
    await client.query('rollback')
    const lacking = error instanceof Error && 'code' in error && error.code === '42501'
    return lacking ? lackingPrivilege(place, name) : unavailableBecause(place, error)
  }
}

const lackingPrivilege = (place: string, name: string): Unavailable => ({
  tag: 'Unavailable',
  because:
    name === ROLES
      ? `the database ${place}: its user may not create the roles it needs; have an administrator run, once: create role crawl_ledger_writer nologin; create role crawl_ledger_projector nologin; grant crawl_ledger_writer, crawl_ledger_projector to <that user>;`
      : `the database ${place}: its user may not create tables there (${name}); connect as the owner of the database`,
})
