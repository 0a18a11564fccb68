/** What a database of the ledger is: how it is set up, and what it refuses to whom. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { Client } from 'pg'
import { dumpSchema } from '../../scripts/dump-schema.ts'
import { connectionOf, type Role, type Settings } from '../../src/adapters/postgres/connection.ts'
import { openDatabase } from '../../src/adapters/postgres/database.ts'
import { migrate, readSchema, type Step } from '../../src/adapters/postgres/migrate.ts'
import { sha256Hex } from '../../src/kernel/digest.ts'
import { E } from '../../src/kernel/fp.ts'
import { embeddedPlace, execute, openAgain, places, testLedger } from '../support/database.ts'
import { left, right } from '../support/either.ts'
import { appendOf, RUN } from '../support/ledgers.ts'
import { embeddedPrograms, PASSWORD, type Server, startServer } from '../support/postgres-server.ts'

const connected = async <A>(
  settings: Settings,
  role: Role | undefined,
  task: (client: Client) => Promise<A>,
): Promise<A> => {
  const client = new Client(connectionOf(settings, role))
  await client.connect()
  try {
    return await task(client)
  } finally {
    await client.end()
  }
}

for (const place of places)
  test(`the schema is the one of schema/dump.sql: ${place.name}`, async () => {
    const settings = await place.newDatabase()
    await openAgain(settings)
    const golden = await readFile(new URL('../../schema/dump.sql', import.meta.url), 'utf8')
    equal(await connected(settings, undefined, dumpSchema), golden)
  })

describe('setting up', () => {
  const applied = (client: Client) =>
    client
      .query<{ readonly name: string; readonly applied_at: Date }>(
        'select name, applied_at from schema_step order by applied_at',
      )
      .then(({ rows }) => rows)

  test('a database that is up to date is left as it is', async () => {
    const settings = await embeddedPlace.newDatabase()
    await openAgain(settings)
    const first = await connected(settings, undefined, applied)
    deepEqual(
      first.map(({ name }) => name),
      (await readSchema()).map(({ name }) => name),
    )
    await openAgain(settings)
    deepEqual(await connected(settings, undefined, applied), first)
  })

  test('several processes may set up one database at once', async () => {
    const settings = await embeddedPlace.newDatabase()
    await Promise.all(Array.from({ length: 5 }, () => openAgain(settings)))
    equal((await connected(settings, undefined, applied)).length, (await readSchema()).length)
  })

  test('several databases of one server may be set up at once', async () => {
    const all = [embeddedPlace.newDatabase(), embeddedPlace.newDatabase()]
    await Promise.all((await Promise.all(all)).map(openAgain))
  })

  const changed = (steps: readonly Step[], name: RegExp): readonly Step[] =>
    steps.map((step) => {
      if (!name.test(step.name)) return step
      const sql = `${step.sql}\n-- changed`
      return { ...step, sql, sha256: sha256Hex(sql) }
    })

  const migrated = (settings: Settings, steps: readonly Step[]) =>
    connected(settings, undefined, (client) => migrate(client, 'here', steps))

  test('a released file that was changed is refused by name', async () => {
    const settings = await embeddedPlace.newDatabase()
    await openAgain(settings)
    const failure = left(await migrated(settings, changed(await readSchema(), /^0002/)))
    match(failure.because, /^the database here: schema\/ledger\/0002-\S+ is not what it was/)
  })

  test('a database of a newer program is refused', async () => {
    const settings = await embeddedPlace.newDatabase()
    await openAgain(settings)
    const failure = left(await migrated(settings, (await readSchema()).slice(1)))
    match(failure.because, /newer crawl-ledger \(it has 0001-event.sql\)/)
  })

  test('new files are applied to an older database, changed roles again', async () => {
    const settings = await embeddedPlace.newDatabase()
    const steps = await readSchema()
    right(await migrated(settings, steps))
    const sql = 'create table later (id integer)'
    const more = [
      ...changed(steps, /^roles/),
      { name: '9999-later.sql', sql, sha256: sha256Hex(sql) },
    ]
    right(await migrated(settings, more))
    right(await migrated(settings, more))
    await execute(settings, 'select id from later')
  })

  test('a file that fails leaves nothing of itself behind', async () => {
    const settings = await embeddedPlace.newDatabase()
    const steps = await readSchema()
    const sql = 'create table half (id integer); select no_such_thing()'
    const broken = [...steps, { name: '9999-broken.sql', sql, sha256: sha256Hex(sql) }]
    await rejects(migrated(settings, broken), { name: 'Defect', message: /42883/ })
    right(await migrated(settings, steps))
    await rejects(execute(settings, 'select id from half'), { code: '42P01' })
  })
})

describe('CL1: the ledger is append-only', async () => {
  const { settings, ledger, close } = await testLedger()
  right(await ledger.append(RUN, appendOf('a', 0, 'one', 'two'))())
  const as = (role: Role | undefined, statement: string): Promise<unknown> =>
    connected(settings, role, (client) => client.query(statement))

  const rewriting = [
    `update event set entry = ''`,
    `update event set type = type where false`,
    'delete from event',
    'delete from event where false',
    'truncate event',
    `insert into event select * from event on conflict (position) do update set type = 'x'`,
  ]
  const undermining = [
    'alter table event disable trigger all',
    'drop table event',
    'drop function append_events',
    'create table trap (id integer)',
    'create or replace function ledger_lock() returns bigint language sql return 1',
    'set session_replication_role = replica',
  ]
  for (const statement of [...rewriting, ...undermining])
    test(`the writer may not: ${statement}`, () =>
      rejects(as('crawl_ledger_writer', statement), { code: '42501' }))

  const ofOthers = [
    'insert into event select * from event',
    'select * from site_claim',
    'update site_claim set fence = 1',
    'create table public.trap (id integer)',
  ]
  for (const statement of [...rewriting, ...undermining, ...ofOthers])
    test(`the projector may not: ${statement}`, () =>
      rejects(as('crawl_ledger_projector', statement), { code: '42501' }))

  test('the writer may not forget a claim', () =>
    rejects(as('crawl_ledger_writer', 'delete from site_claim'), { code: '42501' }))

  test('the projector owns a schema of its own', async () => {
    await as(
      'crawl_ledger_projector',
      'create table projection.some (id int); drop table projection.some',
    )
  })

  for (const statement of rewriting)
    test(`even the owner is refused: ${statement}`, async () => {
      await rejects(as(undefined, statement), { code: '55000' })
      await rejects(as(undefined, `set session_replication_role = replica; ${statement}`), {
        code: '55000',
      })
    })

  test('nothing of all that left a mark', async () => {
    equal(right(await ledger.readAll({ after: 0, limit: 10 })()).length, 2)
    await close()
  })
})

describe('a database that is not fit or not to be had is refused in one plain line', async () => {
  let server: Server | undefined
  const serverOf = async (): Promise<Server> =>
    (server ??= await startServer(await embeddedPrograms()))

  const refusal = async (settings: Settings): Promise<string> => {
    const { tag, because } = left(await openDatabase(settings)())
    equal(tag, 'Unavailable')
    ok(!because.includes(PASSWORD), because)
    ok(!because.includes('\n'), because)
    return because
  }

  test('fsync is off', async () => {
    const fast = await startServer(await embeddedPrograms(), ['fsync=off'])
    try {
      match(await refusal({ url: fast.url('postgres') }), /fsync is off/)
    } finally {
      await fast.remove()
    }
  })

  test('synchronous_commit is off', async () => {
    const { url } = await serverOf()
    await execute(
      { url: url('postgres') },
      'create database hasty',
      'alter database hasty set synchronous_commit = off',
    )
    match(await refusal({ url: url('hasty') }), /synchronous_commit is off/)
  })

  test('the encoding is not UTF8', async () => {
    const { url } = await serverOf()
    await execute(
      { url: url('postgres') },
      `create database latin encoding 'LATIN1' template template0`,
    )
    match(await refusal({ url: url('latin') }), /encoding is LATIN1/)
  })

  test('no such database, user, server or host; a wrong password; no address at all', async () => {
    const { url } = await serverOf()
    match(await refusal({ url: url('nowhere') }), /no such database/)
    match(await refusal({ url: url('postgres', 'nobody') }), /refuses the user or the password/)
    const wrong = url('postgres').replace(PASSWORD, `not-${PASSWORD}`)
    match(await refusal({ url: wrong }), /refuses the user or the password/)
    match(await refusal({ url: url('postgres').replace(/:\d+\//, ':1/') }), /nothing listens there/)
    match(
      await refusal({ url: url('postgres').replace('127.0.0.1', 'no.invalid') }),
      /no host of that name/,
    )
    for (const address of [
      '',
      'x',
      `https://u:${PASSWORD}@h/d`,
      `postgresql://u:${PASSWORD}@h:port/d`,
    ])
      match(await refusal({ url: address }), /not one of PostgreSQL; write postgresql:/)
    match(
      await refusal({ host: '/no/where', port: 1, user: 'u', database: 'd' }),
      /no socket there/,
    )
  })

  test('a user who may not create roles is told what an administrator has to run, and then it works', async () => {
    const { url } = await serverOf()
    const admin = { url: url('postgres') }
    await execute(
      admin,
      `create role plain login password '${PASSWORD}'`,
      'create database ours owner plain',
    )
    const because = await refusal({ url: url('ours', 'plain') })
    const asked = /run, once: (.+)$/.exec(because)?.[1]?.replace('<that user>', 'plain')
    ok(asked, because)
    await execute(admin, asked)
    const { writer } = await openAgain({ url: url('ours', 'plain') })
    deepEqual(await writer.selectFrom('event').selectAll().execute(), [])
  })

  test('a user who may not even create tables is told so', async () => {
    const { url } = await serverOf()
    await execute({ url: url('postgres') }, `create role guest login password '${PASSWORD}'`)
    match(await refusal({ url: url('postgres', 'guest') }), /may not create tables there/)
  })

  test('what the address itself sets cannot undo what is pinned', async () => {
    const { url } = await serverOf()
    await execute({ url: url('postgres') }, 'create database pinned')
    const options =
      '-c search_path=elsewhere -c work_mem=8MB -c default_transaction_isolation=serializable'
    const address = new URL(url('pinned'))
    address.searchParams.set('options', options)
    const { connect } = await openAgain({ url: address.href })
    const client = await connect('crawl_ledger_writer')
    const { rows } = await client.query<{ readonly settings: string }>(
      `select concat_ws(' / ', current_user, current_setting('search_path'), current_setting('work_mem'),
        current_setting('transaction_isolation')) as settings`,
    )
    equal(rows[0]?.settings, 'crawl_ledger_writer / public / 8MB / read committed')
  })

  test('the server of these tests goes away', async () => {
    await server?.remove()
  })
})

test('two ledgers in two databases of one server have nothing to do with each other', async () => {
  const [one, other] = [await testLedger(), await testLedger()]
  right(await one.ledger.append(RUN, appendOf('a', 0))())
  ok(E.isRight(await other.ledger.append(RUN, appendOf('a', 0))()))
  await one.close()
  await other.close()
})
