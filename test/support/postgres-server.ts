/**
 * A PostgreSQL server of a test's own that listens on 127.0.0.1 and asks for a password, as a
 * server somewhere else would. It can be stopped, killed and started again.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { present } from '../../src/kernel/assert.ts'
import {
  type Account,
  accountsToTry,
  currentSelf,
  findAccount,
} from '../../src/adapters/postgres/embedded/account.ts'
import { findBinaries } from '../../src/adapters/postgres/embedded/binaries.ts'
import { right } from './either.ts'

export type Programs = { readonly initdb: string; readonly postgres: string }

/** The programs of the embedded server's package. */
export const embeddedPrograms = async (): Promise<Programs> => right(await findBinaries())

/** PostgreSQL as Debian installs it, oldest first; 15 is the oldest the ledger works with. */
export const debianPrograms = (): readonly (Programs & { readonly major: number })[] => {
  const root = '/usr/lib/postgresql'
  const majors = existsSync(root) ? readdirSync(root).map(Number) : []
  return majors
    .filter((major) => major >= 15 && existsSync(`${root}/${major}/bin/initdb`))
    .sort((a, b) => a - b)
    .map((major) => {
      const bin = `${root}/${major}/bin`
      return { major, initdb: `${bin}/initdb`, postgres: `${bin}/postgres` }
    })
}

export type Server = {
  /** The address of one of its databases, as the superuser or as `user`, all with one password. */
  readonly url: (database: string, user?: string) => string
  readonly start: () => Promise<void>
  /** SIGINT: orderly. SIGQUIT: as after a crash. */
  readonly stop: (signal: 'SIGINT' | 'SIGQUIT') => Promise<void>
  /** Stops it and removes its files. */
  readonly remove: () => Promise<void>
}

export const PASSWORD = 's3cret-of-the-test'
const SUPERUSER = 'admin'

const accountFor = async (directory: string, postgres: string): Promise<Account> => {
  const self = present(await currentSelf(), 'an account')
  return right(await findAccount(directory, postgres, accountsToTry(self, undefined))).account
}

/** The kernel ends the server with this process, however it ends. */
const dyingWithUs = (args: readonly string[]): readonly string[] =>
  spawnSync('setpriv', ['--help']).error === undefined
    ? ['setpriv', '--pdeathsig', 'INT', '--', ...args]
    : args

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  server.close()
  return address.port
}

const answers = async (url: string): Promise<boolean> => {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  )
}

const create = async (directory: string, programs: Programs, account: Account): Promise<void> => {
  const passwordFile = join(directory, 'password')
  await writeFile(passwordFile, PASSWORD)
  const options = ['-U', SUPERUSER, '-A', 'scram-sha-256', '--pwfile', passwordFile, '-E', 'UTF8']
  const { file, args, ids } = account.command(programs.initdb, [
    '-D',
    join(directory, 'data'),
    '--locale=C',
    '--no-instructions',
    ...options,
  ])
  await promisify(execFile)(file, [...args], { ...ids, cwd: '/' })
}

export const startServer = async (
  programs: Programs,
  settings: readonly string[] = [],
  parent = tmpdir(),
): Promise<Server> => {
  const directory = await realpath(await mkdtemp(join(parent, 'ledger-server-')))
  const account = await accountFor(directory, programs.postgres)
  await create(directory, programs, account)
  const port = await freePort()
  const url = (database: string, user = SUPERUSER): string =>
    `postgresql://${user}:${PASSWORD}@127.0.0.1:${port}/${database}`
  let process_: ChildProcess | undefined
  const start = async (): Promise<void> => {
    const [first = '', ...rest] = dyingWithUs([programs.postgres, '-D', join(directory, 'data')])
    const listen = ['-c', `port=${port}`, '-c', 'listen_addresses=127.0.0.1']
    const local = ['-c', 'unix_socket_directories=', '-c', 'log_min_messages=panic']
    const own = settings.flatMap((setting) => ['-c', setting])
    const command = account.command(first, [...rest, ...listen, ...local, ...own])
    const child = spawn(command.file, [...command.args], {
      ...command.ids,
      cwd: '/',
      stdio: 'ignore',
    })
    process_ = child
    while (!(await answers(url('postgres')))) {
      assert.equal(child.exitCode, null, 'the server ended while it started')
      await sleep(20)
    }
  }
  const stop: Server['stop'] = async (signal) => {
    const child = process_
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
  const remove = async (): Promise<void> => {
    await stop('SIGQUIT')
    await rm(directory, { recursive: true, force: true, maxRetries: 5 })
  }
  await start()
  return { url, start, stop, remove }
}
