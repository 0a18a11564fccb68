/**
 * How fast a projection is rebuilt, measured against the raw limit in the same run.
 *
 *   node scripts/bench/rebuild.ts [EVENTS]
 *
 * Fills a fresh embedded database with EVENTS (100,000) events of a realistic mix, then in a process
 * of its own: reads all rows without looking into them, and rebuilds projections, in turn, several
 * times. Prints medians.
 *
 * site-cooldown folds 100,000 events into 400 rows: its raw limit is the bare reading. request-log
 * makes a row of every request, so the database also writes 25,000 rows and as many states: its raw
 * limit is the bare reading and the bare writing of just those (INSERT … SELECT in the server, indexes
 * included). Exits 1 if a projection falls below the goal against its own limit.
 */
import { spawnSync } from 'node:child_process'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryBodyStore } from '../../src/adapters/memory/bodies.ts'
import { type Database, openDatabase } from '../../src/adapters/postgres/database.ts'
import { openEmbedded } from '../../src/adapters/postgres/embedded/embedded.ts'
import { postgresLedger } from '../../src/adapters/postgres/ledger.ts'
import { tableNames } from '../../src/adapters/postgres/projections/tables.ts'
import { postgresProjectionStore } from '../../src/adapters/postgres/projections/store.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { rebuild } from '../../src/shell/projecting/rebuild.ts'
import { requestLog, siteCooldown } from '../../projections/index.ts'
import type { Projection } from '../../projections/projection.ts'
import { right } from '../../test/support/either.ts'
import { insertEvents, nights } from '../../test/support/nights.ts'

const GOAL = 0.4
const ROUNDS = 5
const PAGE = 5_000
const SITES = 400

const fill = async (dataDir: string, events: number): Promise<void> => {
  const { database, close } = await open(dataDir)
  await insertEvents(database, nights(events, SITES).recorded.slice(0, events))
  await close()
}

const open = async (
  dataDir: string,
): Promise<{ database: Database; close: () => Promise<void> }> => {
  const embedded = right(await openEmbedded(dataDir)())
  const database = right(await openDatabase(embedded.connection)())
  const close = async (): Promise<void> => {
    await database.close()
    await embedded.close()
  }
  return { database, close }
}

type Measured = {
  readonly events: number
  readonly bytes: number
  readonly bareMs: number
  /** The rows and states of each projection, copied within the server. */
  readonly writtenMs: Readonly<Record<string, number>>
  readonly rebuiltMs: Readonly<Record<string, number>>
  readonly rows: Readonly<Record<string, number>>
  readonly peakMegabytes: number
}

/** Times by name, in milliseconds. */
const stopwatch = () => {
  const times = new Map<string, number[]>()
  return {
    note: (name: string, from: number): void => {
      times.set(name, [...(times.get(name) ?? []), performance.now() - from])
    },
    median: (name: string): number =>
      times.get(name)?.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN,
  }
}

const measure = async (dataDir: string): Promise<Measured> => {
  const { database, close } = await open(dataDir)
  const ledger = right(await postgresLedger(database, systemClock())())
  const store = postgresProjectionStore(database)
  const bodies = memoryBodyStore((size) => Buffer.alloc(size))
  const ports = { ledger, store, bodies, readers: [] }
  const projections = [requestLog, siteCooldown]
  const { note, median } = stopwatch()
  let read = { events: 0, bytes: 0 }
  for (let round = 0; round <= ROUNDS; round += 1) {
    // The first round warms both sides up and is not counted.
    const from = performance.now()
    read = await readBare(database)
    if (round > 0) note('bare', from)
    for (const projection of projections) {
      const from = performance.now()
      right(await rebuild(ports)(projection)())
      if (round > 0) note(projection.name, from)
      const rebuilt = performance.now()
      await writeBare(database, projection)
      if (round > 0) note(`write ${projection.name}`, rebuilt)
    }
  }
  const rows = right(await store.status()()).map((one) => [one.projection, one.rows] as const)
  await ledger.close()
  await close()
  return {
    ...read,
    bareMs: median('bare'),
    rebuiltMs: Object.fromEntries(projections.map(({ name }) => [name, median(name)])),
    writtenMs: Object.fromEntries(projections.map(({ name }) => [name, median(`write ${name}`)])),
    rows: Object.fromEntries(rows),
    peakMegabytes: Math.round(process.resourceUsage().maxRSS / 1024),
  }
}

/** The same columns of the same rows, page by page, not looked into. */
const readBare = async ({ writer }: Database): Promise<{ events: number; bytes: number }> => {
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

/** The same rows and states into tables of the same shape, without any of them leaving the server. */
const writeBare = async ({ projector }: Database, { name }: Projection): Promise<void> => {
  const { rows, states } = tableNames(name, 'live')
  for (const table of [rows, states]) {
    await projector.query(`create table projection.bare (like ${table} including all)`)
    await projector.query(`insert into projection.bare select * from ${table}`)
    await projector.query('drop table projection.bare')
  }
}

const report = (measured: Measured): boolean => {
  const { events, bytes, bareMs, rebuiltMs, writtenMs, rows, peakMegabytes } = measured
  const rate = (ms: number): string => `${Math.round(events / ms)}k events/s`
  console.log(`${events} events, ${Math.round(bytes / events)} bytes each`)
  console.log(`bare reading       ${bareMs.toFixed(0)} ms, ${rate(bareMs)}`)
  const ratios = Object.entries(rebuiltMs).map(([name, ms]) => {
    const reading = bareMs / ms
    const both = (bareMs + (writtenMs[name] ?? 0)) / ms
    const ratio = name === requestLog.name ? both : reading
    const verdict = ratio >= GOAL ? 'good' : `below ${GOAL}`
    console.log(
      `${name.padEnd(18)} ${ms.toFixed(0)} ms, ${rate(ms)}, ${rows[name]} rows: ${reading.toFixed(2)} × bare reading, ${both.toFixed(2)} × bare reading and writing, ${verdict}`,
    )
    return ratio
  })
  console.log(`peak memory        ${peakMegabytes} MB`)
  return ratios.every((ratio) => ratio >= GOAL)
}

const main = async (): Promise<void> => {
  const [first = '100000', dir] = process.argv.slice(2)
  if (first === '--measure' && dir !== undefined) {
    console.log(JSON.stringify(await measure(dir)))
    return
  }
  const dataDir = await realpath(await mkdtemp(join(tmpdir(), 'bench-rebuild-')))
  try {
    await fill(dataDir, Number(first))
    const script = import.meta.filename
    const child = spawnSync(process.execPath, [script, '--measure', dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
      encoding: 'utf8',
    })
    if (child.status !== 0) throw new Error('the measuring process failed')
    // The child is this script: what it prints is a Measured.
    process.exitCode = report(JSON.parse(child.stdout) as Measured) ? 0 : 1
  } finally {
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
}

await main()
