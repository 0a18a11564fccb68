/**
 * Rebuilds some projections once, in small commits:
 *   node rebuilding-process.ts SETTINGS DATA THREADS NAME...
 * Prints `from NAME POSITION` where one goes on, `at POSITION` on its way, and `done`.
 */
import { memoryBodyStore } from '../../src/adapters/memory/bodies.ts'
import type { Settings } from '../../src/adapters/postgres/connection.ts'
import { openDatabase } from '../../src/adapters/postgres/database.ts'
import { postgresReading } from '../../src/adapters/postgres/ledger.ts'
import { postgresProjectionStore } from '../../src/adapters/postgres/projections/store.ts'
import { foldingThreads } from '../../src/compose.ts'
import { rebuildTogether } from '../../src/shell/projecting/rebuild.ts'
import { projectionNamed } from '../../projections/index.ts'
import { right } from './either.ts'
import { READERS } from './projecting.ts'

const LIMITS = { pageEvents: 20, batchEvents: 10, batchBytes: 5_000, heldBytes: 4_000, newKeys: 4 }

const [given = '', data = '', threads = '1', ...names] = process.argv.slice(2)
// The test that starts this hands its own settings over.
const settings = JSON.parse(given) as Settings
const database = right(await openDatabase(settings)())
const ports = {
  ledger: postgresReading(database),
  // Who is rebuilt here reads no bodies.
  bodies: memoryBodyStore((size) => Buffer.alloc(size)),
  store: postgresProjectionStore(database),
  readers: READERS,
}
const say = (words: string): void => void process.stdout.write(`${words}\n`)

const targets = names.flatMap((name) => {
  const projection = projectionNamed(name)
  const resumed = (position: number): void => say(`from ${name} ${position}`)
  return projection === undefined ? [] : [{ projection, resumed }]
})
const outcomes = await rebuildTogether(ports)(targets, {
  limits: LIMITS,
  workers: { ...foldingThreads(settings, data, Number(threads)), from: 0 },
  onProgress: ({ position }) => say(`at ${position}`),
})()
for (const outcome of outcomes) right(outcome)
say('done')
await database.close()
