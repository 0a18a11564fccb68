/**
 * Which processes serve a cluster. After a crash another program may have an old process number,
 * so a number alone proves nothing; every server process stands in the cluster's directory.
 */
import { execFile } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { systemCode } from './failure.ts'

/** Whether `pid` runs and serves `cluster`. A process that only waits for its parent has ended. */
export const isServerProcess = async (pid: number, cluster: string): Promise<boolean> => {
  if (process.platform !== 'linux') return (await psLine(pid)).includes(` -D ${cluster} `)
  const stands = await standsIn(pid, cluster)
  // Root without the right to look closer (a container): what the process shows to everybody.
  if (stands === undefined) return (await procLine(pid)).includes(` -D ${cluster} `)
  return stands && (await isPostgres(pid))
}

/** All processes that serve `cluster` as far as they can be seen: only Linux shows them. */
export const serverProcesses = async (cluster: string): Promise<readonly number[]> => {
  if (process.platform !== 'linux') return []
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const serving = await Promise.all(
    pids.map(async (pid) => (await standsIn(pid, cluster)) === true && (await isPostgres(pid))),
  )
  return pids.filter((_, index) => serving[index])
}

/** By device and inode: one directory may have several paths. Undefined: not allowed to look. */
const standsIn = async (pid: number, cluster: string): Promise<boolean | undefined> => {
  try {
    const [its, ours] = await Promise.all([
      stat(`/proc/${pid}/cwd`, { bigint: true }),
      stat(cluster, { bigint: true }),
    ])
    return its.ino === ours.ino && its.dev === ours.dev
  } catch (error) {
    const code = systemCode(error)
    if (code === 'EACCES' || code === 'EPERM') return undefined
    if (code === 'ENOENT' || code === 'ESRCH') return false
    throw error
  }
}

const isPostgres = async (pid: number): Promise<boolean> =>
  (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim() === 'postgres'

/** The command line with blanks between the arguments; '' if there is no such process. */
const procLine = async (pid: number): Promise<string> =>
  (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ')

const psLine = async (pid: number): Promise<string> =>
  promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).then(
    ({ stdout }) => stdout.replace('\n', ' '),
    () => '',
  )
