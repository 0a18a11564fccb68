/**
 * Writes schema/dump.sql: what a database looks like after all of schema/ was applied, read from its
 * catalogue and not from our files, the same on every version of PostgreSQL. To be read, not run.
 *
 *     node scripts/dump-schema.ts            writes schema/dump.sql
 *     node scripts/dump-schema.ts --print    prints it
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { connectionOf } from '../src/adapters/postgres/connection.ts'
import { openDatabase } from '../src/adapters/postgres/database.ts'
import { openEmbedded } from '../src/adapters/postgres/embedded/embedded.ts'
import { E, type Either } from '../src/kernel/fp.ts'

/** Each query gives lines of one column `line`, in an order that does not depend on the server. */
const PARTS: readonly (readonly [string, string])[] = [
  [
    'roles',
    `select format('role %s%s%s%s%s', rolname,
        case when rolcanlogin then ' login' end, case when rolsuper then ' superuser' end,
        case when rolcreaterole then ' createrole' end, case when rolbypassrls then ' bypassrls' end) as line
      from pg_roles where rolname like 'crawl\\_ledger\\_%' order by rolname`,
  ],
  [
    'schemas',
    `select format('schema %s', nspname)
        || case when pg_get_userbyid(nspowner) like 'crawl\\_ledger\\_%' then format(' of %s', pg_get_userbyid(nspowner)) else '' end as line
      from pg_namespace where nspname in ('public', 'projection') order by nspname`,
  ],
  [
    'columns',
    `select format('column %s.%s %s%s%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
        case when a.attnotnull then ' not null' end, ' default ' || pg_get_expr(d.adbin, d.adrelid)) as line
      from pg_attribute a
      join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'v', 'm', 'p')
        and c.relnamespace = 'public'::regnamespace
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where a.attnum > 0 and not a.attisdropped
      order by c.relname collate "C", a.attnum`,
  ],
  [
    'constraints',
    `select format('constraint %s.%s %s', c.relname, k.conname, pg_get_constraintdef(k.oid)) as line
      from pg_constraint k join pg_class c on c.oid = k.conrelid
      where k.connamespace = 'public'::regnamespace and k.contype <> 'n'
      order by c.relname collate "C", k.conname collate "C"`,
  ],
  [
    'indexes',
    `select indexdef as line from pg_indexes where schemaname = 'public' order by indexname collate "C"`,
  ],
  [
    'triggers',
    `select pg_get_triggerdef(t.oid) || case t.tgenabled when 'A' then ' -- always' when 'O' then '' else ' -- off' end as line
      from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where not t.tgisinternal and c.relnamespace = 'public'::regnamespace order by t.tgname collate "C"`,
  ],
  [
    'functions',
    `select pg_get_functiondef(oid) as line from pg_proc
      where pronamespace = 'public'::regnamespace order by proname collate "C", oid`,
  ],
  [
    'privileges',
    `select format('grant %s on %s %s to %s', string_agg(lower(g.privilege_type), ', ' order by g.privilege_type), o.kind, o.name, g.who) as line
      from (
        select case relkind when 'S' then 'sequence' else 'table' end as kind, relname::text as name, coalesce(relacl, acldefault('r', relowner)) as acl
          from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'm', 'p', 'S')
        union all
        select 'function', proname, coalesce(proacl, acldefault('f', proowner))
          from pg_proc where pronamespace = 'public'::regnamespace
        union all
        select 'schema', nspname, coalesce(nspacl, acldefault('n', nspowner))
          from pg_namespace where nspname in ('public', 'projection')
      ) o
      cross join lateral (
        select a.privilege_type, case a.grantee when 0 then 'public' else pg_get_userbyid(a.grantee) end as who
        from aclexplode(o.acl) a
      ) g
      where g.who = 'public' or g.who like 'crawl\\_ledger\\_%'
      group by o.kind, o.name, g.who
      order by o.kind, o.name collate "C", g.who collate "C"`,
  ],
]

/** The schema of the database that `client` is connected to. */
export const dumpSchema = async (client: Client): Promise<string> => {
  const parts = [
    '-- Made by scripts/dump-schema.ts from the catalogue of a new database. Not to be run.',
  ]
  for (const [title, query] of PARTS) {
    const { rows } = await client.query<{ readonly line: string }>(query)
    parts.push(`-- ${title}`, ...rows.map(({ line }) => line.trimEnd()), '')
  }
  return `${parts.join('\n').trimEnd()}\n`
}

const orThrow = <L, A>(either: Either<L, A>): A => {
  if (E.isRight(either)) return either.right
  throw new Error(JSON.stringify(either.left))
}

const main = async (): Promise<void> => {
  const data = await mkdtemp(join(tmpdir(), 'dump-schema-'))
  const embedded = orThrow(await openEmbedded(data)())
  const database = orThrow(await openDatabase(embedded.connection)())
  const client = new Client(connectionOf(embedded.connection, undefined))
  await client.connect()
  try {
    const dump = await dumpSchema(client)
    if (process.argv.includes('--print')) console.log(dump)
    else await writeFile(new URL('../schema/dump.sql', import.meta.url), dump)
  } finally {
    await client.end()
    await database.close()
    await embedded.close()
    await rm(data, { recursive: true, force: true })
  }
}

if (import.meta.main) await main()
