/** One start of the server, under the start lock. */
import { access, chmod, chown, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { E, type Either } from '../../../kernel/fp.ts'
import type { Unavailable } from '../../../ledger/port.ts'
import { type Account, accountsToTry, currentSelf, findAccount } from './account.ts'
import { type Binaries, findBinaries } from './binaries.ts'
import { clusterMajor, clusterOwner, createCluster, handOver, removeUnfinished } from './cluster.ts'
import { complaint, unavailable } from './failure.ts'
import { openLog } from './log.ts'
import { ENDED_WELL, findPostmaster, launch } from './postmaster.ts'
import { clearTraces, outwaitRemains } from './remains.ts'
import { serverArguments } from './settings.ts'
import { makeSocketDirectory, socketDirectoryFor } from './socket.ts'
import { type StartLock, tryStartLock } from './start-lock.ts'

export type Start = {
  readonly ended: () => boolean
  /** After the end: what was wrong, or undefined if it is worth another try. */
  readonly failure: (elapsedMs: number) => Promise<Unavailable | undefined>
  /** Lets other processes start the server; the server itself goes on. */
  readonly release: () => void
}

/** Starts the server, creating it if there is none. Undefined if another process is at it. */
export const beginStart = async (
  cluster: string,
): Promise<Either<Unavailable, Start | undefined>> => {
  await access(dirname(cluster), constants.W_OK | constants.X_OK)
  const locked = tryStartLock(`${cluster}.lock`)
  if (E.isLeft(locked)) return locked
  if (locked.right === undefined) return E.right(undefined)
  const started = await startLocked(cluster, locked.right).catch((error: unknown) => {
    locked.right?.release()
    throw error
  })
  if (E.isLeft(started) || started.right === undefined) locked.right.release()
  return started
}

const startLocked = async (
  cluster: string,
  { release }: StartLock,
): Promise<Either<Unavailable, Start | undefined>> => {
  await giveToDirectoryOwner(`${cluster}.lock`)
  const remains = await outwait(cluster)
  if (remains !== undefined) return E.left(remains)
  // It may have been started since we looked.
  if ((await findPostmaster(cluster)) !== undefined) return E.right(undefined)
  const prepared = await prepare(cluster)
  if (E.isLeft(prepared)) return prepared
  const { account, binaries, socketDirectory } = prepared.right
  await clearTraces(cluster, socketDirectory)
  const log = await openLog(`${cluster}.log`)
  await giveToDirectoryOwner(`${cluster}.log`)
  const args = serverArguments(cluster, socketDirectory)
  const server = launch(account, binaries.postgres, args, log.handle)
  await log.handle.close()
  return E.right({
    ended: () => server.ended() !== undefined,
    failure: async (elapsedMs) =>
      failureOf(cluster, `${await log.added()}\n${server.ended()}`, elapsedMs),
    release,
  })
}

type Prepared = {
  readonly account: Account
  readonly binaries: Binaries
  readonly socketDirectory: string
}

/** Everything that must be in place: programs, an account to run them, a cluster, a socket's place. */
const prepare = async (cluster: string): Promise<Either<Unavailable, Prepared>> => {
  const binaries = await findBinaries()
  if (E.isLeft(binaries)) return binaries
  const account = await prepareCluster(cluster, binaries.right)
  if (E.isLeft(account)) return account
  const socketDirectory = socketDirectoryFor(cluster, account.right.uid)
  const unsafe =
    socketDirectory === cluster
      ? undefined
      : await makeSocketDirectory(socketDirectory, account.right)
  if (unsafe !== undefined) return E.left(unsafe)
  return E.right({ account: account.right, binaries: binaries.right, socketDirectory })
}

/** A cluster of our version that belongs to the account that is answered. */
const prepareCluster = async (
  cluster: string,
  binaries: Binaries,
): Promise<Either<Unavailable, Account>> => {
  const self = await currentSelf()
  if (self === undefined)
    return E.left(unavailable('no embedded PostgreSQL', `none for ${process.platform}`))
  await removeUnfinished(cluster)
  const major = await clusterMajor(cluster)
  const owner = major === undefined ? undefined : await clusterOwner(cluster)
  const usable = await findAccount(dirname(cluster), binaries.postgres, accountsToTry(self, owner))
  if (E.isLeft(usable)) return usable
  const { account } = usable.right
  const failure =
    major === undefined
      ? await createCluster(cluster, binaries, account)
      : differentMajor(cluster, major, usable.right.major)
  if (failure !== undefined) return E.left(failure)
  if (owner !== undefined && owner.uid !== account.uid) await handOver(cluster, account)
  return E.right(account)
}

const differentMajor = (cluster: string, made: string, ours: string): Unavailable | undefined =>
  made === ours
    ? undefined
    : unavailable(
        `the database in ${cluster} cannot be opened`,
        `it was made by PostgreSQL ${made}, and here is PostgreSQL ${ours}`,
        'use the version of this program that made it',
      )

const REMAINS_PATIENCE_MS = 15_000

const outwait = async (cluster: string): Promise<Unavailable | undefined> => {
  const left = await outwaitRemains(cluster, REMAINS_PATIENCE_MS)
  return left.length === 0
    ? undefined
    : unavailable(
        `the database in ${cluster} is still in use`,
        `its server was killed, but its processes ${left.join(', ')} do not end`,
        'end them',
      )
}

/** How long PostgreSQL may find remains that we could not see before that counts as a failure. */
const UNSEEN_REMAINS_PATIENCE_MS = 30_000

const failureOf = (cluster: string, said: string, elapsedMs: number): Unavailable | undefined => {
  // Another command that came and left may have ended the server before we could enter.
  if (said.endsWith(ENDED_WELL)) return undefined
  const remains = /is still in use|lock file ".*" (already exists|is empty)/.test(said)
  if (remains && elapsedMs < UNSEEN_REMAINS_PATIENCE_MS) return undefined
  return unavailable(`the embedded PostgreSQL in ${cluster} does not start`, complaint(said))
}

/** Nobody else touches the file; root in a user's directory leaves none the user cannot open. */
const giveToDirectoryOwner = async (path: string): Promise<void> => {
  await chmod(path, 0o600)
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(dirname(path))
  if (uid !== 0) await chown(path, uid, gid)
}
