/**
 * A fresh database for a test, quickly: one embedded server a test process, one database a call.
 *
 *     const { database, close } = await testDatabase()
 *     const { ledger, claims } = await testLedger()
 *
 * Everything is closed and removed when the tests of the file are over.
 */
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { Client } from 'pg'
import { postgresClaims } from '../../src/adapters/postgres/claims.ts'
import { connectionOf, type Settings } from '../../src/adapters/postgres/connection.ts'
import { type Database, openDatabase } from '../../src/adapters/postgres/database.ts'
import { openEmbedded } from '../../src/adapters/postgres/embedded/embedded.ts'
import { type PostgresLedger, postgresLedger } from '../../src/adapters/postgres/ledger.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import { right } from './either.ts'
import {
  debianPrograms,
  embeddedPrograms,
  type Programs,
  type Server,
  startServer,
} from './postgres-server.ts'

/** Where databases can be made: gives the settings of one that was just created. */
export type Place = { readonly name: string; readonly newDatabase: () => Promise<Settings> }

const closing: (() => Promise<void>)[] = []
const atTheEnd = (close: () => Promise<void>): void => void closing.unshift(close)
after(async () => {
  for (const close of closing) await close()
})

let made = 0
const nextName = (): string => `test_${process.pid}_${(made += 1)}`

/** Runs statements over one connection, as the user of `settings`. */
export const execute = async (settings: Settings, ...statements: string[]): Promise<void> => {
  const client = new Client(connectionOf(settings, undefined))
  client.on('error', () => undefined)
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

const once = <A>(make: () => Promise<A>): (() => Promise<A>) => {
  let first: Promise<A> | undefined
  return () => (first ??= make())
}

const openServer = once(async () => {
  const dataDir = await realpath(await mkdtemp(join(tmpdir(), 'ledger-test-')))
  const embedded = right(await openEmbedded(dataDir)())
  atTheEnd(async () => {
    await embedded.close()
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  })
  return embedded.connection
})

/** The embedded server, over its Unix socket. */
export const embeddedPlace: Place = {
  name: 'embedded PostgreSQL',
  newDatabase: async () => {
    const connection = await openServer()
    const name = nextName()
    await execute(connection, `create database ${name}`)
    return { ...connection, database: name }
  },
}

/** A server by its address, with a password. */
const serverPlace = (name: string, programs: () => Promise<Programs>): Place => {
  const open = once(async (): Promise<Server> => {
    const server = await startServer(await programs())
    atTheEnd(server.remove)
    return server
  })
  return {
    name,
    newDatabase: async () => {
      const server = await open()
      const database = nextName()
      await execute({ url: server.url('postgres') }, `create database ${database}`)
      return { url: server.url(database) }
    },
  }
}

/** Every kind of database the ledger promises to work on that this machine has. */
export const places: readonly Place[] = [
  embeddedPlace,
  serverPlace('a server by URL', embeddedPrograms),
  ...debianPrograms().map((programs) =>
    serverPlace(`a server by URL, PostgreSQL ${programs.major}`, async () => programs),
  ),
]

export type TestDatabase = {
  readonly settings: Settings
  readonly database: Database
  readonly close: () => Promise<void>
}

/** A new database, opened. */
export const testDatabase = async (place: Place = embeddedPlace): Promise<TestDatabase> => {
  const settings = await place.newDatabase()
  const database = await openAgain(settings)
  return { settings, database, close: database.close }
}

/** The database at `settings`, opened once more, as another process would. */
export const openAgain = async (settings: Settings): Promise<Database> => {
  const database = right(await openDatabase(settings)())
  atTheEnd(database.close)
  return database
}

export type TestLedger = TestDatabase & {
  readonly ledger: PostgresLedger
  readonly claims: ReturnType<typeof postgresClaims>
}

/** A new, empty ledger with claims for one process. */
export const testLedger = async (
  clock: Clock = systemClock(),
  place: Place = embeddedPlace,
): Promise<TestLedger> => {
  const opened = await testDatabase(place)
  const { database } = opened
  const ledger = right(await postgresLedger(database, clock)())
  const claims = postgresClaims(database, { holder: 'test', isGone: () => undefined })
  const close = async (): Promise<void> => {
    await claims.close()
    await ledger.close()
    await database.close()
  }
  return { ...opened, ledger, claims, close }
}
