/** The body store when processes die, disks fill and directories are not what they should be. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileBodyStore } from '../../src/adapters/bodies/files.ts'
import { commitTo, SALT_BYTES } from '../../src/capture/commitment.ts'
import { Digest } from '../../src/kernel/digest.ts'
import { left, right } from '../support/either.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const WRITER = join(import.meta.dirname, '../support/body-writer.ts')

const filesUnder = async (directory: string): Promise<readonly string[]> => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

test('kill -9: what put has answered is there; no half file bears a commitment; leftovers go', async (context) => {
  const directory = await temporaryDirectory(context)
  for (const delayMs of [120, 150, 190, 240]) {
    const writer = spawn(process.execPath, [WRITER, directory])
    let printed = ''
    writer.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    await once(writer.stdout, 'data')
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    writer.kill('SIGKILL')
    await once(writer, 'close')
    const store = right(await fileBodyStore(directory, randomBytes)())
    const commits = printed.split('\n').slice(0, -1)
    assert.ok(commits.length > 0)
    for (const commit of commits) {
      assert.ok(Digest.is(commit), commit)
      assert.equal(right(await store.get(commit)()).length, 200_000)
    }
    assert.deepEqual(await readdir(join(directory, 'incoming')), [])
  }
  for (const file of await filesUnder(directory)) {
    const stored = await readFile(file)
    const commit = commitTo(stored.subarray(SALT_BYTES), stored.subarray(0, SALT_BYTES))
    assert.ok(file.endsWith(`/${commit}`), file)
  }
})

test('leftovers: those of the dead and the very old go, those of the living stay', async (context) => {
  const directory = await temporaryDirectory(context)
  const incoming = join(directory, 'incoming')
  await mkdir(incoming)
  const dead = spawnSync(process.execPath, ['--version']).pid
  const names = { dead: `${dead}-a`, living: `${process.pid}-b`, old: `${process.pid}-c` }
  for (const name of Object.values(names)) await writeFile(join(incoming, name), 'half')
  const longAgo = Date.now() / 1_000 - 2 * 3_600
  await utimes(join(incoming, names.old), longAgo, longAgo)
  right(await fileBodyStore(directory, randomBytes)())
  assert.deepEqual(await readdir(incoming), [names.living])
})

test('bodies are private: files 0600, directories 0700, and nothing but the body is left', async (context) => {
  const directory = join(await temporaryDirectory(context), 'data', 'bodies')
  const store = right(await fileBodyStore(directory, randomBytes)())
  const commit = right(await store.put(Buffer.from('private'))())
  const shelf = join(directory, commit.slice(0, 2), commit.slice(2, 4))
  assert.deepEqual(await filesUnder(directory), [join(shelf, commit)])
  const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)
  assert.equal(await modeOf(join(shelf, commit)), '600')
  for (const made of [directory, join(directory, 'incoming'), shelf])
    assert.equal(await modeOf(made), '700')
})

test('a file that cannot grow is unavailable with a clear reason, and leaves nothing behind', async (context) => {
  const directory = await temporaryDirectory(context)
  const limited = `ulimit -f 64; exec "$0" "$@"`
  const run = spawnSync('sh', ['-c', limited, process.execPath, WRITER, directory, '1', '2000000'])
  assert.match(
    run.stdout.toString(),
    /^cannot keep a body of 2000000 bytes in .+: the file would be larger than allowed \(EFBIG\)\n$/,
  )
  assert.deepEqual(await filesUnder(directory), [])
})

test('a full disk is unavailable with a clear reason, and leaves nothing behind', async (context) => {
  const directory = await temporaryDirectory(context)
  const mount = 'mount -t tmpfs -o size=1m none "$2" && exec "$0" "$@"'
  const inside = ['--user', '--map-root-user', '--mount', 'sh', '-c', mount]
  const run = spawnSync('unshare', [...inside, process.execPath, WRITER, directory, '3', '600000'])
  if (run.status !== 0) return context.skip('a file system of our own cannot be mounted here')
  const [first = '', second, third] = run.stdout.toString().split('\n')
  assert.ok(Digest.is(first), first)
  assert.match(second ?? '', /no space left on the device \(ENOSPC\)$/)
  assert.equal(
    third,
    second,
    'the half file was removed: there is still no room, but no less either',
  )
})

test('what is in the way is said: a file instead of the directory, a directory instead of a body', async (context) => {
  const directory = await temporaryDirectory(context)
  const file = join(directory, 'file')
  await writeFile(file, '')
  const failure = left(await fileBodyStore(join(file, 'bodies'), randomBytes)())
  assert.equal(failure.tag, 'Unavailable')
  assert.match(failure.because, /cannot open the body store .+not a directory \(ENOTDIR\)/)
  const store = right(await fileBodyStore(directory, randomBytes)())
  const commit = commitTo(Buffer.from('x'), Buffer.alloc(SALT_BYTES))
  await mkdir(join(directory, commit.slice(0, 2), commit.slice(2, 4), commit), { recursive: true })
  assert.equal(left(await store.get(commit)()).tag, 'Unavailable')
})

/** The system calls of one `put`, in order, as words. */
const callsOf = (trace: string): readonly string[] =>
  trace.split('\n').flatMap((line) => {
    const call = /^(?:\d+ +)?(?:\[pid +\d+\] )?(fsync|rename|write)\((.*)/.exec(line)
    if (call === null) return []
    const [, name = '', rest = ''] = call
    if (name === 'rename') return ['rename']
    if (name === 'write') return /^1<[^>]*>, "[0-9a-f]{64}/.test(rest) ? ['answer'] : []
    return [rest.includes('/incoming/') ? 'fsync file' : 'fsync directory']
  })

test('durability: the file is synced before it gets its name, its directory before put answers', async (context) => {
  const directory = await temporaryDirectory(context)
  const trace = join(directory, 'trace')
  const options = ['-f', '-y', '-s', '100', '-e', 'trace=fsync,rename,write', '-o', trace]
  const bodies = join(directory, 'bodies')
  const run = spawnSync('strace', [...options, process.execPath, WRITER, bodies, '1', '100'])
  if (run.status !== 0) return context.skip('strace cannot be used here')
  const calls = callsOf(await readFile(trace, 'utf8'))
  const [file, rename, answer] = ['fsync file', 'rename', 'answer'].map((call) =>
    calls.indexOf(call),
  )
  assert.ok(file !== undefined && rename !== undefined && answer !== undefined)
  assert.ok(file >= 0 && file < rename, calls.join(', '))
  assert.ok(calls.slice(rename, answer).includes('fsync directory'), calls.join(', '))
  assert.ok(calls.slice(0, rename).filter((call) => call === 'fsync directory').length >= 3)
})
