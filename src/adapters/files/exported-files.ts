import { constants, type Dirent } from 'node:fs'
import { open, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { TE } from '../../kernel/fp.ts'
import type { ExportedFiles, Listed } from '../../publish/exported-files.ts'
import { codeOf, unavailable } from './durable-file.ts'

const kindOf = (entry: Dirent): Listed['kind'] => {
  if (entry.isFile()) return 'file'
  return entry.isDirectory() ? 'directory' : 'other'
}

const list = async (directory: string, most: number): Promise<readonly Listed[]> => {
  const listed: Listed[] = []
  for await (const entry of await opendir(directory)) {
    listed.push({ name: entry.name, kind: kindOf(entry) })
    if (listed.length === most) break
  }
  return listed.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

const read = async (file: string, most: number): Promise<Buffer | undefined> => {
  // Not to wait for the other end of a pipe that lies there instead of a file.
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const status = await handle.stat()
    if (!status.isFile()) return undefined
    const bytes = Buffer.alloc(Math.min(status.size, most))
    let length = 0
    while (length < bytes.length) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return bytes.subarray(0, length)
  } finally {
    await handle.close()
  }
}

/** No such file, a link, a directory on the way that is none: nothing is there. */
const ABSENT: readonly string[] = ['ENOENT', 'ENOTDIR', 'ELOOP']

const orNothing = async <A>(reading: Promise<A>, nothing: A): Promise<A> => {
  try {
    return await reading
  } catch (error) {
    if (ABSENT.includes(codeOf(error))) return nothing
    throw error
  }
}

export const exportedFilesAt = (place: string): ExportedFiles => ({
  place,
  list: (directory, most) =>
    TE.tryCatch(
      () => orNothing(list(join(place, directory), most), []),
      unavailable(`cannot read ${join(place, directory)}`),
    ),
  read: (path, most) =>
    TE.tryCatch(
      () => orNothing(read(join(place, path), most), undefined),
      unavailable(`cannot read ${join(place, path)}`),
    ),
})
