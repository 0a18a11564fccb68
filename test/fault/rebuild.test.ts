import { deepEqual, equal } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { memoryBodyStore } from '../../src/adapters/memory/bodies.ts'
import type { Settings } from '../../src/adapters/postgres/connection.ts'
import { postgresLedger } from '../../src/adapters/postgres/ledger.ts'
import { postgresProjectionStore } from '../../src/adapters/postgres/projections/store.ts'
import { catchUp } from '../../src/shell/projecting/catch-up.ts'
import { rebuild } from '../../src/shell/projecting/rebuild.ts'
import { PROJECTIONS } from '../../projections/index.ts'
import { testDatabase } from '../support/database.ts'
import { right } from '../support/either.ts'
import { insertEvents, nights } from '../support/nights.ts'
import { contentsOf, portsOf, READERS, rowsThen } from '../support/projecting.ts'
import { fc } from '../support/property.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

/** `FAULT_KILLS` kills in a long run. */
const KILLS = Number(process.env['FAULT_KILLS'] ?? 10)
const EVENTS = 2_400
const SITES = 20
const COMMAND = join(import.meta.dirname, '../support/projecting-command.ts')

/** Two runners at once, both killed `afterMs` after the later one has begun. */
const killedRunners = async (
  settings: Settings,
  data: string,
  turn: number,
  afterMs: number,
): Promise<void> => {
  const runners = [turn, turn + 3].map((seed) =>
    spawn(
      process.execPath,
      [COMMAND, JSON.stringify(settings), `${EVENTS}`, `${SITES}`, `${seed}`, data],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    ),
  )
  const words = runners.map(() => '')
  runners.forEach((runner, i) =>
    runner.stderr.on('data', (chunk: Buffer) => (words[i] += chunk.toString())),
  )
  await Promise.all(
    runners.map((runner) => Promise.race([once(runner.stdout, 'data'), once(runner, 'exit')])),
  )
  await sleep(afterMs)
  const ends = runners
    .filter((runner) => runner.exitCode === null)
    .map((runner) => once(runner, 'exit'))
  for (const runner of runners) runner.kill('SIGKILL')
  await Promise.all(ends)
  for (const [i, runner] of runners.entries()) {
    // Nobody ended by itself: a runner that was overtaken or met a half would have.
    equal(runner.signalCode, 'SIGKILL', words[i])
  }
}

test('CL5 whatever moment runners are killed at, the projections end as a fresh fold', async (t) => {
  const data = await temporaryDirectory(t)
  const history = nights(EVENTS, SITES)
  const moments = fc.sample(fc.integer({ min: 0, max: 400 }), KILLS)
  const { database, settings } = await testDatabase()
  const portion = Math.ceil(history.recorded.length / KILLS)
  for (const [turn, afterMs] of moments.entries()) {
    await insertEvents(database, history.recorded.slice(turn * portion, (turn + 1) * portion))
    await killedRunners(settings, data, turn, afterMs)
  }

  const ledger = right(await postgresLedger(database, systemClock())())
  const store = postgresProjectionStore(database)
  const bodies = memoryBodyStore((size) => Buffer.alloc(size), history.bodies)
  const fresh = portsOf(history)
  for (const projection of PROJECTIONS) {
    const standing = right(await catchUp({ ledger, store, bodies, readers: READERS })(projection)())
    equal(standing.checkpoint, history.recorded.length)
    right(await rebuild(fresh)(projection)())
    const expected = await contentsOf(fresh.store, projection)
    deepEqual(await contentsOf(store, projection), expected, projection.name)
    // Snapshots too are those of a fold that nothing ever happened to.
    const live = { ledger, store, bodies, readers: READERS }
    for (const position of fc.sample(fc.integer({ min: 0, max: history.recorded.length }), 4))
      deepEqual(
        await rowsThen(live, projection, { moment: { position } }),
        await rowsThen(fresh, projection, { moment: { position } }),
        `${projection.name} as of ${position}`,
      )
  }
  await ledger.close()
})
