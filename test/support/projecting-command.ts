/**
 * Catches up and rebuilds all projections again and again until it is killed:
 *   node projecting-command.ts SETTINGS EVENTS SITES SEED DATA
 * Prints a line as it begins, and one at each turn.
 */
import { systemClock } from '../../src/adapters/system/clock.ts'
import { memoryBodyStore } from '../../src/adapters/memory/bodies.ts'
import type { Settings } from '../../src/adapters/postgres/connection.ts'
import { openDatabase } from '../../src/adapters/postgres/database.ts'
import { postgresLedger } from '../../src/adapters/postgres/ledger.ts'
import { postgresProjectionStore } from '../../src/adapters/postgres/projections/store.ts'
import { foldingThreads } from '../../src/compose.ts'
import { catchUp } from '../../src/shell/projecting/catch-up.ts'
import { rebuild, rebuildTogether } from '../../src/shell/projecting/rebuild.ts'
import { PROJECTIONS } from '../../projections/index.ts'
import { right } from './either.ts'
import { nights } from './nights.ts'
import { READERS } from './projecting.ts'

/** Many small commits, so that a kill falls between and into them. */
const LIMITS = { pageEvents: 50, batchEvents: 20, batchBytes: 5_000, heldBytes: 9_000, newKeys: 5 }

const [given = '', events = '0', sites = '1', seed = '0', data = ''] = process.argv.slice(2)
// The test that starts this hands its own settings over.
const settings = JSON.parse(given) as Settings
const database = right(await openDatabase(settings)())
const ports = {
  ledger: right(await postgresLedger(database, systemClock())()),
  bodies: memoryBodyStore(
    (size) => Buffer.alloc(size),
    nights(Number(events), Number(sites)).bodies,
  ),
  store: postgresProjectionStore(database),
  readers: READERS,
}
/** Threads have no bodies: they fold what reads none. */
const unreading = PROJECTIONS.filter(({ reads }) => reads === undefined)
const rebuildInThreads = async (): Promise<void> => {
  const workers = { ...foldingThreads(settings, data, 2), from: 0 }
  const targets = unreading.map((projection) => ({ projection }))
  const options = { limits: LIMITS, workers }
  for (const outcome of await rebuildTogether(ports)(targets, options)()) right(outcome)
}

process.stdout.write('begun\n')
for (let turn = Number(seed); ; turn += 1) {
  const projection = PROJECTIONS[turn % PROJECTIONS.length]
  if (projection === undefined) break
  if (turn % 5 === 0) await rebuildInThreads()
  else if (turn % 3 === 0) right(await rebuild(ports)(projection, { limits: LIMITS })())
  else right(await catchUp(ports)(projection, { limits: LIMITS })())
  process.stdout.write(`${projection.name}\n`)
}
