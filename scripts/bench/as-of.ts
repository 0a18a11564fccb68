/**
 * How soon an earlier moment can be looked up: `state --at` and `find`, in a warm process, through the
 * functions that these verbs use.
 *
 *   node scripts/bench/as-of.ts [EVENTS]             (1000000)
 *
 * Fills a fresh embedded database with events of a realistic mix about 400 sites, every tenth event about one
 * more site that has them all (a hundred thousand of a million), and builds every projection. Then, in a
 * process of its own, one look-up after the other at positions, times, sites and addresses drawn by lot:
 *
 * - a bare query for one event by its position, which is the limit of any look-up;
 * - `state NAME --site S --at` of every projection whose rows have a site: up to the first page of rows, as the
 *   requests of a site may be a hundred thousand; for the 400 sites, and for the hot one;
 * - `state NAME --at` of the projections with few keys;
 * - `find`: addresses that were asked often, seldom, never; a window of ten minutes and one of years;
 * - for comparison a few of the same answers folded from the beginning.
 *
 * Prints the median, the 99th percentile and the worst of each in the quietest of three rounds, and exits 1 if a 99th percentile is above 20 ms.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryBodyStore } from '../../src/adapters/memory/bodies.ts'
import { catchUp } from '../../src/shell/projecting/catch-up.ts'
import { PROJECTIONS } from '../../projections/index.ts'
import { right } from '../../test/support/either.ts'
import { nights } from '../../test/support/nights.ts'
import { copyEvents, SITES } from './filled-ledger.ts'
import {
  bareLookUp,
  chanceOf,
  findLookUps,
  foldFromTheBeginning,
  HOT,
  type LookUp,
  opened,
  stateLookUps,
} from './look-ups.ts'

const GOAL_MS = 20
const LOOK_UPS = 300
const WARM_UP = 30
const ROUNDS = 3

const historyOf = (events: number) => {
  const history = nights(events - Math.floor(events / 10), SITES)
  for (let i = 0; history.recorded.length < events; i += 1) {
    if (i % 1_000 === 0) history.startRun(`hot-${i}`)
    history.fetch(
      { site: HOT, purpose: 'ads-txt' },
      { tag: 'answer', status: 200, body: `ads.example, ${i % 7}, DIRECT\n` },
    )
  }
  return history
}

const fill = async (dataDir: string, events: number): Promise<void> => {
  const { recorded, bodies } = historyOf(events)
  const { database, ports, end } = await opened(
    dataDir,
    memoryBodyStore((size) => Buffer.alloc(size), bodies),
  )
  await copyEvents(database, recorded)
  for (const projection of PROJECTIONS) {
    const from = performance.now()
    right(await catchUp(ports)(projection)())
    console.log(`  ${projection.name} built in ${Math.round(performance.now() - from)} ms`)
  }
  await end()
}

type Times = { readonly p50: number; readonly p99: number; readonly max: number }
type Measured = Times & { readonly rows: number }

/** The quietest of some rounds: what else the machine does only ever adds to a time. */
const timesOf = async (lookUp: LookUp): Promise<Measured> => {
  const rounds: Measured[] = []
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await roundOf(lookUp))
  return rounds.reduce((best, one) => (one.p99 < best.p99 ? one : best))
}

const roundOf = async ({ task }: LookUp): Promise<Measured> => {
  const times: number[] = []
  let rows = 0
  for (let i = -WARM_UP; i < LOOK_UPS; i += 1) {
    const from = performance.now()
    const found = await task()
    if (i < 0) continue
    times.push(performance.now() - from)
    rows += found
  }
  const sorted = times.sort((a, b) => a - b)
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99), max: at(1), rows: rows / LOOK_UPS }
}

const measure = async (dataDir: string): Promise<boolean> => {
  const bench = await opened(dataDir)
  const chance = await chanceOf(bench)
  const bare = bareLookUp(bench, chance)
  const limit = await timesOf(bare)
  const shown = ({ p50, p99, max }: Times): string =>
    [p50, p99, max].map((ms) => ms.toFixed(1).padStart(7)).join('')
  console.log(`${''.padEnd(48)}${['p50', 'p99', 'max'].map((one) => one.padStart(7)).join('')} ms`)
  console.log(`${bare.name.padEnd(48)}${shown(limit)}`)
  let met = true
  for (const lookUp of [...stateLookUps(bench, chance), ...findLookUps(bench, chance)]) {
    const times = await timesOf(lookUp)
    met &&= times.p99 <= GOAL_MS
    const ratio = (times.p50 / limit.p50).toFixed(0)
    console.log(
      `${lookUp.name.padEnd(48)}${shown(times)}  ${ratio.padStart(4)} × bare, ${times.rows.toFixed(1)} rows` +
        (times.p99 <= GOAL_MS ? '' : `  p99 above ${GOAL_MS}: NOT MET`),
    )
  }
  const from = performance.now()
  await foldFromTheBeginning(bench)
  console.log(`folded from the beginning: ${Math.round(performance.now() - from)} ms`)
  await bench.end()
  return met
}

/** A process of its own: filling leaves a heap that is no warm process's. */
const inChild = async (...args: readonly string[]): Promise<number> => {
  const child = spawn(process.execPath, [import.meta.filename, ...args], { stdio: 'inherit' })
  const stop = (): void => void child.kill()
  process.once('SIGINT', stop).once('SIGTERM', stop)
  await once(child, 'exit')
  process.off('SIGINT', stop).off('SIGTERM', stop)
  return child.exitCode ?? 1
}

const main = async (): Promise<number> => {
  const [first = '1000000', dataDir = ''] = process.argv.slice(2)
  if (first === '--measure') return (await measure(dataDir)) ? 0 : 1
  if (first === '--fill') return fill(dataDir, Number(process.argv[4])).then(() => 0)
  const made = await realpath(await mkdtemp(join(tmpdir(), 'bench-as-of-')))
  try {
    console.log(`${first} events`)
    const filled = await inChild('--fill', made, first)
    return filled === 0 ? await inChild('--measure', made) : filled
  } finally {
    await rm(made, { recursive: true, force: true, maxRetries: 5 })
  }
}

process.exitCode = await main()
