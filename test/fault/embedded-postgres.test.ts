/**
 * kill -9 of any part of the embedded PostgreSQL at any moment, full disks and missing permissions.
 * `KILL_ROUNDS` (12) and `KILL_SEED` make a longer or a repeated campaign.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import {
  type EmbeddedDatabase,
  openEmbedded,
} from '../../src/adapters/postgres/embedded/embedded.ts'
import { serverProcesses } from '../../src/adapters/postgres/embedded/process.ts'
import { left, right } from '../support/either.ts'
import {
  clusterOf,
  command,
  isRoot,
  kill,
  killServer,
  newDataDir,
  onLinux,
  postmasterPid,
  query,
} from '../support/embedded-server.ts'

const rounds = Number(process.env['KILL_ROUNDS'] ?? 12)
const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000)
const onlyLinux = { skip: onLinux ? false : 'needs /proc' }

/** Park and Miller's generator: numbers from 0 to 1, the same for the same seed. */
const randomFrom = (seed: number): (() => number) => {
  let state = (seed % 2_147_483_646) + 1
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
}

const shuffled = <A>(items: readonly A[], random: () => number): readonly A[] =>
  items
    .map((item) => ({ item, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item)

const createTable = async (dataDir: string): Promise<void> => {
  const database = right(await openEmbedded(dataDir)())
  await query(database, 'CREATE TABLE written (name text, n integer, PRIMARY KEY (name, n))')
  await database.close()
}

/** Every acknowledged row is there; more may be, whose acknowledgement was lost. */
const assertKept = async (
  database: EmbeddedDatabase,
  acknowledged: ReadonlyMap<string, number>,
): Promise<void> => {
  const rows = await query<{ name: string; rows: number; last: number }>(
    database,
    'SELECT name, count(*)::int AS rows, max(n) AS last FROM written GROUP BY name',
  )
  const found = new Map(rows.map((row) => [row.name, row]))
  for (const [name, last] of acknowledged) {
    const row = found.get(name)
    assert.ok(row !== undefined && row.last >= last, `${name}: ${last} rows acknowledged, not kept`)
    assert.equal(row.rows, row.last, `${name}: a row is missing in between`)
  }
}

test(
  `kill -9 of everything in any order, ${rounds} rounds, KILL_SEED=${seed}`,
  onlyLinux,
  async (t) => {
    const dataDir = await newDataDir(t)
    const random = randomFrom(seed)
    const acknowledged = new Map<string, number>()
    await createTable(dataDir)
    for (let round = 0; round < rounds; round += 1) {
      const names = [`${round}a`, `${round}b`]
      const writers = names.map((name) => command(t, [dataDir, 'write', name]))
      for (const writer of writers) await writer.said('acknowledged')
      await sleep(random() * 150)
      const clients = writers.map((writer) => writer.process.pid ?? 0)
      const victims = [...(await serverProcesses(clusterOf(dataDir))), ...clients]
      for (const pid of shuffled(victims, random)) {
        kill(pid)
        if (random() < 0.3) await sleep(random() * 10)
      }
      // The next command may come while some of the dead are not yet gone.
      const database = right(await openEmbedded(dataDir)())
      await Promise.all(writers.map((writer) => writer.exited))
      for (const [index, name] of names.entries())
        acknowledged.set(
          name,
          (writers[index]?.lines ?? []).filter((line) => line.startsWith('acknowledged')).length,
        )
      await assertKept(database, acknowledged)
      await database.close()
      assert.equal(await postmasterPid(dataDir), undefined)
    }
    assert.ok([...acknowledged.values()].every((n) => n > 0))
  },
)

test(
  'six processes opening at once after everything was killed get one server',
  onlyLinux,
  async (t) => {
    const dataDir = await newDataDir(t)
    await createTable(dataDir)
    for (let round = 0; round < 3; round += 1) {
      const writer = command(t, [dataDir, 'write', `${round}`])
      await writer.said('acknowledged')
      kill(writer.process.pid ?? 0)
      await killServer(dataDir)
      const commands = Array.from({ length: 6 }, () => command(t, [dataDir, 'hold']))
      await Promise.all(commands.map((one) => one.said('open')))
      const postmasters = await Promise.all(
        (await serverProcesses(clusterOf(dataDir))).map(async (pid) =>
          (await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes('\0-D\0'),
        ),
      )
      assert.equal(postmasters.filter(Boolean).length, 1)
      for (const one of commands) one.process.stdin.end()
      await Promise.all(commands.map((one) => one.exited))
      assert.equal(await postmasterPid(dataDir), undefined)
    }
  },
)

test(
  'a creation killed at any moment neither blocks the next nor leaves anything',
  onlyLinux,
  async (t) => {
    const random = randomFrom(seed)
    for (let round = 0; round < 6; round += 1) {
      const dataDir = await newDataDir(t)
      const creator = command(t, [dataDir, 'hold'])
      await sleep(100 + random() * 900)
      assert.ok(creator.process.pid !== undefined)
      // With its group initdb dies too; alone, initdb goes on for a while.
      kill(round % 2 === 0 ? -creator.process.pid : creator.process.pid)
      const database = right(await openEmbedded(dataDir)())
      assert.deepEqual(await query(database, 'SELECT 1 AS n'), [{ n: 1 }])
      await database.close()
      await creator.exited
      // What an initdb without a starter wrote meanwhile goes at the next start.
      await sleep(300)
      await right(await openEmbedded(dataDir)()).close()
      assert.deepEqual((await readdir(dataDir)).sort(), [
        'postgres',
        'postgres.lock',
        'postgres.log',
      ])
    }
  },
)

test('a process number that now belongs to another program does not block the start', async (t) => {
  const dataDir = await newDataDir(t)
  await right(await openEmbedded(dataDir)()).close()
  const cluster = clusterOf(dataDir)
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  t.after(() => other.kill('SIGKILL'))
  await writeFile(
    join(cluster, 'postmaster.pid'),
    `${other.pid}\n${cluster}\n1700000000\n5432\n${cluster}\n\n 1 1\nready   \n`,
  )
  await writeFile(join(cluster, '.s.PGSQL.5432.lock'), `${other.pid}\n${cluster}\n`)
  await right(await openEmbedded(dataDir)()).close()
  assert.equal(other.exitCode, null)
})

test('a half-written postmaster.pid does not block the start', async (t) => {
  const dataDir = await newDataDir(t)
  await right(await openEmbedded(dataDir)()).close()
  for (const content of ['', '123', '123\n/some']) {
    await writeFile(join(clusterOf(dataDir), 'postmaster.pid'), content)
    await right(await openEmbedded(dataDir)()).close()
  }
})

test(
  'a server process that outlives its postmaster and never waits is told to end',
  onlyLinux,
  async (t) => {
    const dataDir = await newDataDir(t)
    const database = right(await openEmbedded(dataDir)())
    const client = new Client(database.connection)
    client.on('error', () => undefined)
    await client.connect()
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    const orphan = rows[0]?.pid ?? 0
    const endless = client.query('DO $$ BEGIN LOOP END LOOP; END $$').catch(() => undefined)
    await sleep(50)
    kill((await postmasterPid(dataDir)) ?? 0)
    await sleep(100)
    assert.deepEqual(await serverProcesses(clusterOf(dataDir)), [orphan])
    const again = right(await openEmbedded(dataDir)())
    assert.ok(!(await serverProcesses(clusterOf(dataDir))).includes(orphan))
    assert.deepEqual(await query(again, 'SELECT 1 AS n'), [{ n: 1 }])
    await endless
    await again.close()
    await database.close()
  },
)

test('a presence cut by a crash is taken up again', { timeout: 120_000 }, async (t) => {
  const dataDir = await newDataDir(t)
  const stays = right(await openEmbedded(dataDir)())
  const pid = await postmasterPid(dataDir)
  const presences = async (): Promise<readonly { pid: number }[]> =>
    query(stays, `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted`)
  const [presence] = await presences()
  kill(presence?.pid ?? 0)
  let found: readonly { pid: number }[] = []
  while (found.length === 0 || found[0]?.pid === presence?.pid) {
    await sleep(20)
    found = await presences().catch(() => [])
  }
  await right(await openEmbedded(dataDir)()).close()
  assert.equal(await postmasterPid(dataDir), pid)
  await stays.close()
  assert.equal(await postmasterPid(dataDir), undefined)
})

test('closing after the server was killed returns', async (t) => {
  const dataDir = await newDataDir(t)
  const database = right(await openEmbedded(dataDir)())
  await killServer(dataDir)
  await database.close()
})

test(
  'a full disk: what, where and what to do',
  { skip: isRoot && onLinux ? false : 'needs root on Linux' },
  async (t) => {
    const parent = await newDataDir(t)
    await mkdir(parent)
    // The small file system stands in a mount namespace of its own and vanishes with the command.
    const run = async (script: string): Promise<readonly string[]> => {
      const child = command(
        t,
        [
          '--mount',
          '--',
          '/bin/sh',
          '-c',
          script,
          'sh',
          parent,
          process.execPath,
          EMBEDDED_COMMAND,
        ],
        { node: 'unshare', script: '--fork' },
      )
      child.process.stdin.end()
      await child.exited
      return child.lines
    }
    const [line = '', ...more] = await run(
      'mount -t tmpfs -o size=12m none "$1" && "$2" "$3" "$1/data" hold; ls -A "$1/data"',
    )
    assert.match(
      line,
      /^unavailable a database cannot be created in .*\/data: .*No space left on device; free some space there, or set CRAWL_LEDGER_DATABASE_URL to a PostgreSQL server/,
    )
    assert.deepEqual(more, ['postgres.lock'])
    const lines = await run(
      'mount -t tmpfs -o size=80m none "$1" && "$2" "$3" "$1/data" hold && (cat /dev/zero > "$1/fill"; "$2" "$3" "$1/data" hold; rm "$1/fill"; "$2" "$3" "$1/data" hold)',
    )
    const [opened, closed, refused = '', ...after] = lines.filter(
      (text) => !text.startsWith('stderr'),
    )
    assert.deepEqual([opened, closed], ['open', 'closed'])
    assert.match(
      refused,
      /^unavailable the embedded PostgreSQL in .*: .*No space left on device; free some space there, or/,
    )
    assert.deepEqual(after, ['open', 'closed'])
  },
)

test('a data directory that cannot be written: what, where and what to do', async (t) => {
  const dataDir = await newDataDir(t)
  await mkdir(dataDir)
  const file = join(dataDir, 'file')
  await writeFile(file, '')
  const { because } = left(await openEmbedded(join(file, 'data'))())
  assert.match(because, /^the embedded PostgreSQL cannot be opened in .*\/data: ENOTDIR: /)
  assert.ok(!because.includes('\n'))
  if (isRoot) return
  const closed = join(dataDir, 'closed')
  await mkdir(closed)
  await chmod(closed, 0o500)
  assert.match(left(await openEmbedded(closed)()).because, /EACCES.*give this user access/)
})

const EMBEDDED_COMMAND = join(dirname(import.meta.dirname), 'support', 'embedded-command.ts')
