/** An export in memory, where changing one bit and checking again costs nothing but the check. */
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { TE } from '../../src/kernel/fp.ts'
import type { ExportedFiles, Listed } from '../../src/publish/exported-files.ts'

export type ExportBytes = ReadonlyMap<string, Buffer>

/** Every file below a directory, by its path there. */
export const exportIn = async (directory: string): Promise<ExportBytes> => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
  return new Map(
    await Promise.all(
      paths.map(async (path) => [relative(directory, path), await readFile(path)] as const),
    ),
  )
}

const listedIn = (paths: Iterable<string>): ReadonlyMap<string, readonly Listed[]> => {
  const kinds = new Map<string, Map<string, Listed['kind']>>()
  for (const path of paths) {
    const parts = path.split('/')
    for (const [i, name] of parts.entries()) {
      const directory = parts.slice(0, i).join('/')
      const kind = i === parts.length - 1 ? 'file' : 'directory'
      kinds.set(
        directory,
        (kinds.get(directory) ?? new Map<string, Listed['kind']>()).set(name, kind),
      )
    }
  }
  return new Map(
    [...kinds].map(([directory, names]) => [
      directory,
      [...names].map(([name, kind]) => ({ name, kind })),
    ]),
  )
}

/** `bytes` may change between checks; which files there are may not. */
export const filesOf = (bytes: ExportBytes): ExportedFiles => {
  const listed = listedIn(bytes.keys())
  return {
    place: 'memory',
    list: (directory, most) => TE.right((listed.get(directory) ?? []).slice(0, most)),
    read: (path, most) => TE.right(bytes.get(path)?.subarray(0, most)),
  }
}
