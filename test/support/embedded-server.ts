/** Data directories and processes for tests of the embedded PostgreSQL; nothing outlives a test. */
import assert from 'node:assert/strict'
import { type ChildProcessWithoutNullStreams, spawn, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type QueryResultRow } from 'pg'
import type { EmbeddedDatabase } from '../../src/adapters/postgres/embedded/embedded.ts'
import { findPostmaster } from '../../src/adapters/postgres/embedded/postmaster.ts'
import { serverProcesses } from '../../src/adapters/postgres/embedded/process.ts'

export const isRoot = process.getuid?.() === 0
export const onLinux = process.platform === 'linux'
export const clusterOf = (dataDir: string): string => join(dataDir, 'postgres')

export const kill = (pid: number, signal: NodeJS.Signals = 'SIGKILL'): void => {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** Ends whatever still serves the directory, postmaster first, so that nothing starts anew. */
export const killServer = async (dataDir: string): Promise<void> => {
  const postmaster = await findPostmaster(clusterOf(dataDir))
  if (postmaster !== undefined) kill(postmaster.pid)
  for (;;) {
    const left = await serverProcesses(clusterOf(dataDir))
    if (left.length === 0) return
    for (const pid of left) kill(pid)
    await sleep(10)
  }
}

/** An empty data directory, removed after the test together with the server in it. */
export const newDataDir = async (t: TestContext, name = 'data'): Promise<string> => {
  const parent = await realpath(await mkdtemp(join(tmpdir(), 'embedded-test-')))
  const dataDir = join(parent, name)
  t.after(async () => {
    await killServer(dataDir)
    await rm(parent, { recursive: true, force: true, maxRetries: 5 })
  })
  return dataDir
}

export type Command = {
  readonly process: ChildProcessWithoutNullStreams
  readonly lines: readonly string[]
  /** Waits until a line beginning with `start` was printed; fails if the command ends before. */
  readonly said: (start: string) => Promise<string>
  readonly exited: Promise<void>
}

const COMMAND = join(import.meta.dirname, 'embedded-command.ts')

/** Runs `embedded-command.ts` in a process group of its own; killed after the test. */
export const command = (
  t: TestContext,
  args: readonly string[],
  options: SpawnOptions & { readonly node?: string; readonly script?: string } = {},
): Command => {
  const child = spawn(options.node ?? process.execPath, [options.script ?? COMMAND, ...args], {
    detached: true,
    ...options,
    stdio: 'pipe',
  })
  const lines: string[] = []
  let rest = ''
  const collect = (chunk: Buffer): void => {
    const parts = (rest + chunk.toString()).split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts)
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', (chunk: Buffer) => lines.push(`stderr ${chunk.toString()}`))
  let over = false
  const exited = once(child, 'close').then(() => {
    over = true
  })
  t.after(async () => {
    if (child.pid !== undefined && !over) kill(child.pid)
    await exited
  })
  const said = async (start: string): Promise<string> => {
    for (;;) {
      const found = lines.find((line) => line.startsWith(start))
      if (found !== undefined) return found
      assert.ok(!over, `the command ended without "${start}": ${lines.join(' / ')}`)
      await sleep(5)
    }
  }
  return { process: child, lines, said, exited }
}

/** Rows of one statement over a connection of its own. */
export const query = async <R extends QueryResultRow>(
  { connection }: EmbeddedDatabase,
  sql: string,
): Promise<readonly R[]> => {
  const client = new Client(connection)
  await client.connect()
  try {
    return (await client.query<R>(sql)).rows
  } finally {
    await client.end()
  }
}

export const postmasterPid = async (dataDir: string): Promise<number | undefined> =>
  (await findPostmaster(clusterOf(dataDir)))?.pid
