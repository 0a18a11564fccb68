/**
 * Bodies as files. A file is named by its commitment and holds salt32 ‖ bytes, so it checks itself
 * and one deletion erases both. It appears under its name only when complete and on disk: written
 * under `incoming/`, synced, renamed, and the directories on the way synced.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { BodyEraser, BodyFailure, BodyStore, SaltedBodies } from '../../capture/port.ts'
import { commitTo, SALT_BYTES } from '../../capture/commitment.ts'
import type { Digest } from '../../kernel/digest.ts'
import { E, type Either, TE, type TaskEither } from '../../kernel/fp.ts'
import type { Unavailable } from '../../ledger/port.ts'

/** No put takes this long: what is older in `incoming/` was left by a crash. */
const LEFT_OVER_MS = 3_600_000

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'error'

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'no space left on the device'],
  ['EDQUOT', 'the disk quota is used up'],
  ['EFBIG', 'the file would be larger than allowed'],
  ['EROFS', 'the file system is read-only'],
  ['EACCES', 'permission denied'],
  ['ENOTDIR', 'a part of the path is not a directory'],
])

const unavailable =
  (doing: string) =>
  (error: unknown): Unavailable => {
    const code = codeOf(error)
    const because = `${doing}: ${REASONS.get(code) ?? 'input/output failed'} (${code})`
    return { tag: 'Unavailable', because }
  }

const syncDirectory = async (directory: string): Promise<void> => {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes a directory and all above it, for good. */
const makeDirectory = async (directory: string): Promise<void> => {
  const first = await mkdir(directory, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  // A new directory lasts only once its parent is on disk, and so on up to the first that was there.
  for (let made = directory; made !== dirname(first); made = dirname(made))
    await syncDirectory(dirname(made))
}

const isGone = (processId: number): boolean => {
  try {
    process.kill(processId, 0)
    return false
  } catch (error) {
    return codeOf(error) === 'ESRCH'
  }
}

/** Removes what a crash left in `incoming`: its process is gone, or it is older than any put. */
const sweep = async (incoming: string): Promise<void> => {
  for (const name of await readdir(incoming)) {
    const file = join(incoming, name)
    const owner = Number(name.split('-', 1)[0])
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Date.now() }))
    const old = Date.now() - mtimeMs > LEFT_OVER_MS
    if (old || (Number.isSafeInteger(owner) && owner > 0 && isGone(owner)))
      await rm(file, { force: true })
  }
}

/** The paths of one store. Two levels of 256 directories keep each small with millions of bodies. */
class Shelves {
  readonly incoming: string
  readonly #directory: string
  readonly #durable = new Set<string>()

  constructor(directory: string) {
    this.#directory = resolve(directory)
    this.incoming = join(this.#directory, 'incoming')
  }

  pathOf(commit: Digest): string {
    return join(this.#directory, commit.slice(0, 2), commit.slice(2, 4), commit)
  }

  /**
   * Makes the directory of `file` last. Synced once per process also where it exists: who made it
   * may have died before its parent was on disk.
   */
  async prepare(file: string): Promise<void> {
    const shelf = dirname(file)
    if (this.#durable.has(shelf)) return
    await mkdir(shelf, { recursive: true, mode: 0o700 })
    await syncDirectory(dirname(shelf))
    await syncDirectory(this.#directory)
    this.#durable.add(shelf)
  }
}

const write = async (file: string, parts: readonly Uint8Array[]): Promise<void> => {
  const handle = await open(file, 'wx', 0o600)
  try {
    for (const part of parts) await handle.writeFile(part)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const put = async (shelves: Shelves, bytes: Uint8Array, salt: Uint8Array): Promise<Digest> => {
  const commit = commitTo(bytes, salt)
  const file = shelves.pathOf(commit)
  const incoming = join(shelves.incoming, `${process.pid}-${randomUUID()}`)
  try {
    await write(incoming, [salt, bytes])
    await shelves.prepare(file)
    await rename(incoming, file)
    await syncDirectory(dirname(file))
    return commit
  } catch (error) {
    await rm(incoming, { force: true })
    throw error
  }
}

/**
 * Synced also where the file is gone already: who removed it may have died before its directory was
 * on disk. What the disk keeps of a file without a name is beyond a program: see the threat model.
 */
const erase = async (file: string): Promise<'erased' | 'absent'> => {
  const was = await unlink(file).then(
    () => 'erased' as const,
    (error: unknown) => {
      if (codeOf(error) === 'ENOENT') return 'absent' as const
      throw error
    },
  )
  await syncDirectory(dirname(file)).catch((error: unknown) => {
    // No shelf, no body.
    if (codeOf(error) !== 'ENOENT') throw error
  })
  return was
}

export type FileBodies = BodyStore & SaltedBodies & BodyEraser

type Salted = { readonly salt: Buffer; readonly bytes: Buffer }

const checked = (commit: Digest, stored: Buffer): Either<BodyFailure, Salted> => {
  const salt = stored.subarray(0, SALT_BYTES)
  const bytes = stored.subarray(SALT_BYTES)
  return salt.length === SALT_BYTES && commitTo(bytes, salt) === commit
    ? E.right({ salt, bytes })
    : E.left({ tag: 'BodyAltered', commit })
}

/**
 * Opens the store in `directory`, making it if needed and clearing what a crash left behind.
 * `randomBytes` makes the salts. Any number of processes may have one directory open.
 */
export const fileBodyStore = (
  directory: string,
  randomBytes: (size: number) => Buffer,
): TaskEither<Unavailable, FileBodies> =>
  TE.tryCatch(
    async () => {
      const shelves = new Shelves(directory)
      await makeDirectory(shelves.incoming)
      await sweep(shelves.incoming)
      return storeOn(shelves, directory, randomBytes)
    },
    unavailable(`cannot open the body store ${directory}`),
  )

const storeOn = (
  shelves: Shelves,
  directory: string,
  randomBytes: (size: number) => Buffer,
): FileBodies => {
  const getSalted = (commit: Digest) => async (): Promise<Either<BodyFailure, Salted>> => {
    try {
      return checked(commit, await readFile(shelves.pathOf(commit)))
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return E.left({ tag: 'BodyMissing', commit })
      return E.left(unavailable(`cannot read body ${commit} in ${directory}`)(error))
    }
  }
  return {
    put: (bytes) =>
      TE.tryCatch(
        () => put(shelves, bytes, randomBytes(SALT_BYTES)),
        unavailable(`cannot keep a body of ${bytes.length} bytes in ${directory}`),
      ),
    get: (commit) => TE.map(({ bytes }: Salted) => bytes)(getSalted(commit)),
    getSalted,
    erase: (commit) =>
      TE.tryCatch(
        () => erase(shelves.pathOf(commit)),
        unavailable(`cannot erase body ${commit} in ${directory}`),
      ),
  }
}
