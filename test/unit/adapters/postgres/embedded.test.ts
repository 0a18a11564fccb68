import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Account,
  accountsToTry,
  nobodyOf,
  type Self,
} from '../../../../src/adapters/postgres/embedded/account.ts'
import {
  complaint,
  ofSystemError,
  unavailable,
} from '../../../../src/adapters/postgres/embedded/failure.ts'
import { parsePostmasterFile } from '../../../../src/adapters/postgres/embedded/postmaster.ts'
import { serverArguments } from '../../../../src/adapters/postgres/embedded/settings.ts'
import { socketDirectoryFor, socketIn } from '../../../../src/adapters/postgres/embedded/socket.ts'

const NOBODY = { uid: 65_534, gid: 65_533 }
const root: Self = { uid: 0, gid: 0, named: true, nobody: NOBODY }
const user: Self = { uid: 1_000, gid: 1_001, named: true, nobody: NOBODY }

const shown = (accounts: readonly Account[]): readonly string[] =>
  accounts.map((account) => {
    const { file, ids } = account.command('postgres', [])
    return `${account.uid} by ${file}${ids.uid === undefined ? '' : ` as ${ids.uid}:${ids.gid}`}`
  })

test('root prefers a namespace, in which files stay its own, then another account', () => {
  const all = ['0 by unshare', '65534 by setpriv', '65534 by postgres as 65534:65533']
  assert.deepEqual(shown(accountsToTry(root, undefined)), all)
  assert.deepEqual(shown(accountsToTry(root, { uid: 0, gid: 0 })), all)
})

test('root runs the cluster of a user as that user', () => {
  assert.deepEqual(shown(accountsToTry(root, { uid: 7, gid: 8 })), [
    '7 by setpriv',
    '7 by postgres as 7:8',
  ])
})

test('an ordinary user runs its own cluster as itself and nobody else’s', () => {
  assert.deepEqual(shown(accountsToTry(user, undefined)), ['1000 by postgres'])
  assert.deepEqual(shown(accountsToTry(user, { uid: 1_000, gid: 1 })), ['1000 by postgres'])
  assert.deepEqual(accountsToTry(user, { uid: 0, gid: 0 }), [])
})

test('a user without a name needs one for initdb only', () => {
  const unnamed = { ...user, named: false }
  assert.deepEqual(shown(accountsToTry(unnamed, undefined)), ['1000 by unshare'])
  assert.deepEqual(shown(accountsToTry(unnamed, { uid: 1_000, gid: 1 })), ['1000 by postgres'])
})

test('nobody is found in the passwd file, on macOS as minus two', () => {
  assert.deepEqual(nobodyOf('root:x:0:0::/:/bin/sh\nnobody:x:99:98:Nobody:/:/bin/false\n'), {
    uid: 99,
    gid: 98,
  })
  assert.deepEqual(nobodyOf('nobody:*:-2:-2:Unprivileged User:/var/empty:/usr/bin/false'), {
    uid: 4_294_967_294,
    gid: 4_294_967_294,
  })
  assert.deepEqual(nobodyOf('notnobody:x:1:1::/:'), { uid: 65_534, gid: 65_534 })
})

const FILE = '42\n/data/postgres\n1700000000\n5432\n/data/postgres\n\n  1 1\nready   \n'

test('postmaster.pid tells the process and its socket', () => {
  assert.deepEqual(parsePostmasterFile(FILE), {
    pid: 42,
    port: 5_432,
    socketDirectory: '/data/postgres',
  })
})

test('postmaster.pid cut anywhere before the end of the socket directory tells nothing', () => {
  const needed = FILE.indexOf('\n\n')
  for (let length = 0; length <= needed; length += 1)
    assert.equal(parsePostmasterFile(FILE.slice(0, length)), undefined, FILE.slice(0, length))
  assert.ok(parsePostmasterFile(FILE.slice(0, needed + 1)) !== undefined)
})

test('postmaster.pid with anything else in it tells nothing', () => {
  const wrong = ['-42', '0', '42x', '']
  for (const pid of wrong) assert.equal(parsePostmasterFile(FILE.replace('42', pid)), undefined)
  assert.equal(parsePostmasterFile(FILE.replace('5432', 'port')), undefined)
  assert.equal(parsePostmasterFile(FILE.replaceAll('/data/postgres', '@abstract')), undefined)
})

test('the socket stands in the cluster while its name fits in 107 bytes', () => {
  const socketName = socketIn('').length + 1
  const limit = process.platform === 'linux' ? 107 : 103
  const fits = `/${'d'.repeat(limit - socketName - 1)}`
  assert.equal(Buffer.byteLength(socketIn(fits)), limit)
  assert.equal(socketDirectoryFor(fits, 1, '/tmp'), fits)
  assert.match(socketDirectoryFor(`${fits}d`, 1, '/tmp'), /^\/tmp\/crawl-ledger-[0-9a-f]{20}$/)
  // Bytes count, not characters.
  assert.match(socketDirectoryFor(fits.replace('dd', 'éé'), 1, '/tmp'), /^\/tmp\/crawl-ledger-/)
})

test('another place for the socket is one per cluster and owner, and short as well', () => {
  const long = `/${'d'.repeat(200)}`
  const place = socketDirectoryFor(long, 1, '/var/tmp')
  assert.match(place, /^\/var\/tmp\//)
  assert.equal(socketDirectoryFor(long, 1, '/var/tmp'), place)
  assert.notEqual(socketDirectoryFor(long, 2, '/var/tmp'), place)
  assert.notEqual(socketDirectoryFor(`${long}e`, 1, '/var/tmp'), place)
  assert.match(socketDirectoryFor(long, 1, long), /^\/tmp\/crawl-ledger-/)
})

test('a directory with a comma or a quote stays one item of the setting', () => {
  const args = serverArguments('/a', '/a, "b"')
  assert.ok(args.includes('unix_socket_directories="/a, ""b"""'))
})

test('the first complaint of a program is what counts', () => {
  const log = [
    '2026-11-30 02:30:00.000 UTC [42] LOG:  starting',
    '2026-11-30 02:30:00.001 UTC [42] FATAL:  could not write lock file: No space left on device',
    '2026-11-30 02:30:00.002 UTC [42] FATAL:  second',
  ].join('\n')
  assert.equal(complaint(log), 'could not write lock file: No space left on device')
  assert.equal(
    complaint('creating …\ninitdb: error: could not create: x\n'),
    'initdb: error: could not create: x',
  )
  assert.equal(complaint('one\ntwo\n\n'), 'two')
  assert.equal(complaint(''), 'it said nothing')
})

test('a refusal is one line with the reason and what to do', () => {
  const url = 'set CRAWL_LEDGER_DATABASE_URL to a PostgreSQL server (15 or newer)'
  const because = (reason: string, advice?: string): string =>
    unavailable('no database in /d', reason, advice).because
  assert.equal(because('odd\n\n  thing'), `no database in /d: odd thing; ${url}`)
  assert.equal(because('odd', 'do it'), `no database in /d: odd; do it, or ${url}`)
  const advised: readonly (readonly [string, RegExp])[] = [
    ['No space left on device', /free some space there/],
    ['EROFS: read-only file system', /can be written/],
    ['EACCES: permission denied', /run as the user the directory belongs to/],
    ['could not create shared memory segment: Cannot allocate memory', /more memory/],
    ['lock file "postmaster.pid" already exists', /end the PostgreSQL processes/],
  ]
  for (const [reason, advice] of advised) assert.match(because(reason), advice)
  assert.ok(because('x'.repeat(5_000)).length < 700)
})

test('only the operating system’s own refusals become refusals: a bug stays a bug', () => {
  const system = Object.assign(new Error('ENOSPC: no space left on device, mkdir'), {
    code: 'ENOSPC',
    syscall: 'mkdir',
  })
  assert.match(ofSystemError('here', system)?.because ?? '', /^here: ENOSPC.*free some space/)
  assert.equal(ofSystemError('here', new TypeError('x is not a function')), undefined)
  assert.equal(ofSystemError('here', 'text'), undefined)
})
