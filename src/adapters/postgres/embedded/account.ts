/**
 * Under which account the PostgreSQL programs run. PostgreSQL refuses uid 0, so root needs a way:
 *
 * 1. a user namespace in which root's own uid has another number: files stay root's, and no
 *    directory needs to be opened to anybody;
 * 2. where namespaces are forbidden (most containers): another uid that keeps the one capability to
 *    pass directories that are closed to it;
 * 3. else that uid bare: good if it can enter the data directory and reach the programs.
 */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { E, type Either } from '../../../kernel/fp.ts'
import type { Unavailable } from '../../../ledger/port.ts'
import { complaint, unavailable } from './failure.ts'

export type Command = {
  readonly file: string
  readonly args: readonly string[]
  readonly ids: { readonly uid?: number; readonly gid?: number }
}

export type Account = {
  /** Whose the files have to be, as seen from outside of any namespace. */
  readonly uid: number
  readonly gid: number
  readonly command: (program: string, args: readonly string[]) => Command
}

/** Who this process is, and who "nobody" is on this machine. */
export type Self = {
  readonly uid: number
  readonly gid: number
  /** initdb refuses an account that has no name in the passwd database. */
  readonly named: boolean
  readonly nobody: { readonly uid: number; readonly gid: number }
}

const direct = (self: Self): Account => ({
  uid: self.uid,
  gid: self.gid,
  command: (program, args) => ({ file: program, args, ids: {} }),
})

const namespaced = (self: Self): Account => ({
  uid: self.uid,
  gid: self.gid,
  command: (program, args) => ({
    file: 'unshare',
    args: [
      '--user',
      `--map-user=${self.nobody.uid}`,
      `--map-group=${self.nobody.gid}`,
      '--',
      program,
      ...args,
    ],
    ids: {},
  }),
})

const switchedPassing = (uid: number, gid: number): Account => ({
  uid,
  gid,
  command: (program, args) => ({
    file: 'setpriv',
    args: [
      `--reuid=${uid}`,
      `--regid=${gid}`,
      '--clear-groups',
      '--inh-caps=+dac_override',
      '--ambient-caps=+dac_override',
      '--',
      program,
      ...args,
    ],
    ids: {},
  }),
})

const switched = (uid: number, gid: number): Account => ({
  uid,
  gid,
  command: (program, args) => ({ file: program, args, ids: { uid, gid } }),
})

/**
 * The accounts worth trying, best first. `owner`: whose the cluster is, undefined before there is
 * one. A cluster stays with its owner; only root can give its own away.
 */
export const accountsToTry = (
  self: Self,
  owner: { readonly uid: number; readonly gid: number } | undefined,
): readonly Account[] => {
  if (self.uid !== 0) {
    if (owner !== undefined && owner.uid !== self.uid) return []
    return self.named || owner !== undefined ? [direct(self)] : [namespaced(self)]
  }
  if (owner !== undefined && owner.uid !== 0)
    return [switchedPassing(owner.uid, owner.gid), switched(owner.uid, owner.gid)]
  const { uid, gid } = self.nobody
  return [namespaced(self), switchedPassing(uid, gid), switched(uid, gid)]
}

export type UsableAccount = { readonly account: Account; readonly major: string }

/**
 * The first account that can enter `dataDir` and run the programs, with PostgreSQL's major version.
 */
export const findAccount = async (
  dataDir: string,
  postgres: string,
  accounts: readonly Account[],
): Promise<Either<Unavailable, UsableAccount>> => {
  const reasons: string[] = []
  for (const account of accounts) {
    const tried = await tryAccount(account, dataDir, postgres)
    if (tried.major !== undefined) return E.right({ account, major: tried.major })
    reasons.push(tried.reason)
  }
  return E.left(
    reasons.length === 0
      ? unavailable(
          `the embedded PostgreSQL in ${dataDir} cannot be started`,
          'its files belong to another user',
          'run as that user',
        )
      : unavailable(
          `no account to run the embedded PostgreSQL in ${dataDir}`,
          reasons.join(' | '),
          process.getuid?.() === 0 ? 'run as an ordinary user' : undefined,
        ),
  )
}

type Trial = { readonly major?: string; readonly reason: string }

const tryAccount = (account: Account, dataDir: string, postgres: string): Promise<Trial> => {
  const script = 'cd "$1" && exec "$2" --version'
  const command = account.command('/bin/sh', ['-c', script, 'sh', dataDir, postgres])
  return new Promise((resolve) => {
    execFile(command.file, [...command.args], { ...command.ids, cwd: '/' }, (error, out, err) => {
      const major = /^postgres \(PostgreSQL\) (\d+)/.exec(out)?.[1]
      if (error === null && major !== undefined) resolve({ major, reason: '' })
      else resolve({ reason: complaint(err === '' ? (error?.message ?? out) : err) })
    })
  })
}

const NOBODY = { uid: 65_534, gid: 65_534 }

/** `nobody`'s ids from the text of /etc/passwd, where minus two means the largest but one. */
export const nobodyOf = (passwd: string): { readonly uid: number; readonly gid: number } => {
  const fields = /^nobody:[^:]*:(-?\d+):(-?\d+):/m.exec(passwd)
  if (fields === null) return NOBODY
  return { uid: Number(fields[1]) >>> 0, gid: Number(fields[2]) >>> 0 }
}

/** Undefined on a system without user numbers. */
export const currentSelf = async (): Promise<Self | undefined> => {
  const uid = process.getuid?.()
  const gid = process.getgid?.()
  if (uid === undefined || gid === undefined) return undefined
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '')
  return { uid, gid, named: hasName(), nobody: nobodyOf(passwd) }
}

const hasName = (): boolean => {
  try {
    return userInfo().username !== ''
  } catch {
    return false
  }
}
