/** kill -9 at every step of an erasure: no body is ever gone without its event, and the next one ends it. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { PROJECTIONS } from '../../projections/index.ts'
import { fileBodyStore } from '../../src/adapters/bodies/files.ts'
import { memoryBodyStore } from '../../src/adapters/memory/bodies.ts'
import { postgresLedger } from '../../src/adapters/postgres/ledger.ts'
import { postgresProjectionStore } from '../../src/adapters/postgres/projections/store.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { present } from '../../src/kernel/assert.ts'
import { E } from '../../src/kernel/fp.ts'
import type { Ledger } from '../../src/ledger/port.ts'
import { erasuresAfter, tellingErased } from '../../src/shell/erasing/erased-bodies.ts'
import { catchUp } from '../../src/shell/projecting/catch-up.ts'
import { rebuild } from '../../src/shell/projecting/rebuild.ts'
import { testDatabase } from '../support/database.ts'
import { right } from '../support/either.ts'
import { insertEvents, nights } from '../support/nights.ts'
import { contentsOf, memoryStore, READERS } from '../support/projecting.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const PROGRAM = join(import.meta.dirname, '../support/erasing-process.ts')
const STEPS = ['append', 'erase', 'forget', 'shadow', 'swap', 'scrub', 'remember']

/** The signal that ended it. */
const erasing = async (...args: readonly string[]): Promise<string | null> => {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  let words = ''
  child.stderr.on('data', (chunk: Buffer) => (words += chunk.toString()))
  await once(child, 'close')
  ok(child.signalCode !== null || child.exitCode === 0, words)
  return child.signalCode
}

const erasedIn = async (ledger: Ledger) => {
  const commits: string[] = []
  for await (const { event } of erasuresAfter(ledger, 0)) commits.push(event.commit)
  return commits
}

for (const step of STEPS.flatMap((name) => [`before ${name}`, `after ${name}`]))
  test(`kill -9 ${step}`, async (context) => {
    const data = await temporaryDirectory(context)
    const history = nights(260, 4)
    for (const [commit, stored] of history.bodies) {
      const file = join(data, 'bodies', commit.slice(0, 2), commit.slice(2, 4), commit)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, stored)
    }
    const { database, settings } = await testDatabase()
    await insertEvents(database, history.recorded)
    const ledger = right(await postgresLedger(database, systemClock())())
    const files = right(await fileBodyStore(join(data, 'bodies'), randomBytes)())
    const store = postgresProjectionStore(database)
    const ports = { ledger, store, bodies: tellingErased(files, ledger), readers: READERS }
    for (const one of PROJECTIONS) right(await catchUp(ports)(one)())

    const concluded = history.recorded.filter(
      ({ event }) =>
        event.type === 'FetchConcluded' &&
        event.commit !== null &&
        ['publisher-1.example', 'network.test'].includes(event.subject),
    )
    ok(concluded.length > 5)
    const positions = concluded.map(({ position }) => String(position))
    equal(await erasing(JSON.stringify(settings), data, step, ...positions), 'SIGKILL')
    const recorded = await erasedIn(ledger)
    for (const commit of history.bodies.keys())
      ok(
        E.isRight(await files.get(commit)()) || recorded.includes(commit),
        `${commit} is gone, and no event says why`,
      )

    equal(await erasing(JSON.stringify(settings), data, 'live', ...positions), null)
    const erased = await erasedIn(ledger)
    const commits = concluded.map(({ event }) =>
      present(event.type === 'FetchConcluded' ? event.commit : null, 'kept'),
    )
    deepEqual(erased.toSorted(), commits.toSorted(), 'each once')
    for (const commit of history.bodies.keys())
      equal(E.isRight(await files.get(commit)()), !erased.includes(commit))
    const at = concluded.map(({ position }) => position)
    for (const reader of ['ads-txt@1', 'sellers-json@1'])
      equal(right(await store.loadReadings(reader, at, 1_000_000)()).readings.size, 0)

    const left = new Map([...history.bodies].filter(([commit]) => !erased.includes(commit)))
    const bodies = tellingErased(memoryBodyStore(randomBytes, left), ledger)
    const fresh = { ledger, store: memoryStore(), bodies, readers: READERS }
    for (const one of PROJECTIONS) {
      right(await catchUp(ports)(one)())
      right(await rebuild(fresh)(one)())
      const expected = await contentsOf(fresh.store, one)
      deepEqual(await contentsOf(store, one), expected, one.name)
    }
    await ledger.close()
  })
