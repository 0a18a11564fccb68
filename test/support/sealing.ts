/** A ledger that is sealed: real PostgreSQL, real files for keys and what was signed last. */
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileSigningKeys } from '../../src/adapters/files/signing-keys.ts'
import { fileLastSigned, fileObjections, fileVerified } from '../../src/adapters/files/tlog.ts'
import { httpPoster } from '../../src/adapters/http/poster.ts'
import { postgresCosignatures } from '../../src/adapters/postgres/cosignatures.ts'
import { postgresTree } from '../../src/adapters/postgres/tree.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { every } from '../../src/adapters/system/every.ts'
import { within } from '../../src/adapters/system/within.ts'
import type { Ledger } from '../../src/ledger/port.ts'
import { logStream } from '../../src/ledger/stream.ts'
import type { TlogPorts } from '../../src/ledger/tlog/port.ts'
import type { Database } from '../../src/adapters/postgres/database.ts'
import { type SealPorts, type Sealed, sealer } from '../../src/shell/tlog/seal.ts'
import { execute, testLedger, type TestLedger } from './database.ts'
import { right } from './either.ts'
import { appendOf, RUN } from './ledgers.ts'
import { temporaryDirectory } from './temporary-directory.ts'

export const ORIGIN = 'ledger.example/crawl'

/** What a data directory and a database make together. */
export const tlogPorts = (database: Database, data: string): TlogPorts => ({
  tree: postgresTree(database),
  cosignatures: postgresCosignatures(database),
  keys: fileSigningKeys(join(data, 'signing')),
  lastSigned: fileLastSigned(join(data, 'signing')),
  verified: fileVerified(join(data, 'verified.json')),
  objections: fileObjections(join(data, 'signing')),
  post: httpPoster([]),
  now: systemClock().now,
  every,
  within,
})

export const openLog = async (ledger: Ledger, origin = ORIGIN): Promise<void> => {
  const event = {
    type: 'LogOpened',
    v: 2,
    origin,
    clock: 'system',
    software: 'test',
    predecessor: null,
  } as const
  right(await ledger.append(RUN, { stream: logStream, expectedVersion: 0, events: [event] })())
}

export type SealedLedger = TestLedger & {
  readonly data: string
  readonly tlog: TlogPorts
  readonly ports: SealPorts
  /** All of it: what exports and evidence are made from. */
  readonly publishing: TlogPorts & Pick<TestLedger, 'ledger'>
  readonly seal: () => Promise<Sealed>
  /** Appends so many small events to one stream. */
  readonly append: (count: number, stream?: string) => Promise<void>
}

/** A new log with its first entry; nothing is sealed yet. */
export const sealedLedger = async (t: TestContext): Promise<SealedLedger> => {
  const data = await temporaryDirectory(t)
  const opened = await testLedger()
  await openLog(opened.ledger)
  const tlog = tlogPorts(opened.database, data)
  const ports = { ...tlog, ledger: opened.ledger }
  const versions = new Map<string, number>()
  const append = async (count: number, stream = 'a'): Promise<void> => {
    const version = versions.get(stream) ?? 0
    const notes = Array.from({ length: count }, (_, i) => `${stream}${version + i + 1}`)
    right(await opened.ledger.append(RUN, appendOf(stream, version, ...notes))())
    versions.set(stream, version + count)
  }
  return { ...opened, data, tlog, ports, publishing: ports, seal: sealer(ports), append }
}

const TABLES = ['event', 'tree_hash', 'head', 'cosignature']

/** Does to the tables what only their owner can, behind the back of every trigger. */
export const tamper = (
  { settings }: Pick<TestLedger, 'settings'>,
  ...statements: readonly string[]
): Promise<void> =>
  execute(
    settings,
    'begin',
    ...TABLES.map((table) => `alter table ${table} disable trigger all`),
    ...statements,
    ...TABLES.map((table) => `alter table ${table} enable always trigger ${table}_append_only`),
    'commit',
  )
