import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { PROJECTIONS } from '../../projections/index.ts'
import { memoryBodyStore } from '../../src/adapters/memory/bodies.ts'
import { postgresReading } from '../../src/adapters/postgres/ledger.ts'
import { postgresProjectionStore } from '../../src/adapters/postgres/projections/store.ts'
import { foldingThreads } from '../../src/compose.ts'
import type { Progress } from '../../src/shell/projecting/folding.ts'
import { rebuild, rebuildTogether } from '../../src/shell/projecting/rebuild.ts'
import { testDatabase } from '../support/database.ts'
import { right } from '../support/either.ts'
import { insertEvents, nights } from '../support/nights.ts'
import { contentsOf, portsOf, READERS } from '../support/projecting.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const targets = PROJECTIONS.map((projection) => ({ projection }))

test('CL5 threads rebuild what one rebuilds alone, bit for bit, however many they are', async (t) => {
  const data = await temporaryDirectory(t)
  const { recorded } = nights(2_500, 20)
  const { database, settings } = await testDatabase()
  await insertEvents(database, recorded)
  // No body is kept here or there: whoever reads says so in the same rows.
  const bodies = memoryBodyStore((size) => Buffer.alloc(size))
  const store = postgresProjectionStore(database)
  const ports = { ledger: postgresReading(database), store, bodies, readers: READERS }
  const alone = portsOf({ recorded, bodies: new Map() })
  for (const one of PROJECTIONS) right(await rebuild(alone)(one)())
  const rows = right(await alone.store.status()()).map((one) => [one.projection, one.rows])
  for (const count of [1, 2, 3]) {
    const steps: Progress[] = []
    const workers = { ...foldingThreads(settings, data, count), from: 0 }
    const onProgress = (step: Progress): void => void steps.push(step)
    const outcomes = await rebuildTogether(ports)(targets, { workers, onProgress })()
    for (const outcome of outcomes) equal(right(outcome).live.checkpoint, recorded.length)
    for (const one of PROJECTIONS)
      deepEqual(await contentsOf(store, one), await contentsOf(alone.store, one), one.name)
    const status = right(await store.status()()).map((one) => [one.projection, one.rows])
    deepEqual(
      new Map(status.map(([name, n]) => [name, n])),
      new Map(rows.map(([name, n]) => [name, n])),
    )
    const positions = steps.map(({ position }) => position)
    deepEqual(
      positions,
      positions.toSorted((a, b) => a - b),
    )
  }
})

test('a defect in a thread is one of the rebuild; a database that is gone is an answer', async (t) => {
  const data = await temporaryDirectory(t)
  const { database, settings } = await testDatabase()
  await insertEvents(database, nights(300, 5).recorded)
  const store = postgresProjectionStore(database)
  const bodies = memoryBodyStore((size) => Buffer.alloc(size))
  const ports = { ledger: postgresReading(database), store, bodies, readers: READERS }
  const unknown = targets.slice(0, 1).map(({ projection }) => ({
    projection: { ...projection, name: 'unknown-name' },
  }))
  const workers = { ...foldingThreads(settings, data, 2), from: 0 }
  await rejects(rebuildTogether(ports)(unknown, { workers })(), /unknown-name/)
  const nowhere = { host: data, port: 1, user: 'nobody', database: 'none' }
  const lost = { ...foldingThreads(nowhere, data, 2), from: 0 }
  for (const outcome of await rebuildTogether(ports)(targets, { workers: lost })())
    equal('left' in outcome ? outcome.left.tag : undefined, 'Unavailable')
})
