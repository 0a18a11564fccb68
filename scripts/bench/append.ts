/**
 * What keeping the ledger's promises costs an append, against a bare INSERT of the same rows into a
 * table of the same shape, on one embedded server with everything durable.
 *
 *     node scripts/bench/append.ts [--n EVENTS] [--rounds N] [--json]
 *
 * Ends with code 1 if a ratio is below its goal.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { connectionOf } from '../../src/adapters/postgres/connection.ts'
import { type Database, openDatabase } from '../../src/adapters/postgres/database.ts'
import { openEmbedded } from '../../src/adapters/postgres/embedded/embedded.ts'
import { postgresLedger } from '../../src/adapters/postgres/ledger.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { E, type Either } from '../../src/kernel/fp.ts'
import { instant } from '../../src/kernel/instant.ts'
import { siteOfHost } from '../../src/kernel/site.ts'
import { encodeEntry, leafHash } from '../../src/ledger/entry.ts'
import type { Ledger } from '../../src/ledger/port.ts'
import { siteStream, type StreamName } from '../../src/ledger/stream.ts'
import { compare, type Comparison, describe, type Way } from './measure.ts'
import { requestSentTo } from './request-sent.ts'

const GOALS = { sequential: 0.8, grouped: 0.7 }
const SITES = 1_000
const RUN = '20261130T010000Z-5f0c2a'
const CALLERS = 256

const orThrow = <L, A>(either: Either<L, A>): A => {
  if (E.isRight(either)) return either.right
  throw new Error(JSON.stringify(either.left))
}

/** The next place in one of many streams, turn by turn. */
const streams = (prefix: string) => {
  const versions = new Map<StreamName, number>()
  let turn = 0
  return (): { readonly stream: StreamName; readonly expectedVersion: number; host: string } => {
    const host = `${prefix}${(turn += 1) % SITES}.example`
    const stream = siteStream(siteOfHost(host))
    const expectedVersion = versions.get(stream) ?? 0
    versions.set(stream, expectedVersion + 1)
    return { stream, expectedVersion, host }
  }
}

type Row = readonly [number, string, number, string, number, Buffer, Buffer]

/** Rows for the bare table, ready made: only the database's work is measured there. */
const rows = () => {
  const place = streams('bare-')
  const ts = instant(Date.UTC(2026, 10, 30, 1))
  let position = 0
  return (): Row => {
    const { stream, expectedVersion, host } = place()
    const version = expectedVersion + 1
    const entry = encodeEntry(requestSentTo(host), { ts, stream, version, run: RUN })
    return [(position += 1), stream, version, 'RequestSent', ts, entry, leafHash(entry)]
  }
}

const take = <A>(next: () => A, n: number): readonly A[] => Array.from({ length: n }, next)

const INSERT = {
  name: 'bare-insert',
  text: 'insert into bare (position, stream, version, type, ts, entry, leaf) values ($1, $2, $3, $4, $5, $6, $7)',
}

/** One prepared INSERT a row, each waiting for the one before. */
const bareSequential = (client: Client, next: () => Row): Way => ({
  name: 'bare prepared INSERT, one after the other',
  ready: (n) => {
    const ready = take(next, n)
    return async () => {
      for (const row of ready) await client.query({ ...INSERT, values: [...row] })
    }
  },
})

const placeholders = Array.from(
  { length: CALLERS },
  (_, i) => `(${Array.from({ length: 7 }, (_, j) => `$${i * 7 + j + 1}`).join(', ')})`,
)
const INSERT_MANY = {
  name: 'bare-insert-many',
  text: `insert into bare (position, stream, version, type, ts, entry, leaf) values ${placeholders.join(', ')}`,
}

/** One prepared INSERT of as many rows as there are callers. */
const bareGrouped = (client: Client, next: () => Row): Way => ({
  name: `bare prepared INSERT of ${CALLERS} rows`,
  ready: (n) => {
    const ready = Array.from({ length: Math.ceil(n / CALLERS) }, () => take(next, CALLERS).flat())
    return async () => {
      for (const values of ready) await client.query({ ...INSERT_MANY, values })
    }
  },
})

/** `callers` callers, each appending one event after the other. */
const appends = (ledger: Ledger, callers: number): Way => {
  const place = streams(`ours-${callers}-`)
  return {
    name: callers === 1 ? 'append, one after the other' : `append, ${callers} callers`,
    ready: (n) => {
      const ready = take(() => {
        const { stream, expectedVersion, host } = place()
        const append = { stream, expectedVersion, events: [requestSentTo(host)] } as const
        return append
      }, n)
      let next = 0
      const caller = async (): Promise<void> => {
        for (let append = ready[next++]; append !== undefined; append = ready[next++])
          orThrow(await ledger.append(RUN, append)())
      }
      return async () => {
        await Promise.all(Array.from({ length: callers }, caller))
      }
    },
  }
}

type Results = { readonly sequential: Comparison; readonly grouped: Comparison }

const measure = async (
  database: Database,
  client: Client,
  { n, rounds }: { readonly n: number; readonly rounds: number },
): Promise<Results> => {
  await client.query('create table bare (like event including all)')
  const ledger = orThrow(await postgresLedger(database, systemClock())())
  const next = rows()
  const one = { n: Math.ceil(n / 10), rounds }
  const many = { n: Math.ceil(n / CALLERS) * CALLERS, rounds }
  const grouped = await compare(bareGrouped(client, next), appends(ledger, CALLERS), many)
  const sequential = await compare(bareSequential(client, next), appends(ledger, 1), one)
  await ledger.close()
  return { sequential, grouped }
}

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      n: { type: 'string', default: '10240' },
      rounds: { type: 'string', default: '20' },
      json: { type: 'boolean', default: false },
    },
  })
  const data = await mkdtemp(join(tmpdir(), 'bench-append-'))
  const embedded = orThrow(await openEmbedded(data)())
  const database = orThrow(await openDatabase(embedded.connection)())
  const client = new Client(connectionOf(embedded.connection, undefined))
  await client.connect()
  try {
    const size = { n: Number(values.n), rounds: Number(values.rounds) }
    const results = await measure(database, client, size)
    if (values.json) console.log(JSON.stringify({ ...size, goals: GOALS, ...results }))
    else {
      console.log(`One RequestSent after the other, ${size.rounds} rounds, medians:`)
      console.log(describe(results.sequential, GOALS.sequential))
      console.log(`${CALLERS} in flight:`)
      console.log(describe(results.grouped, GOALS.grouped))
    }
    const met =
      results.sequential.ratio >= GOALS.sequential && results.grouped.ratio >= GOALS.grouped
    process.exitCode = met ? 0 : 1
  } finally {
    await client.end()
    await database.close()
    await embedded.close()
    await rm(data, { recursive: true, force: true })
  }
}

await main()
