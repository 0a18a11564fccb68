/** What a server leaves behind that was killed: processes without a postmaster, and files. */
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { findPostmaster, postmasterFile, signal } from './postmaster.ts'
import { serverProcesses } from './process.ts'
import { socketIn } from './socket.ts'

/**
 * Waits until no process of a killed server is left, and answers those that stay. They end by
 * themselves as soon as they wait for something; after a third of `patienceMs` they are told to.
 * What looks like remains may be a server just being started by a command that was killed: as soon
 * as that one has a living postmaster there are no remains.
 */
export const outwaitRemains = async (
  cluster: string,
  patienceMs: number,
): Promise<readonly number[]> => {
  const from = performance.now()
  let told = false
  for (;;) {
    const left = await serverProcesses(cluster)
    if (left.length > 0 && (await findPostmaster(cluster)) !== undefined) return []
    const waited = performance.now() - from
    if (left.length === 0 || waited > patienceMs) return left
    if (!told && waited > patienceMs / 3) {
      // SIGQUIT ends a server process at once, without touching shared memory.
      for (const pid of left) signal(pid, 'SIGQUIT')
      told = true
    }
    await sleep(20)
  }
}

/**
 * Removes the files of a dead postmaster. PostgreSQL would do it, but gives up where another
 * program now has the old number, and two servers doing it at once can remove each other's.
 * Call it only under the start lock, with no process of the server alive.
 */
export const clearTraces = async (cluster: string, socketDirectory: string): Promise<void> => {
  const socket = socketIn(socketDirectory)
  for (const path of [postmasterFile(cluster), `${socket}.lock`, socket])
    await rm(path, { force: true })
}
