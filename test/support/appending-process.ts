/**
 * A process of its own that appends until it is killed or has done `rounds` rounds.
 *
 *     node appending-process.ts SETTINGS-JSON NAME CALLERS ROUNDS
 *
 * Each caller has a stream of its own and takes turns on one that all callers of all processes
 * share. Prints one line for each append whose answer it has: `stands NOTE POSITION VERSION…`.
 */
import { openDatabase } from '../../src/adapters/postgres/database.ts'
import type { Settings } from '../../src/adapters/postgres/connection.ts'
import { postgresLedger } from '../../src/adapters/postgres/ledger.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { parse, t } from '../../src/kernel/codec.ts'
import { E } from '../../src/kernel/fp.ts'
import type { Ledger } from '../../src/ledger/port.ts'
import { siteOfHost } from '../../src/kernel/site.ts'
import { siteStream, type StreamName } from '../../src/ledger/stream.ts'
import { right } from './either.ts'

const SettingsJson = t.type({ host: t.string, port: t.number, user: t.string, database: t.string })
const [json = '', name = '', callers = '1', rounds = 'Infinity'] = process.argv.slice(2)
const settings: Settings = right(parse('settings', SettingsJson, JSON.parse(json)))
const database = right(await openDatabase(settings)())
const ledger: Ledger & { readonly close: () => Promise<void> } = right(
  await postgresLedger(database, systemClock())(),
)
const streamOf = (host: string): StreamName => siteStream(siteOfHost(`${host}.example`))
const site = siteOfHost('news.example')
const event = (note: string) => ({ type: 'SiteExcluded', v: 1, site, by: 'A', note }) as const

/** Appends three events that say who they belong to; goes on at the version a conflict names. */
const append = async (stream: StreamName, version: number, note: string): Promise<number> => {
  const events = [event(`${note}/1`), event(`${note}/2`), event(`${note}/3`)] as const
  const answer = await ledger.append(name, { stream, expectedVersion: version, events })()
  if (E.isRight(answer)) {
    process.stdout.write(`stands ${note} ${answer.right.positions.join(' ')}\n`)
    return answer.right.version
  }
  if (answer.left.tag !== 'Conflict') throw new Error(JSON.stringify(answer.left))
  process.stdout.write(`conflict ${note}\n`)
  return answer.left.actual
}

const caller = async (n: number): Promise<void> => {
  let own = 0
  let shared = 0
  for (let round = 0; round < Number(rounds); round += 1) {
    own = await append(streamOf(`${name}-${n}`), own, `${name}-${n}-${round}`)
    shared = await append(streamOf('shared'), shared, `${name}-${n}-${round}-shared`)
  }
}

process.stdout.write('ready\n')
await Promise.all(Array.from({ length: Number(callers) }, (_, n) => caller(n)))
await ledger.close()
await database.close()
