/**
 * How fast projections are rebuilt, measured against the raw limit in the same run.
 *
 *   node scripts/bench/rebuild.ts [EVENTS...]        (100000)
 *   node scripts/bench/rebuild.ts 100000 1000000
 *
 * For each size it fills a fresh embedded database with events of a realistic mix. Then, in a process
 * of its own and in turns: the plain reading of all rows, page by page, not looked into, which is the
 * limit that counts; the fastest reading there is (binary COPY, which the program uses itself); and
 * rebuilds, by as many threads as the command takes. site-cooldown folds the events into 400 rows;
 * request-log makes a row and a state of every request, so that a quarter as many of each are written;
 * and both in one reading. A third process only rebuilds, these two and then every projection that
 * opens no bodies, in one reading, and its peak memory is taken. WORKERS=n takes another number of threads.
 *
 * Prints medians and, of the ratios, the least and the most; with several sizes also what an event
 * costs at the largest against the smallest, in time and in processor time of this program. Exits 1 if
 * a goal is missed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { memoryBodyStore } from '../../src/adapters/memory/bodies.ts'
import { copyRows } from '../../src/adapters/postgres/copied-rows.ts'
import type { Database } from '../../src/adapters/postgres/database.ts'
import { postgresReading } from '../../src/adapters/postgres/ledger.ts'
import { postgresProjectionStore } from '../../src/adapters/postgres/projections/store.ts'
import { foldingThreads } from '../../src/compose.ts'
import { READER_VERSIONS } from '../../src/readers/index.ts'
import { rebuildTogether } from '../../src/shell/projecting/rebuild.ts'
import { PROJECTIONS, requestLog, siteCooldown } from '../../projections/index.ts'
import type { Projection } from '../../projections/projection.ts'
import { right } from '../../test/support/either.ts'
import { fillLedger, openBench } from './filled-ledger.ts'
import { median, timed, type Took } from './measure.ts'

const LARGE = 1_000_000
/** Times the speed of the plain reading. */
const goalOf = (events: number): number => (events < LARGE ? 0.4 : 0.5)
const GROWTH_GOAL = 1.2
const MEMORY_GOAL_MB = 500
const PAGE = 5_000
const WORKERS = Number(
  process.env['WORKERS'] ?? Math.max(1, Math.min(availableParallelism() - 1, 4)),
)
const REBUILDS: readonly (readonly [name: string, projections: readonly Projection[]])[] = [
  [requestLog.name, [requestLog]],
  [siteCooldown.name, [siteCooldown]],
  ['both together', [requestLog, siteCooldown]],
]

/** Milliseconds of each round. */
type Rounds = readonly number[]

type Measured = {
  readonly events: number
  readonly bytes: number
  readonly plain: Rounds
  readonly fastest: Rounds
  readonly rebuilt: Readonly<Record<string, Rounds>>
  readonly cpu: Readonly<Record<string, Rounds>>
  readonly rows: Readonly<Record<string, number>>
}

const opened = async (dataDir: string) => {
  const { database, settings, close } = await openBench(dataDir)
  const store = postgresProjectionStore(database)
  const bodies = memoryBodyStore((size) => Buffer.alloc(size))
  const ports = { ledger: postgresReading(database), store, bodies, readers: READER_VERSIONS }
  const workers = foldingThreads(settings, dataDir, WORKERS)
  const rebuild = async (projections: readonly Projection[]): Promise<void> => {
    const targets = projections.map((projection) => ({ projection }))
    for (const outcome of await rebuildTogether(ports)(targets, { workers })()) right(outcome)
  }
  return { database, store, rebuild, end: close }
}

const measure = async (dataDir: string, rounds: number): Promise<Measured> => {
  const { database, store, rebuild, end } = await opened(dataDir)
  const times = new Map<string, Took[]>()
  let read = { events: 0, bytes: 0 }
  const ways: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['plain', async () => (read = await readPlainly(database))],
    ['fastest', () => readFastest(database)],
    ...REBUILDS.map(([name, some]) => [name, () => rebuild(some)] as const),
  ]
  // The first round warms both sides up and is not counted.
  for (let round = 0; round <= rounds; round += 1)
    for (const [name, way] of ways) {
      const took = await timed(way)
      if (round > 0) times.set(name, [...(times.get(name) ?? []), took])
    }
  const timesOf = (name: string, kind: keyof Took = 'wall'): Rounds =>
    (times.get(name) ?? []).map((took) => took[kind])
  const rows = right(await store.status()()).map((one) => [one.projection, one.rows] as const)
  await end()
  return {
    ...read,
    plain: timesOf('plain'),
    fastest: timesOf('fastest'),
    rebuilt: Object.fromEntries(REBUILDS.map(([name]) => [name, timesOf(name)])),
    cpu: Object.fromEntries(REBUILDS.map(([name]) => [name, timesOf(name, 'cpu')])),
    rows: Object.fromEntries(rows),
  }
}

/** All columns of all rows, as anybody would read them. */
const readPlainly = async ({ writer }: Database): Promise<{ events: number; bytes: number }> => {
  let events = 0
  let bytes = 0
  for (;;) {
    const rows = await writer
      .selectFrom('event')
      .select(['position', 'stream', 'version', 'type', 'ts', 'entry'])
      .where('position', '>', events)
      .orderBy('position')
      .limit(PAGE)
      .execute()
    for (const { entry } of rows) bytes += entry.length
    events += rows.length
    if (rows.length < PAGE) return { events, bytes }
  }
}

const readFastest = async ({ projector }: Database): Promise<number> => {
  let events = 0
  for (;;) {
    const before = events
    const rest = `where position > ${before} order by position limit ${PAGE}`
    await copyRows(projector, rest, () => (events += 1))
    if (events - before < PAGE) return events
  }
}

/** Peak memory of a process that rebuilds and does nothing else. */
const peakMegabytes = async (dataDir: string): Promise<number> => {
  const { rebuild, end } = await opened(dataDir)
  for (const [, some] of REBUILDS) await rebuild(some)
  await rebuild(PROJECTIONS.filter(({ reads }) => reads === undefined))
  await end()
  return Math.round(process.resourceUsage().maxRSS / 1024)
}

const rate = (events: number, rounds: Rounds): string =>
  `${median(rounds).toFixed(0).padStart(6)} ms, ${Math.round(events / median(rounds))}k events/s`

const verdict = (met: boolean): string => (met ? 'met' : 'NOT MET')

/** Each round's own ratio: what the machine does besides changes from round to round. */
const ratiosOf = (limit: Rounds, ours: Rounds): Rounds =>
  ours.map((ms, i) => (limit[i] ?? Number.NaN) / ms)

/** Prints what was measured, and answers whether the goals are met. */
const report = (measured: Measured, memory: number): boolean => {
  const { events, bytes, plain, fastest, rebuilt, rows } = measured
  const goal = goalOf(events)
  console.log(`${events} events, ${Math.round(bytes / events)} bytes each, ${WORKERS} workers`)
  console.log(`  plain reading    ${rate(events, plain)}`)
  console.log(`  fastest reading  ${rate(events, fastest)}`)
  const met = Object.entries(rebuilt).map(([name, rounds]) => {
    const ratios = ratiosOf(plain, rounds)
    const ratio = median(ratios)
    const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
    const raw = median(ratiosOf(fastest, rounds)).toFixed(2)
    console.log(
      `  ${name.padEnd(16)} ${rate(events, rounds)}, ${rows[name] ?? 'all'} rows: ` +
        `${ratio.toFixed(2)} × plain reading (${spread}), ${raw} × fastest; ` +
        `goal ${goal}: ${verdict(ratio >= goal)}`,
    )
    return ratio >= goal
  })
  const isSmall = memory <= MEMORY_GOAL_MB
  console.log(`  peak memory      ${memory} MB; goal ${MEMORY_GOAL_MB}: ${verdict(isSmall)}`)
  return met.every(Boolean) && isSmall
}

/** What an event costs in the larger ledger, by what it costs in the smaller one. */
const reportGrowth = (small: Measured, large: Measured): boolean => {
  const growthOf = (kind: 'rebuilt' | 'cpu', name: string): number =>
    median(large[kind][name] ?? []) /
    large.events /
    (median(small[kind][name] ?? []) / small.events)
  const met = REBUILDS.map(([name]) => {
    const growth = growthOf('rebuilt', name)
    console.log(
      `${name}: an event of ${large.events} costs ${growth.toFixed(2)} × one of ${small.events}; ` +
        `goal ${GROWTH_GOAL}: ${verdict(growth <= GROWTH_GOAL)} ` +
        `(processor time: ${growthOf('cpu', name).toFixed(2)} ×)`,
    )
    return growth <= GROWTH_GOAL
  })
  return met.every(Boolean)
}

/** Not spawnSync, which would be deaf to Ctrl-C, and leave the database behind. */
const inChild = async (...args: readonly string[]): Promise<unknown> => {
  const child = spawn(process.execPath, [import.meta.filename, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = (): void => void child.kill()
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')])
  process.off('SIGINT', stop).off('SIGTERM', stop)
  if (child.exitCode !== 0) throw new Error(`${args[0]} failed`)
  return JSON.parse(printed)
}

const bench = async (events: number): Promise<{ measured: Measured; met: boolean }> => {
  const dataDir = await realpath(await mkdtemp(join(tmpdir(), 'bench-rebuild-')))
  try {
    await inChild('--fill', dataDir, `${events}`)
    const rounds = events < LARGE ? 7 : 3
    // The child is this script: what it prints is what `measure` gives.
    const measured = (await inChild('--measure', dataDir, `${rounds}`)) as Measured
    const met = report(measured, Number(await inChild('--peak', dataDir)))
    return { measured, met }
  } finally {
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** What a process of its own does, and prints as JSON. */
const CHILDREN: Readonly<Record<string, (dataDir: string, n: number) => Promise<unknown>>> = {
  '--fill': async (dataDir, events) => {
    await fillLedger(dataDir, events)
    return true
  },
  '--measure': measure,
  '--peak': peakMegabytes,
}

const main = async (): Promise<void> => {
  const [first = '100000', ...rest] = process.argv.slice(2)
  const child = CHILDREN[first]
  if (child !== undefined) {
    console.log(JSON.stringify(await child(rest[0] ?? '', Number(rest[1]))))
    return
  }
  const done = []
  for (const size of [first, ...rest]) done.push(await bench(Number(size)))
  const [small, large] = [done.at(0), done.at(-1)]
  const hasGrown = done.length > 1 && small !== undefined && large !== undefined
  const isFlat = hasGrown ? reportGrowth(small.measured, large.measured) : true
  process.exitCode = isFlat && done.every(({ met }) => met) ? 0 : 1
}

await main()
