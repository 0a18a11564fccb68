/**
 * A name for a running process that no later process shares: the pid alone is used again, after a
 * restart of the machine soon.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { assert } from '../../kernel/assert.ts'

export type ProcessIdentity = {
  readonly host: string
  /** Changes when the machine starts. */
  readonly boot: string
  readonly pid: number
  /** When the process started, in units of the system: only good for telling equal from not. */
  readonly started: string
}

const FORM = /^([^/\s]+)\/([^/\s]+)\/([1-9]\d{0,9})\/(\d{1,20})$/

/** Reads `<hostname>/<boot id>/<pid>/<process start time>`; undefined if it is not one. */
export const parseProcessIdentity = (text: string): ProcessIdentity | undefined => {
  const [, host, boot, pid, started] = FORM.exec(text) ?? []
  if (host === undefined || boot === undefined || started === undefined) return undefined
  return { host, boot, pid: Number(pid), started }
}

export const formatProcessIdentity = ({ host, boot, pid, started }: ProcessIdentity): string =>
  `${host}/${boot}/${pid}/${started}`

/**
 * Field 22 of `/proc/<pid>/stat`, clock ticks since the machine started (proc(5)); undefined for a
 * process that has ended and only waits for its parent. The name in field 2 may hold anything,
 * blanks and brackets too, so the fields are counted from its end.
 */
export const startedOfStat = (stat: string): string | undefined => {
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (state === 'Z' || state === 'X' || state === undefined) return undefined
  return fields[18]
}

/** The identity of this process. */
export const processIdentity = (): string => (own ??= formatProcessIdentity(ownIdentity()))
let own: string | undefined

const ownIdentity = (): ProcessIdentity => {
  const started = startOf(process.pid)
  assert(started !== undefined, 'this process has no start time')
  return { host: hostname(), boot: bootOf(), pid: process.pid, started }
}

/**
 * True: that process is gone (ended, its number used again, or the machine started anew).
 * False: it runs. Undefined: it belongs to another machine or is hidden from us, or the text names
 * no process.
 */
export const isProcessGone = (identity: string): boolean | undefined => {
  const other = parseProcessIdentity(identity)
  if (other === undefined || other.host !== hostname()) return undefined
  if (other.boot !== bootOf()) return true
  const started = startOf(other.pid)
  if (started === undefined && isHidden(other.pid)) return undefined
  return started !== other.started
}

/** Some systems show a user only their own processes: signalling tells that there is one. */
const isHidden = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

const bootOf = (): string => (boot ??= readBoot())
let boot: string | undefined

const readBoot = (): string =>
  process.platform === 'linux'
    ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    : printed('sysctl', ['-n', 'kern.bootsessionuuid'])

/** Undefined if there is no such process. */
const startOf = (pid: number): string | undefined => {
  if (process.platform !== 'linux') return startFromPs(pid)
  try {
    return startedOfStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch (error) {
    // ESRCH: it ended between opening and reading.
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ESRCH') return undefined
    throw error
  }
}

/** `ps` prints e.g. `S Mon Nov 30 02:30:00 2026`: the state, then when it started. */
export const startedOfPs = (line: string): string | undefined => {
  const [, state, time] = /^(\S+)\s+(.+)$/.exec(line.trim()) ?? []
  if (state === undefined || time === undefined || state.startsWith('Z')) return undefined
  const milliseconds = Date.parse(`${time} UTC`)
  return Number.isNaN(milliseconds) ? undefined : String(milliseconds)
}

const startFromPs = (pid: number): string | undefined =>
  startedOfPs(printed('ps', ['-o', 'state=,lstart=', '-p', String(pid)]))

const printed = (program: string, args: readonly string[]): string =>
  spawnSync(program, args, {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' },
  }).stdout.trim()
