/** From entering to leaving the shared server. */
import { rmdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { E } from '../../../kernel/fp.ts'
import { endPostmaster, findPostmaster } from './postmaster.ts'
import { enter, type Presence } from './presence.ts'
import { tryStartLock } from './start-lock.ts'

const REENTER_MS = 250
/** The last checkpoint of a busy server on a slow disk included. */
const END_PATIENCE_MS = 60_000

/**
 * Keeps a presence until the returned function is called, which leaves and, as the last one, ends
 * the server. A presence cut by the crash of a server process is taken up again, so that no other
 * command ends the server under one that still uses it.
 */
export const stay = (cluster: string, first: Presence): (() => Promise<void>) => {
  const leaving = new AbortController()
  let present: Presence | undefined = first
  const keep = async (): Promise<void> => {
    while (present !== undefined) {
      await present.lost
      present = undefined
      present = await enterAgain(cluster, leaving.signal)
    }
  }
  const kept = keep()
  const leave = async (): Promise<void> => {
    leaving.abort()
    if (present !== undefined) await leaveServer(cluster, present)
    await kept
  }
  let left: Promise<void> | undefined
  return () => (left ??= leave())
}

/** Tries until it is in; undefined if that is no longer wanted. Does not keep the process alive. */
const enterAgain = async (cluster: string, signal: AbortSignal): Promise<Presence | undefined> => {
  while (!signal.aborted) {
    const postmaster = await findPostmaster(cluster).catch(() => undefined)
    const entered = postmaster === undefined ? undefined : await enter(postmaster)
    if (entered !== undefined && E.isRight(entered)) {
      if (!signal.aborted) return entered.right
      await entered.right.end()
    }
    await sleep(REENTER_MS, undefined, { ref: false, signal }).catch(() => undefined)
  }
  return undefined
}

const leaveServer = async (cluster: string, presence: Presence): Promise<void> => {
  // A server that breaks while it is asked is no longer there to be ended.
  const last = await presence.isLast().catch(() => false)
  const postmaster = last ? await findPostmaster(cluster) : undefined
  // The presence is held meanwhile: it keeps newcomers out until the server cuts it.
  if (postmaster !== undefined) await endPostmaster(postmaster, cluster, END_PATIENCE_MS)
  await presence.end()
  if (postmaster !== undefined && postmaster.socketDirectory !== cluster)
    await removeSocketDirectory(cluster, postmaster.socketDirectory)
}

/** Unless another command is about to use it again: then that one removes it in its turn. */
const removeSocketDirectory = async (cluster: string, directory: string): Promise<void> => {
  const locked = tryStartLock(`${cluster}.lock`)
  if (E.isLeft(locked) || locked.right === undefined) return
  // Only an empty one goes: a new server's socket keeps its directory.
  await rmdir(directory).catch(() => undefined)
  locked.right.release()
}
