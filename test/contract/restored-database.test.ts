/** A ledger on a server, dumped and restored on another: docs/operating.md, Backup and restore. */
import { deepEqual, equal, match, rejects } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { memoryBodyStore } from '../../src/adapters/memory/bodies.ts'
import { postgresLedger } from '../../src/adapters/postgres/ledger.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { instant } from '../../src/kernel/instant.ts'
import { Halt } from '../../src/shell/halt.ts'
import { sealer } from '../../src/shell/tlog/seal.ts'
import { verify } from '../../src/shell/tlog/verify.ts'
import { execute, openAgain } from '../support/database.ts'
import { right } from '../support/either.ts'
import { appendOf, RUN } from '../support/ledgers.ts'
import {
  debianPrograms,
  embeddedPrograms,
  type Programs,
  startServer,
} from '../support/postgres-server.ts'
import { openLog, ORIGIN, tlogPorts } from '../support/sealing.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const [debian] = debianPrograms()
const client = debian === undefined ? '' : dirname(debian.initdb)
const NO_PG_DUMP =
  'NO pg_dump HERE: restoring on another server was not tested (Debian: postgresql)'

const server = async (programs: Programs) => {
  const started = await startServer(programs)
  after(started.remove)
  return started
}

const run = promisify(execFile)

/** The commands of docs/operating.md. */
const dump = (url: string, file: string) =>
  run(join(client, 'pg_dump'), [
    '--format=custom',
    '--no-owner',
    '--no-privileges',
    '--exclude-schema=projection',
    `--file=${file}`,
    url,
  ])
const restore = (file: string, url: string) =>
  run(join(client, 'pg_restore'), [
    '--no-owner',
    '--no-privileges',
    '--exit-on-error',
    `--dbname=${url}`,
    file,
  ])

/** A ledger at a database, with the keys and the last-signed store of `data`. */
const ledgerAt = async (url: string, data: string) => {
  const settings = { url }
  const database = await openAgain(settings)
  const ledger = right(await postgresLedger(database, systemClock())())
  const tlog = tlogPorts(database, data)
  const ports = { ...tlog, ledger, bodies: memoryBodyStore(randomBytes) }
  const verified = () =>
    verify(ports, {
      full: true,
      now: instant(0),
      stop: new AbortController().signal,
      progress: () => undefined,
    })
  return { settings, database, ledger, ports, seal: sealer(ports), verified, close: ledger.close }
}

const targets = [
  ['another server of Debian’s PostgreSQL', () => Promise.resolve(debian ?? embeddedPrograms())],
  ['a server of the newest PostgreSQL', embeddedPrograms],
] as const

for (const [where, programs] of targets)
  test(
    `restored on ${where}, a ledger verifies, refuses rewriting and goes on; an older backup is refused`,
    { skip: debian === undefined ? NO_PG_DUMP : false },
    async (t) => {
      const data = await temporaryDirectory(t)
      const [old, new_] = [
        await server(debian ?? (await programs())),
        await server(await programs()),
      ]
      for (const at of [old, new_])
        await execute({ url: at.url('postgres') }, 'create database ledger')
      const before = await ledgerAt(old.url('ledger'), data)
      await openLog(before.ledger)
      right(await before.ledger.append(RUN, appendOf('a', 0, 'a1', 'a2', 'a3'))())
      await before.seal()
      await dump(old.url('ledger'), join(data, 'older'))
      right(await before.ledger.append(RUN, appendOf('a', 3, 'a4', 'ä5'))())
      await before.seal()
      await dump(old.url('ledger'), join(data, 'newest'))
      const stored = right(await before.ports.tree.stored(0, 100)())
      await before.close()

      await restore(join(data, 'newest'), new_.url('ledger'))
      const restored = await ledgerAt(new_.url('ledger'), data)
      deepEqual(right(await restored.ports.tree.stored(0, 100)()), stored)
      const { ok, to, heads, lastSigned } = await restored.verified()
      deepEqual([ok, to, heads, lastSigned], [true, 6, 2, 'agrees'])
      for (const statement of ['delete from event', 'update head set size = 9', 'truncate event'])
        await rejects(execute(restored.settings, statement), /append-only/)
      right(await restored.ledger.append(RUN, appendOf('a', 5, 'a6'))())
      const sealed = await restored.seal()
      equal(sealed.tag, 'Sealed')
      equal((await restored.verified()).ok, true)
      // Projections are not in the backup: they are made again.
      const projector = await restored.database.connect('crawl_ledger_projector')
      await projector.query('create table projection.one (); drop table projection.one')
      await projector.end()
      await restored.close()

      await execute({ url: new_.url('postgres') }, 'create database older')
      await restore(join(data, 'older'), new_.url('older'))
      const older = await ledgerAt(new_.url('older'), data)
      await older.seal().then(
        () => Promise.reject(new Error(`${ORIGIN} was signed behind its newest head`)),
        (error: unknown) => {
          match(
            error instanceof Halt ? error.message : String(error),
            /position 5: .*signed a head of 7 entries, and the database holds 4/,
          )
        },
      )
      await older.close()
    },
  )
