/** Who may run the embedded PostgreSQL: root where it is allowed more or less, and ordinary users. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmod, chown, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { openEmbedded } from '../../src/adapters/postgres/embedded/embedded.ts'
import { right } from '../support/either.ts'
import {
  dataDirOf,
  installation,
  pathForbidding,
  PLATFORM_PACKAGE,
} from '../support/embedded-account.ts'
import {
  clusterOf,
  command,
  type Command,
  isRoot,
  newDataDir,
  onLinux,
  postmasterPid,
  query,
} from '../support/embedded-server.ts'

const mayUnshare = (uid: number): boolean =>
  spawnSync('unshare', ['--user', '--map-user=1', 'true'], { uid, cwd: '/' }).status === 0

const asRoot = { skip: isRoot && onLinux ? (false as const) : 'needs root on Linux' }
const NOBODY = 65_534
const SOMEBODY = 54_321
const namespaced = (uid: number): { readonly skip: string | false } => ({
  skip: asRoot.skip === false && !mayUnshare(uid) ? 'needs user namespaces' : asRoot.skip,
})

const useAndLeave = async (one: Command): Promise<void> => {
  await one.said('open')
  one.process.stdin.end()
  await one.said('closed')
  await one.exited
}

const ownersIn = async (directory: string): Promise<ReadonlySet<number>> => {
  const names = await readdir(directory, { recursive: true })
  const stats = await Promise.all(names.map((name) => stat(join(directory, name))))
  return new Set([(await stat(directory)).uid, ...stats.map(({ uid }) => uid)])
}

test('root in a directory closed to others: the files stay its own', namespaced(0), async (t) => {
  const dataDir = await newDataDir(t)
  assert.equal((await stat(dirname(dataDir))).mode & 0o777, 0o700)
  await right(await openEmbedded(dataDir)()).close()
  assert.deepEqual(await ownersIn(dataDir), new Set([0]))
})

test('root without user namespaces, in a directory closed to others', asRoot, async (t) => {
  const dataDir = await newDataDir(t)
  const env = { ...process.env, PATH: await pathForbidding(t, ['unshare']) }
  await useAndLeave(command(t, [dataDir, 'hold'], { env }))
  assert.deepEqual(await ownersIn(clusterOf(dataDir)), new Set([NOBODY]))
  // With namespaces again: the cluster stays with its owner.
  const database = right(await openEmbedded(dataDir)())
  assert.deepEqual(await query(database, 'SELECT 1 AS n'), [{ n: 1 }])
  await database.close()
  assert.deepEqual(await ownersIn(clusterOf(dataDir)), new Set([NOBODY]))
})

test(
  'a cluster of root is handed over where namespaces became forbidden',
  namespaced(0),
  async (t) => {
    const dataDir = await newDataDir(t)
    const database = right(await openEmbedded(dataDir)())
    await query(database, 'CREATE TABLE kept AS SELECT 42 AS n')
    await database.close()
    const env = { ...process.env, PATH: await pathForbidding(t, ['unshare']) }
    await useAndLeave(command(t, [dataDir, 'hold'], { env }))
    const again = right(await openEmbedded(dataDir)())
    assert.deepEqual(await query(again, 'SELECT n FROM kept'), [{ n: 42 }])
    await again.close()
  },
)

test('root with neither namespaces nor capabilities to keep', asRoot, async (t) => {
  const { node, script, root } = await installation(t)
  const env = { ...process.env, PATH: await pathForbidding(t, ['unshare', 'setpriv']) }
  const closed = await newDataDir(t)
  const refused = command(t, [closed, 'hold'], { env, node, script })
  const line = await refused.said('unavailable')
  assert.match(line, /unshare: Operation not permitted \| setpriv: Operation not permitted \| /)
  assert.match(line, /run as an ordinary user, or set CRAWL_LEDGER_DATABASE_URL/)
  const open = join(root, 'data')
  const one = command(t, [open, 'hold'], { env, node, script })
  await one.said('unavailable')
  // The data directory itself is made closed; opened by hand it serves.
  await chmod(open, 0o711)
  await useAndLeave(command(t, [open, 'hold'], { env, node, script }))
  assert.deepEqual(await ownersIn(clusterOf(open)), new Set([NOBODY]))
})

test(
  'an ordinary user, with the library links made on first use or asked for',
  asRoot,
  async (t) => {
    const { node, script, nativeLibraries } = await installation(t)
    const dataDir = await dataDirOf(t, NOBODY)
    const user = { node, script, uid: NOBODY, gid: NOBODY, cwd: '/' }
    const refused = command(t, [dataDir, 'hold'], user)
    const line = await refused.said('unavailable')
    assert.match(line, /permission denied/)
    assert.ok(line.includes(`run: npm rebuild ${PLATFORM_PACKAGE}`), line)
    await chown(nativeLibraries, NOBODY, NOBODY)
    await useAndLeave(command(t, [dataDir, 'hold'], user))
    assert.deepEqual(await ownersIn(dataDir), new Set([NOBODY]))
  },
)

test(
  'root beside an ordinary user: one server, and nothing the user cannot open',
  asRoot,
  async (t) => {
    const { node, script, nativeLibraries } = await installation(t)
    await chown(nativeLibraries, NOBODY, NOBODY)
    const dataDir = await dataDirOf(t, NOBODY)
    const user = { node, script, uid: NOBODY, gid: NOBODY, cwd: '/' }
    await useAndLeave(command(t, [dataDir, 'hold'], user))
    const started = right(await openEmbedded(dataDir)())
    const shared = command(t, [dataDir, 'hold'], user)
    await shared.said('open')
    await started.close()
    shared.process.stdin.end()
    await shared.said('closed')
    assert.equal(await postmasterPid(dataDir), undefined)
    assert.deepEqual(await ownersIn(dataDir), new Set([NOBODY]))
  },
)

test('an account without a name', namespaced(SOMEBODY), async (t) => {
  const { node, script, nativeLibraries } = await installation(t)
  await chown(nativeLibraries, SOMEBODY, SOMEBODY)
  const dataDir = await dataDirOf(t, SOMEBODY)
  const user = { node, script, uid: SOMEBODY, gid: SOMEBODY, cwd: '/' }
  await useAndLeave(command(t, [dataDir, 'hold'], user))
  await useAndLeave(command(t, [dataDir, 'hold'], user))
  assert.deepEqual(await ownersIn(dataDir), new Set([SOMEBODY]))
})

test('a cluster of another user is refused with a plain word', asRoot, async (t) => {
  const { node, script, nativeLibraries } = await installation(t)
  await chown(nativeLibraries, SOMEBODY, SOMEBODY)
  const dataDir = await newDataDir(t)
  await right(await openEmbedded(dataDir)()).close()
  await chmod(dirname(dataDir), 0o755)
  const user = { node, script, uid: SOMEBODY, gid: SOMEBODY, cwd: '/' }
  const closed = command(t, [dataDir, 'hold'], user)
  const line = await closed.said('unavailable')
  assert.match(line, /permission denied/)
  assert.match(line, /run as the user the directory belongs to/)
})
