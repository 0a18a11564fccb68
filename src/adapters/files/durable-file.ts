/** Small files that are either there as a whole, on disk, or as they were before. */
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type TaskEither, TE } from '../../kernel/fp.ts'
import type { Unavailable } from '../../ledger/port.ts'

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'error'

export const unavailable =
  (doing: string) =>
  (error: unknown): Unavailable => ({ tag: 'Unavailable', because: `${doing} (${codeOf(error)})` })

const syncDirectory = async (directory: string): Promise<void> => {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes a directory and those above it last. */
export const makeDirectory = async (directory: string): Promise<void> => {
  const first = await mkdir(directory, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = directory; made !== dirname(first); made = dirname(made))
    await syncDirectory(dirname(made))
}

type Writing = {
  /** As for chmod. */
  readonly mode?: number
  /** Where the bytes wait until they are whole, on the same device; a crash may leave it behind. */
  readonly incoming?: string
}

const write = async (
  file: string,
  bytes: string | Uint8Array,
  { mode = 0o600, incoming = `${file}.incoming-${process.pid}` }: Writing,
): Promise<void> => {
  await makeDirectory(dirname(file))
  await rm(incoming, { force: true })
  const handle = await open(incoming, 'wx', mode)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(incoming, file)
  await syncDirectory(dirname(file))
}

/** Writes `file` so that it survives a power cut once this has answered. */
export const writeDurably = (
  file: string,
  bytes: string | Uint8Array,
  options: Writing = {},
): TaskEither<Unavailable, void> =>
  TE.tryCatch(() => write(file, bytes, options), unavailable(`cannot write ${file}`))

/** The bytes of `file`; undefined if there is none. */
export const readIfThere = (file: string): TaskEither<Unavailable, Buffer | undefined> =>
  TE.tryCatch(
    async () => {
      try {
        return await readFile(file)
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return undefined
        throw error
      }
    },
    unavailable(`cannot read ${file}`),
  )

/** Removes `file`, for good. */
export const removeDurably = (file: string): TaskEither<Unavailable, void> =>
  TE.tryCatch(
    async () => {
      await rm(file, { force: true })
      await syncDirectory(dirname(file))
    },
    unavailable(`cannot remove ${file}`),
  )
