/** The composition root: the only file that builds adapters. */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { ProjectionStore } from '../projections/port.ts'
import { fileBodyStore } from './adapters/bodies/files.ts'
import { exportedFilesAt } from './adapters/files/exported-files.ts'
import { folderAt } from './adapters/files/folder.ts'
import { fileSigningKeys } from './adapters/files/signing-keys.ts'
import { fileSwept } from './adapters/files/swept.ts'
import { fileLastSigned, fileObjections, fileVerified } from './adapters/files/tlog.ts'
import { parseAuthority } from './adapters/http/authority.ts'
import { httpFetcher } from './adapters/http/fetcher.ts'
import { httpPoster } from './adapters/http/poster.ts'
import { joinResolve, parseResolveFile, parseResolveRules } from './adapters/http/resolve.ts'
import { opensslTimestamps } from './adapters/openssl/check-timestamp.ts'
import { postgresClaims } from './adapters/postgres/claims.ts'
import type { Settings } from './adapters/postgres/connection.ts'
import { type Database, openDatabase } from './adapters/postgres/database.ts'
import { postgresCosignatures } from './adapters/postgres/cosignatures.ts'
import { openEmbedded } from './adapters/postgres/embedded/embedded.ts'
import { postgresHead, postgresLedger, postgresReading } from './adapters/postgres/ledger.ts'
import { postgresProjectionStore } from './adapters/postgres/projections/store.ts'
import { postgresTree } from './adapters/postgres/tree.ts'
import { systemClock } from './adapters/system/clock.ts'
import { every } from './adapters/system/every.ts'
import { isProcessGone, processIdentity } from './adapters/system/process-identity.ts'
import { within } from './adapters/system/within.ts'
import { simulatedClock } from './adapters/system/simulated-clock.ts'
import { threadOf } from './adapters/system/thread.ts'
import type { Fetcher } from './capture/port.ts'
import type { Config } from './config.ts'
import type { Clock } from './kernel/clock.ts'
import { E } from './kernel/fp.ts'
import { instant } from './kernel/instant.ts'
import type { Ledger } from './ledger/port.ts'
import type { CheckTimestamp, TlogPorts } from './ledger/tlog/port.ts'
import type { Claims } from './politeness/port.ts'
import { READER_VERSIONS } from './readers/index.ts'
import type { Reader } from './readers/reader.ts'
import { type Bodies, tellingErased } from './shell/erasing/erased-bodies.ts'
import type { SweptMemory } from './shell/erasing/sweep.ts'
import { Halt, orHalt } from './shell/halt.ts'
import { foldTogether, type Progress } from './shell/projecting/folding.ts'
import { received, sent, type SentShare } from './shell/projecting/sent-share.ts'
import type { Workers } from './shell/projecting/shares.ts'

/** Everything a command works with, opened. */
export type Opened = {
  readonly ledger: Ledger
  /** The transparency log over the ledger: its tree, heads and keys. */
  readonly tlog: TlogPorts
  readonly claims: Claims
  readonly bodies: Bodies
  readonly swept: SweptMemory
  readonly store: ProjectionStore
  readonly readers: readonly Reader[]
  /** Threads to fold in. */
  readonly workers: (count: number) => Workers
  readonly clock: Clock
  /** This process, and whether another one is known to be gone. */
  readonly process: string
  readonly isGone: (process: string) => boolean | undefined
  readonly close: () => Promise<void>
}

export const compose = async (config: Config): Promise<Opened> => {
  const opened = await openDatabaseOf(config)
  try {
    return await composeOn(config, opened)
  } catch (error) {
    // An open connection would keep the command from ending.
    await opened.close()
    throw error
  }
}

const composeOn = async (
  config: Config,
  { database, settings, close }: OpenedDatabase,
): Promise<Opened> => {
  const clock = await clockOf(config, database)
  const ledger = await orHalt(postgresLedger(database, clock))
  const holder = processIdentity()
  const claims = postgresClaims(database, { holder, isGone: isProcessGone })
  return {
    ledger,
    tlog: tlogOf(config, database, await Promise.all(config.authorities.map(readAuthority))),
    claims,
    bodies: await bodiesIn(config.data, ledger),
    swept: fileSwept(join(config.data, 'erased-through')),
    store: postgresProjectionStore(database),
    readers: READER_VERSIONS,
    workers: (count) => foldingThreads(settings, config.data, count),
    clock,
    process: holder,
    isGone: isProcessGone,
    close: async () => {
      await claims.close()
      await ledger.close()
      await close()
    },
  }
}

const bodiesIn = async (data: string, ledger: Pick<Ledger, 'readAll' | 'head'>): Promise<Bodies> =>
  tellingErased(await orHalt(fileBodyStore(join(data, 'bodies'), randomBytes)), ledger)

type FoldingJob = SentShare & { readonly settings: Settings; readonly data: string }

const foldingThread = threadOf<FoldingJob, Progress, Awaited<ReturnType<Workers['fold']>>>(
  new URL('folding-thread.ts', import.meta.url),
)

/** A thread takes about a second of a processor before it folds at full speed. */
const WORTH_THREADS = 300_000

export const foldingThreads = (settings: Settings, data: string, count: number): Workers => ({
  count,
  from: WORTH_THREADS,
  fold: (share, onProgress) => foldingThread.run({ ...sent(share), settings, data }, onProgress),
})

/** The other end: `folding-thread.ts` is this and no more. */
export const foldInThread = (): void =>
  foldingThread.answer(async (job, onProgress) => {
    const opened = await openDatabase(job.settings)()
    if (E.isLeft(opened)) return job.courses.map(() => opened)
    const database = opened.right
    try {
      const ledger = postgresReading(database)
      const bodies = await bodiesIn(job.data, ledger)
      const ports = { ledger, bodies, store: postgresProjectionStore(database) }
      const { courses, ...limits } = received(job)
      return await foldTogether({ ...ports, readers: READER_VERSIONS }, courses, {
        ...limits,
        onProgress,
      })
    } finally {
      await database.close()
    }
  })

const tlogOf = (
  { data }: Config,
  database: Database,
  authorities: readonly string[],
): TlogPorts => ({
  tree: postgresTree(database),
  cosignatures: postgresCosignatures(database),
  keys: fileSigningKeys(join(data, 'signing')),
  lastSigned: fileLastSigned(join(data, 'signing')),
  verified: fileVerified(join(data, 'verified.json')),
  objections: fileObjections(join(data, 'signing')),
  post: httpPoster(authorities),
  now: systemClock().now,
  every,
  within,
})

type OpenedDatabase = {
  readonly database: Database
  readonly settings: Settings
  readonly close: () => Promise<void>
}

const openDatabaseOf = async ({ data, databaseUrl }: Config): Promise<OpenedDatabase> => {
  if (databaseUrl !== undefined) {
    const settings = { url: databaseUrl }
    const database = await orHalt(openDatabase(settings))
    return { database, settings, close: database.close }
  }
  const embedded = await orHalt(openEmbedded(data))
  const opened = await openDatabase(embedded.connection)()
  if (E.isLeft(opened)) {
    await embedded.close()
    throw new Halt(opened.left)
  }
  const database = opened.right
  const close = async (): Promise<void> => {
    await database.close()
    await embedded.close()
  }
  return { database, settings: embedded.connection, close }
}

/** A simulated clock goes on where the ledger's time stands: its past is never earlier than its past. */
const clockOf = async ({ clock }: Config, database: Database): Promise<Clock> => {
  const system = systemClock()
  if (clock === 'system') return system
  const head = await orHalt(postgresHead(database))
  return simulatedClock(instant(Math.max(clock.simulatedFrom ?? system.now(), head.ts)))
}

/** The fetcher of a run: the public web, and whatever `--resolve` maps. */
export const fetcherOf = async (config: Config): Promise<Fetcher> => {
  const files = await Promise.all(
    config.resolveFiles.map(async (file) => parseResolveFile(file, await readText(file))),
  )
  const maps = [...files, parseResolveRules(config.resolve)].map((map) => {
    if (E.isLeft(map)) throw new Halt(map.left)
    return map.right
  })
  const authorities = await Promise.all(config.authorities.map(readAuthority))
  return httpFetcher({ resolve: joinResolve(...maps), authorities })
}

const readAuthority = async (file: string): Promise<string> => {
  const authority = parseAuthority(file, await readText(file))
  if (E.isLeft(authority)) throw new Halt(authority.left)
  return authority.right
}

/** Judges time stamps by the certificates in a file that a person named. */
export const timestampsBy = async (file: string): Promise<CheckTimestamp> => {
  await readAuthority(file)
  return opensslTimestamps(resolve(file))
}

/** The fetcher of a rehearsal: rules and authorities that are already at hand. */
export const fetcherFor = (given: {
  readonly resolve: readonly string[]
  readonly authorities: readonly string[]
}): Fetcher => {
  const resolve = parseResolveRules(given.resolve)
  if (E.isLeft(resolve)) throw new Halt(resolve.left)
  return httpFetcher({ resolve: resolve.right, authorities: given.authorities })
}

/** The bytes of a file a person named; a clear answer if it cannot be read. */
export const readBytes = async (file: string): Promise<Buffer> => {
  try {
    return await readFile(file)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    throw new Halt({ tag: 'WrongUse', because: `cannot read ${file} (${code})` })
  }
}

export const readText = async (file: string): Promise<string> =>
  (await readBytes(file)).toString('utf8')

export { exportedFilesAt, folderAt }
