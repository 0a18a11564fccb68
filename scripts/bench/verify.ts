/**
 * What verifying a whole ledger costs against bare SHA-256 over the same bytes, and what sealing
 * beside them costs appends, on one embedded server with everything durable.
 *
 *     node scripts/bench/verify.ts [EVENTS] [--rounds N] [--json]
 *
 * Ends with code 1 if a goal is missed: memory of the process that verifies (one of its own), share of
 * the append throughput that is left while it seals.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fileSigningKeys } from '../../src/adapters/files/signing-keys.ts'
import { fileLastSigned, fileVerified } from '../../src/adapters/files/tlog.ts'
import { memoryBodyStore } from '../../src/adapters/memory/bodies.ts'
import { postgresCosignatures } from '../../src/adapters/postgres/cosignatures.ts'
import { type Database, openDatabase } from '../../src/adapters/postgres/database.ts'
import { openEmbedded } from '../../src/adapters/postgres/embedded/embedded.ts'
import { type PostgresLedger, postgresLedger } from '../../src/adapters/postgres/ledger.ts'
import { postgresTree } from '../../src/adapters/postgres/tree.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { every } from '../../src/adapters/system/every.ts'
import type { Settings } from '../../src/adapters/postgres/connection.ts'
import { parse, t } from '../../src/kernel/codec.ts'
import { E, type Either } from '../../src/kernel/fp.ts'
import { siteOfHost } from '../../src/kernel/site.ts'
import { logStream, siteStream } from '../../src/ledger/stream.ts'
import type { TlogPorts } from '../../src/ledger/tlog/port.ts'
import { sealer } from '../../src/shell/tlog/seal.ts'
import { verify } from '../../src/shell/tlog/verify.ts'
import { whileSealing } from '../../src/shell/tlog/while-sealing.ts'
import { median } from './measure.ts'
import { requestSentTo } from './request-sent.ts'

const GOALS = { megabytes: 300, sealing: 0.85 }
const RUN = '20261130T010000Z-5f0c2a'
const CALLERS = 256
const SITES = 1_000
const ROUND = 20_000

const orThrow = <L, A>(either: Either<L, A>): A => {
  if (E.isRight(either)) return either.right
  throw new Error(JSON.stringify(either.left))
}

/** Appends `n` events, one an append, by many callers; gives how many a second. */
const appender = (ledger: PostgresLedger) => {
  const versions = new Map<string, number>()
  let turn = 0
  return async (n: number): Promise<number> => {
    let left = n
    const caller = async (): Promise<void> => {
      while (left-- > 0) {
        const host = `site${(turn += 1) % SITES}.example`
        const expectedVersion = versions.get(host) ?? 0
        versions.set(host, expectedVersion + 1)
        const stream = siteStream(siteOfHost(host))
        const append = { stream, expectedVersion, events: [requestSentTo(host)] } as const
        orThrow(await ledger.append(RUN, append)())
      }
    }
    const from = performance.now()
    await Promise.all(Array.from({ length: CALLERS }, caller))
    return (n / (performance.now() - from)) * 1_000
  }
}

const open = async (ledger: PostgresLedger): Promise<void> => {
  const event = {
    type: 'LogOpened',
    v: 2,
    origin: 'ledger.example/bench',
    clock: 'system',
    software: 'bench',
    predecessor: null,
  } as const
  orThrow(await ledger.append(RUN, { stream: logStream, expectedVersion: 0, events: [event] })())
}

/** Medians over rounds of appending with and without sealing meanwhile, in turns. */
const measureSealing = async (ledger: PostgresLedger, tlog: Tlog, rounds: number, n: number) => {
  const append = appender(ledger)
  const seal = sealer({ ...tlog, ledger })
  const bare: number[] = []
  const sealing: number[] = []
  await append(ROUND)
  let left = n - ROUND
  for (let round = 0; round < rounds; round += 1) {
    for (const way of round % 2 === 0 ? ['bare', 'sealing'] : ['sealing', 'bare']) {
      // Each round seals only its own: what the other way left behind is sealed before.
      await seal()
      if (way === 'bare') bare.push(await append(ROUND))
      else sealing.push((await whileSealing(seal, every, () => append(ROUND), 500)).result)
      left -= ROUND
    }
  }
  for (; left > 0; left -= ROUND) {
    await append(Math.min(left, ROUND))
    await seal()
  }
  await seal()
  const ratio = median(sealing.map((rate, i) => rate / (bare[i] ?? Number.NaN)))
  return { bare: median(bare), sealing: median(sealing), ratio }
}

/** SHA-256 over the bytes that the ledger holds, entry by entry, and nothing else. */
const bareSha256 = (entries: number, bytes: number): number => {
  const entry = Buffer.alloc(Math.round(bytes / entries), 'x')
  const from = performance.now()
  for (let i = 0; i < entries; i += 1) createHash('sha256').update(entry).digest()
  return performance.now() - from
}

type Verified = {
  readonly entries: number
  readonly bytes: number
  readonly heads: number
  readonly ms: number
  readonly sha256Ms: number
  readonly ratio: number
  readonly megabytes: number
}

const measureVerify = async (ledger: PostgresLedger, tlog: Tlog): Promise<Verified> => {
  let rss = 0
  const watch = setInterval(() => (rss = Math.max(rss, process.memoryUsage.rss())), 50)
  const from = performance.now()
  const report = await verify(
    { ...tlog, ledger, bodies: memoryBodyStore(() => Buffer.alloc(32)) },
    {
      full: true,
      now: systemClock().now(),
      stop: new AbortController().signal,
      progress: () => undefined,
    },
  )
  const ms = performance.now() - from
  clearInterval(watch)
  if (!report.ok) throw new Error(JSON.stringify(report))
  const sha256Ms = bareSha256(report.entries, report.bytes)
  const { entries, bytes, heads } = report
  const megabytes = Math.round(rss / 1_048_576)
  return { entries, bytes, heads, ms, sha256Ms, ratio: ms / sha256Ms, megabytes }
}

/** All but witnesses. */
type Tlog = Omit<TlogPorts, 'objections' | 'post' | 'now' | 'within'>

const tlogOf = (database: Database, data: string): Tlog => ({
  tree: postgresTree(database),
  cosignatures: postgresCosignatures(database),
  keys: fileSigningKeys(join(data, 'signing')),
  lastSigned: fileLastSigned(join(data, 'signing')),
  verified: fileVerified(join(data, 'verified.json')),
  every,
})

/** What a process of its own is told: where the database is, and the data directory. */
const Place = t.type({
  settings: t.type({ host: t.string, port: t.number, user: t.string, database: t.string }),
  data: t.string,
})

const VerifiedJson = t.type({
  entries: t.number,
  bytes: t.number,
  heads: t.number,
  ms: t.number,
  sha256Ms: t.number,
  ratio: t.number,
  megabytes: t.number,
})

/** The part of the process of its own. */
const verifyAt = async (place: string): Promise<void> => {
  const { settings, data } = orThrow(parse('place', Place, JSON.parse(place)))
  const database = orThrow(await openDatabase(settings)())
  const ledger = orThrow(await postgresLedger(database, systemClock())())
  console.log(JSON.stringify(await measureVerify(ledger, tlogOf(database, data))))
  await ledger.close()
  await database.close()
}

const verifyElsewhere = async (settings: Settings, data: string): Promise<Verified> => {
  const args = [import.meta.filename, '--at', JSON.stringify({ settings, data })]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await once(child, 'close')
  return orThrow(parse('verified', VerifiedJson, JSON.parse(output)))
}

type Results = {
  readonly append: Awaited<ReturnType<typeof measureSealing>>
  readonly verified: Verified
}

const shown = ({ append, verified }: Results): string => {
  const whole = (n: number): string => Math.round(n).toLocaleString('en')
  return [
    `Appends of ${CALLERS} callers: ${whole(append.bare)}/s; ${whole(append.sealing)}/s while sealing every 0.5 s`,
    `  ratio ${append.ratio.toFixed(2)}, goal ${GOALS.sealing}: ${append.ratio >= GOALS.sealing ? 'met' : 'NOT met'}`,
    `Verified ${whole(verified.entries)} entries, ${whole(verified.bytes)} bytes, ${verified.heads} heads in ${(verified.ms / 1_000).toFixed(1)} s`,
    `  ${verified.ratio.toFixed(1)} times bare SHA-256 over the same bytes (${(verified.sha256Ms / 1_000).toFixed(1)} s)`,
    `  at most ${verified.megabytes} MB, goal ${GOALS.megabytes}: ${verified.megabytes <= GOALS.megabytes ? 'met' : 'NOT met'}`,
  ].join('\n')
}

const main = async (): Promise<void> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '6' },
      json: { type: 'boolean', default: false },
      at: { type: 'string' },
    },
  })
  if (values.at !== undefined) return verifyAt(values.at)
  const data = await mkdtemp(join(tmpdir(), 'ledger-bench-'))
  const embedded = orThrow(await openEmbedded(data)())
  const database = orThrow(await openDatabase(embedded.connection)())
  try {
    const ledger = orThrow(await postgresLedger(database, systemClock())())
    await open(ledger)
    const tlog = tlogOf(database, data)
    const events = Number(positionals[0] ?? '300000')
    const append = await measureSealing(ledger, tlog, Number(values.rounds), events)
    const results = { append, verified: await verifyElsewhere(embedded.connection, data) }
    await ledger.close()
    console.log(values.json ? JSON.stringify({ goals: GOALS, ...results }) : shown(results))
    const met = append.ratio >= GOALS.sealing && results.verified.megabytes <= GOALS.megabytes
    process.exitCode = met ? 0 : 1
  } finally {
    await database.close()
    await embedded.close()
    await rm(data, { recursive: true, force: true })
  }
}

await main()
