/** Where the server's Unix socket stands. */
import { chown, lstat, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sha256Hex } from '../../../kernel/digest.ts'
import type { Unavailable } from '../../../ledger/port.ts'
import { SOCKET_PORT } from './settings.ts'
import { systemCode, unavailable } from './failure.ts'

/** Bytes of a socket's path without the closing NUL: 104 on macOS and BSD, 108 on Linux. */
const PATH_BYTES_MAX = process.platform === 'linux' ? 107 : 103

export const socketIn = (directory: string): string => join(directory, `.s.PGSQL.${SOCKET_PORT}`)

const fits = (directory: string): boolean =>
  Buffer.byteLength(socketIn(directory)) <= PATH_BYTES_MAX

/**
 * The cluster's own directory, which PostgreSQL keeps closed to others, if its path is short
 * enough; else a directory in the temporary one, named after the cluster and its owner.
 */
export const socketDirectoryFor = (cluster: string, uid: number, temporary = tmpdir()): string => {
  if (fits(cluster)) return cluster
  const name = `crawl-ledger-${sha256Hex(`${uid}:${cluster}`).slice(0, 20)}`
  const near = join(temporary, name)
  return fits(near) ? near : join('/tmp', name)
}

/** Creates `directory` for `owner`, closed to others. Whatever stands there already is checked. */
export const makeSocketDirectory = async (
  directory: string,
  owner: { readonly uid: number; readonly gid: number },
): Promise<Unavailable | undefined> => {
  try {
    await mkdir(directory, { mode: 0o700 })
    if (process.getuid?.() !== owner.uid) await chown(directory, owner.uid, owner.gid)
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
  }
  return checkSocketDirectory(directory, owner.uid)
}

/**
 * The temporary directory is everybody's: one made beforehand by somebody else could listen in.
 * `uid` is the owner of the data files. One that has just been removed is no danger.
 */
export const checkSocketDirectory = async (
  directory: string,
  uid: number,
): Promise<Unavailable | undefined> => {
  const found = await lstat(directory).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error
    return undefined
  })
  if (found === undefined) return undefined
  const problem = !found.isDirectory()
    ? 'it is not a directory'
    : found.uid !== uid
      ? `it belongs to user ${found.uid}, not to ${uid}`
      : (found.mode & 0o077) !== 0
        ? 'other users can enter it'
        : undefined
  if (problem === undefined) return undefined
  return unavailable(
    `the socket directory ${directory} is not safe`,
    problem,
    'remove it, or use a data directory with a shorter path',
  )
}
