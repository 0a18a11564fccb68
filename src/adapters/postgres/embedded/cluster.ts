/** The files of the cluster, made as a whole or not at all. */
import { execFile } from 'node:child_process'
import { chown, lstat, mkdtemp, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { E, type Either } from '../../../kernel/fp.ts'
import type { Unavailable } from '../../../ledger/port.ts'
import type { Account } from './account.ts'
import type { Binaries } from './binaries.ts'
import { complaint, systemCode, unavailable } from './failure.ts'
import { initdbArguments, LEDGER_DATABASE, singleUserArguments } from './settings.ts'

const UNFINISHED = 'postgres.unfinished-'

/** The major version the cluster was made by; undefined if there is none yet. */
export const clusterMajor = async (cluster: string): Promise<string | undefined> => {
  try {
    return (await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}

export const clusterOwner = async (
  cluster: string,
): Promise<{ readonly uid: number; readonly gid: number }> => {
  const { uid, gid } = await lstat(cluster)
  return { uid, gid }
}

/**
 * Creates the cluster with the ledger's empty database beside its place and renames it into it: a
 * kill at any moment leaves either no cluster or a whole one. Call it only under the start lock.
 */
export const createCluster = async (
  cluster: string,
  binaries: Binaries,
  account: Account,
): Promise<Unavailable | undefined> => {
  const unfinished = await mkdtemp(join(dirname(cluster), UNFINISHED))
  const failure = await fill(unfinished, binaries, account)
  if (failure !== undefined) {
    await removeTree(unfinished)
    return unavailable(`a database cannot be created in ${dirname(cluster)}`, failure)
  }
  try {
    await rename(unfinished, cluster)
  } catch (error) {
    if (!OCCUPIED.has(systemCode(error) ?? '')) throw error
    const what = `a database cannot be created at ${cluster}`
    return unavailable(what, 'something else stands there', 'move it away')
  }
  await syncDirectory(dirname(cluster))
  return undefined
}

const OCCUPIED = new Set(['ENOTEMPTY', 'EEXIST', 'ENOTDIR'])

/**
 * Removes what creations that were killed left behind. An initdb that outlived its starter may
 * still write there: what cannot be removed now is removed before another start.
 */
export const removeUnfinished = async (cluster: string): Promise<void> => {
  const parent = dirname(cluster)
  for (const name of await readdir(parent))
    if (name.startsWith(UNFINISHED)) await removeTree(join(parent, name)).catch(() => undefined)
}

const removeTree = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 3 })

/** Answers the complaint, if any. */
const fill = async (
  directory: string,
  binaries: Binaries,
  account: Account,
): Promise<string | undefined> => {
  if (process.getuid?.() !== account.uid) await chown(directory, account.uid, account.gid)
  const made = await run(account, binaries.initdb, initdbArguments(directory))
  if (E.isLeft(made)) return made.left
  const statement = `CREATE DATABASE ${LEDGER_DATABASE}\n`
  const named = await run(account, binaries.postgres, singleUserArguments(directory), statement)
  return E.isLeft(named) ? named.left : undefined
}

const run = (
  account: Account,
  program: string,
  args: readonly string[],
  input = '',
): Promise<Either<string, void>> =>
  new Promise((resolve) => {
    const command = account.command(program, args)
    const options = {
      ...command.ids,
      cwd: '/',
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
      maxBuffer: 1_000_000,
    }
    const child = execFile(command.file, [...command.args], options, (error, out, err) => {
      if (error === null) resolve(E.right(undefined))
      else resolve(E.left(complaint(err === '' ? `${out}\n${error.message}` : err)))
    })
    // A program that ended early closes the pipe: its exit is what counts.
    child.stdin?.on('error', () => undefined).end(input)
  })

const syncDirectory = async (directory: string): Promise<void> => {
  const handle = await open(directory)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Gives all files of the cluster to `account`; only root can, and only its own are given away. */
export const handOver = async (cluster: string, account: Account): Promise<void> => {
  for (const entry of await readdir(cluster, { recursive: true, withFileTypes: true }))
    await chown(join(entry.parentPath, entry.name), account.uid, account.gid)
  await chown(cluster, account.uid, account.gid)
}
