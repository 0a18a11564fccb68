/**
 * The embedded PostgreSQL: created on first use under the data directory, shared by all commands
 * that use the directory, ended by the last one that leaves. See docs/decisions/0002.
 */
import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { E, type Either, type TaskEither } from '../../../kernel/fp.ts'
import type { Unavailable } from '../../../ledger/port.ts'
import { clusterOwner } from './cluster.ts'
import { ofSystemError, unavailable } from './failure.ts'
import { findPostmaster } from './postmaster.ts'
import { enter } from './presence.ts'
import { CLUSTER_USER, LEDGER_DATABASE } from './settings.ts'
import { checkSocketDirectory } from './socket.ts'
import { beginStart, type Start } from './start.ts'
import { stay } from './stay.ts'

export type EmbeddedDatabase = {
  /** For node-pg; `host` is the directory of the Unix socket. */
  readonly connection: {
    readonly host: string
    readonly port: number
    readonly user: string
    readonly database: string
  }
  /**
   * Leaves; the last one ends the server and waits until it has ended. Close your own connections
   * first: the server stays up for any that is left.
   */
  readonly close: () => Promise<void>
}

/** Recovery after a crash included. */
const OPEN_PATIENCE_MS = 300_000
const POLL_MS = 20

/**
 * Opens the server of `dataDir`, starting or creating it where needed. Any number of processes may
 * do so at once. Fails with one line that says what, where and what to do.
 */
export const openEmbedded =
  (dataDir: string): TaskEither<Unavailable, EmbeddedDatabase> =>
  async () => {
    const what = `the embedded PostgreSQL cannot be opened in ${dataDir}`
    try {
      await mkdir(dataDir, { recursive: true, mode: 0o700 })
      return await open(join(await realpath(dataDir), 'postgres'), what)
    } catch (error) {
      const failure = ofSystemError(what, error)
      if (failure === undefined) throw error
      return E.left(failure)
    }
  }

const open = async (
  cluster: string,
  what: string,
): Promise<Either<Unavailable, EmbeddedDatabase>> => {
  const from = performance.now()
  let start: Start | undefined
  let because = 'another process is starting it'
  try {
    while (performance.now() - from < OPEN_PATIENCE_MS) {
      const entered = await enterRunning(cluster, what)
      if (E.isRight(entered)) return entered
      if (entered.left.tag === 'Unavailable') return E.left(entered.left)
      if (entered.left.tag === 'Passing') because = entered.left.because
      const next = await proceed(start, cluster, performance.now() - from)
      if (E.isLeft(next)) return next
      start = next.right
      await sleep(POLL_MS)
    }
    return E.left(unavailable(what, `after ${OPEN_PATIENCE_MS / 1_000} s: ${because}`))
  } finally {
    start?.release()
  }
}

/** Not in yet: starts the server unless it runs, and starts again if that came to a passing end. */
const proceed = async (
  start: Start | undefined,
  cluster: string,
  elapsedMs: number,
): Promise<Either<Unavailable, Start | undefined>> => {
  if (start === undefined) return beginStart(cluster)
  if (!start.ended()) return E.right(start)
  start.release()
  const failure = await start.failure(elapsedMs)
  return failure === undefined ? E.right(undefined) : E.left(failure)
}

type NotIn = Unavailable | { readonly tag: 'Absent' } | { readonly tag: 'Passing'; because: string }

const enterRunning = async (
  cluster: string,
  what: string,
): Promise<Either<NotIn, EmbeddedDatabase>> => {
  const postmaster = await findPostmaster(cluster)
  if (postmaster === undefined) return E.left({ tag: 'Absent' })
  const { port, socketDirectory } = postmaster
  if (socketDirectory !== cluster) {
    const unsafe = await checkSocketDirectory(socketDirectory, (await clusterOwner(cluster)).uid)
    if (unsafe !== undefined) return E.left(unsafe)
  }
  const entered = await enter(postmaster)
  if (E.isRight(entered)) {
    const connection = {
      host: socketDirectory,
      port,
      user: CLUSTER_USER,
      database: LEDGER_DATABASE,
    }
    return E.right({ connection, close: stay(cluster, entered.right) })
  }
  const { passing, because } = entered.left
  return E.left(passing ? { tag: 'Passing', because } : unavailable(what, because))
}
