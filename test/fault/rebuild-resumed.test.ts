/** `kill -9` of a rebuild, and another process that goes on where it was. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { type Database, openDatabase } from '../../src/adapters/postgres/database.ts'
import { postgresProjectionStore } from '../../src/adapters/postgres/projections/store.ts'
import { rebuild } from '../../src/shell/projecting/rebuild.ts'
import { publisherList, requestLog, siteCooldown } from '../../projections/index.ts'
import type { ProjectionStore } from '../../projections/port.ts'
import { execute, testDatabase } from '../support/database.ts'
import { right } from '../support/either.ts'
import { insertEvents, nights } from '../support/nights.ts'
import { contentsOf, pastOf, portsOf } from '../support/projecting.ts'
import { embeddedPrograms, startServer } from '../support/postgres-server.ts'
import { fc } from '../support/property.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const PROCESS = join(import.meta.dirname, '../support/rebuilding-process.ts')
const PROJECTIONS = [requestLog, siteCooldown, publisherList]
const history = nights(4_000, 20)

/** What a process said until it ended, or was killed as it said `at` for the `steps`th time. */
const lived = async (
  given: readonly string[],
  steps: number,
): Promise<{ readonly said: readonly string[]; readonly error: string }> => {
  const names = PROJECTIONS.map(({ name }) => name)
  const child = spawn(process.execPath, [PROCESS, ...given, ...names])
  const ended = once(child, 'close')
  let error = ''
  child.stderr.on('data', (chunk: Buffer) => (error += chunk.toString()))
  const said: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line)
    if (said.filter((one) => one.startsWith('at ')).length === steps) child.kill('SIGKILL')
  }
  await ended
  return { said, error }
}

/** By name, the position that each says it goes on from. */
const goneOnFrom = (said: readonly string[]): ReadonlyMap<string, number> =>
  new Map(
    said
      .map((line) => line.split(' '))
      .filter(([word]) => word === 'from')
      .map(([, name = '', position]) => [name, Number(position)]),
  )

/** A table that is not logged would be empty after a crash of the database, and its checkpoint not. */
const kindsOfShadows = async ({ projector }: Database): Promise<readonly string[]> => {
  const { rows } = await projector.query<{ readonly kind: string }>(
    `select relpersistence as kind from pg_class where relname like '%shadow%'`,
  )
  return rows.map(({ kind }) => kind)
}

const expectWhole = async (store: ProjectionStore): Promise<void> => {
  const fresh = portsOf(history)
  for (const projection of PROJECTIONS) {
    equal(right(await store.live(projection)())?.checkpoint, history.recorded.length)
    right(await rebuild(fresh)(projection)())
    const expected = await contentsOf(fresh.store, projection)
    deepEqual(await contentsOf(store, projection), expected, projection.name)
    for (const position of [900, 3_000])
      deepEqual(
        await pastOf(store, projection, position),
        await pastOf(fresh.store, projection, position),
      )
  }
}

for (const threads of [1, 2])
  test(`CL5 a rebuild by ${threads} threads, killed again and again, goes on and ends whole`, async (t) => {
    const data = await temporaryDirectory(t)
    const { database, settings } = await testDatabase()
    await insertEvents(database, history.recorded)
    const store = postgresProjectionStore(database)
    const given = [JSON.stringify(settings), data, `${threads}`]
    const before = new Map<string, number>()
    const moments = fc.sample(fc.integer({ min: 4, max: 60 }), 6)
    for (const steps of [...moments, Number.POSITIVE_INFINITY]) {
      const { said, error } = await lived(given, steps)
      ok(said.length > 0, error)
      const from = goneOnFrom(said)
      // Nobody ever goes back, nor begins again what has been begun.
      for (const [name, position] of before) ok((from.get(name) ?? 0) >= position, said.join('\n'))
      for (const [name, position] of from) before.set(name, position)
      if (said.at(-1) === 'done') break
      for (const kind of await kindsOfShadows(database)) equal(kind, 'p')
    }
    ok(before.size > 0, 'some were gone on with')

    await expectWhole(store)
    deepEqual(
      right(await store.status()()).filter(({ place }) => place === 'shadow'),
      [],
    )
  })

for (const threads of [1, 2])
  test(`CL5 a rebuild by ${threads} threads goes on where it was after the database has crashed`, async (t) => {
    const data = await temporaryDirectory(t)
    const server = await startServer(await embeddedPrograms())
    t.after(server.remove)
    await execute({ url: server.url('postgres') }, 'create database crashing')
    const settings = { url: server.url('crashing') }
    const given = [JSON.stringify(settings), data, `${threads}`]
    const first = right(await openDatabase(settings)())
    await insertEvents(first, history.recorded)
    await lived(given, 60)
    // Commits of projections are not waited for; this one is, and all before are then on disk as well.
    await execute(settings, 'create table flushed ()')
    await first.close()
    await server.stop('SIGQUIT')
    await server.start()
    const { said, error } = await lived(given, Number.POSITIVE_INFINITY)
    equal(said.at(-1), 'done', error)
    ok((goneOnFrom(said).get(requestLog.name) ?? 0) > 0, said.join('\n'))
    const database = right(await openDatabase(settings)())
    await expectWhole(postgresProjectionStore(database))
    await database.close()
  })
