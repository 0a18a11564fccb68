/** The server process: finding the one that runs, starting one, ending it. */
import { spawn } from 'node:child_process'
import { type FileHandle, readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Account } from './account.ts'
import { systemCode } from './failure.ts'
import { isServerProcess } from './process.ts'
import { socketIn } from './socket.ts'

export type Postmaster = {
  readonly pid: number
  readonly port: number
  readonly socketDirectory: string
}

/**
 * `postmaster.pid`: pid, data directory, start time, port, socket directory, one a line. Read while
 * it is written it may end anywhere: a line counts only with its line end.
 */
export const parsePostmasterFile = (content: string): Postmaster | undefined => {
  const [pid, , , port, socketDirectory] = content.split('\n').slice(0, -1)
  if (pid === undefined || !/^[1-9]\d{0,9}$/.test(pid)) return undefined
  if (port === undefined || !/^\d{1,5}$/.test(port)) return undefined
  if (socketDirectory === undefined || !socketDirectory.startsWith('/')) return undefined
  return { pid: Number(pid), port: Number(port), socketDirectory }
}

export const postmasterFile = (cluster: string): string => join(cluster, 'postmaster.pid')

/**
 * The living postmaster of `cluster`; a file left by one that was killed names none. A process of
 * another container cannot be seen from here, but its socket answers.
 */
export const findPostmaster = async (cluster: string): Promise<Postmaster | undefined> => {
  let content: string
  try {
    content = await readFile(postmasterFile(cluster), 'utf8')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
  const postmaster = parsePostmasterFile(content)
  if (postmaster === undefined) return undefined
  const alive =
    (await isServerProcess(postmaster.pid, cluster)) || (await answers(postmaster.socketDirectory))
  return alive ? postmaster : undefined
}

const answers = (socketDirectory: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(socketIn(socketDirectory))
    const settle = (answer: boolean): void => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => settle(true))
    socket.once('error', (error) => settle(systemCode(error) === 'EAGAIN'))
  })

/** A server that was started; `ended` says how, once it is over. */
export type Launched = { readonly ended: () => string | undefined }

/** How `ended` begins after an orderly end. */
export const ENDED_WELL = 'it ended with code 0'

/**
 * Starts the server in a session of its own, so that no signal of the command's terminal reaches
 * it. It outlives this process.
 */
export const launch = (
  account: Account,
  postgres: string,
  args: readonly string[],
  log: FileHandle,
): Launched => {
  const command = account.command(postgres, args)
  let end: string | undefined
  const child = spawn(command.file, [...command.args], {
    ...command.ids,
    cwd: '/',
    detached: true,
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    stdio: ['ignore', log.fd, log.fd],
  })
  child.once('error', (error) => (end = error.message))
  child.once('exit', (code, name) => (end = `it ended with ${name ?? `code ${code}`}`))
  child.unref()
  return { ended: () => end }
}

/**
 * Fast shutdown: open transactions are rolled back, everything is written. Waits for the end. A
 * postmaster that cannot be seen from here is left alone.
 */
export const endPostmaster = async (
  { pid }: Postmaster,
  cluster: string,
  patienceMs: number,
): Promise<void> => {
  if (!(await isServerProcess(pid, cluster))) return
  signal(pid, 'SIGINT')
  const until = performance.now() + patienceMs
  while (performance.now() < until && (await isServerProcess(pid, cluster))) await sleep(10)
}

/** A process that is gone already needs no signal. */
export const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (systemCode(error) !== 'ESRCH') throw error
  }
}
