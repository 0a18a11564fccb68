import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { TE } from '../../kernel/fp.ts'
import { type Folder, INCOMING } from '../../publish/folder.ts'
import { codeOf, readIfThere, unavailable, writeDurably } from './durable-file.ts'

const PUBLIC = 0o644

export const folderAt = (directory: string): Folder => ({
  place: directory,
  list: () =>
    TE.tryCatch(
      async () => {
        try {
          return await readdir(directory)
        } catch (error) {
          if (codeOf(error) === 'ENOENT') return []
          throw error
        }
      },
      unavailable(`cannot read ${directory}`),
    ),
  read: (name) => readIfThere(join(directory, name)),
  write: (name, bytes) =>
    writeDurably(join(directory, name), bytes, {
      mode: PUBLIC,
      incoming: join(directory, `${INCOMING}${process.pid}`),
    }),
  remove: (name) =>
    TE.tryCatch(
      () => rm(join(directory, name), { recursive: true, force: true }),
      unavailable(`cannot remove ${name} in ${directory}`),
    ),
})
