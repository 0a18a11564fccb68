/** A ledger of many events for measuring, filled by COPY and not by the appender. */
import type { Settings } from '../../src/adapters/postgres/connection.ts'
import { type Database, openDatabase } from '../../src/adapters/postgres/database.ts'
import { openEmbedded } from '../../src/adapters/postgres/embedded/embedded.ts'
import { copyIn } from '../../src/adapters/postgres/projections/copy-in.ts'
import { encodeEntry, leafHash, type Recorded } from '../../src/ledger/entry.ts'
import { right } from '../../test/support/either.ts'
import { nights } from '../../test/support/nights.ts'

export const SITES = 400
const ROWS_AT_ONCE = 5_000

/** The embedded database in `dataDir`; `close` ends it. */
export const openBench = async (
  dataDir: string,
): Promise<{
  readonly database: Database
  readonly settings: Settings
  readonly close: () => Promise<void>
}> => {
  const embedded = right(await openEmbedded(dataDir)())
  const database = right(await openDatabase(embedded.connection)())
  const close = async (): Promise<void> => {
    await database.close()
    await embedded.close()
  }
  return { database, settings: embedded.connection, close }
}

/** Fills the empty ledger in `dataDir` with `events` events of a realistic mix. */
export const fillLedger = async (dataDir: string, events: number): Promise<void> => {
  const { database, close } = await openBench(dataDir)
  await copyEvents(database, nights(events, SITES).recorded.slice(0, events))
  await close()
}

/** Writes the events where an append would have put them. */
export const copyEvents = async (
  database: Database,
  recorded: readonly Recorded[],
): Promise<void> => {
  const client = await database.connect('crawl_ledger_writer')
  const into = 'event (position, stream, version, type, ts, entry, leaf)'
  for (let at = 0; at < recorded.length; at += ROWS_AT_ONCE) {
    const lines = recorded.slice(at, at + ROWS_AT_ONCE).map(lineOf)
    await copyIn(client, [{ into, bytes: [Buffer.from(lines.join(''))] }])
  }
  await client.end()
}

/** The row that an append of the event would have written. No cell has a character to escape. */
const lineOf = ({ event, ...envelope }: Recorded): string => {
  const entry = encodeEntry(event, envelope)
  const { position, stream, version, ts } = envelope
  const bytes = [entry, leafHash(entry)].map((cell) => `\\\\x${cell.toString('hex')}`)
  return `${[position, stream, version, event.type, ts, ...bytes].join('\t')}\n`
}
