/**
 * A command of its own process that uses the embedded PostgreSQL, for tests that need several:
 * `node embedded-command.ts <data directory> hold | write <name> | cycle <times>`
 *
 * hold: opens, prints `open`, closes and prints `closed` when its standard input ends.
 * write: opens, adds rows to the table `written` one by one for ever, prints `acknowledged <n>` after each.
 * cycle: opens, asks one thing and closes, over and over, then prints `done`.
 * A refusal is printed as `unavailable <because>`; the exit code is then 1.
 */
import { once } from 'node:events'
import { Client } from 'pg'
import {
  type EmbeddedDatabase,
  openEmbedded,
} from '../../src/adapters/postgres/embedded/embedded.ts'
import { E } from '../../src/kernel/fp.ts'

const say = (line: string): boolean => process.stdout.write(`${line}\n`)

const opened = async (dataDir: string): Promise<EmbeddedDatabase> => {
  const database = await openEmbedded(dataDir)()
  if (E.isRight(database)) return database.right
  say(`unavailable ${database.left.because}`)
  process.exit(1)
}

const hold = async (dataDir: string): Promise<void> => {
  const database = await opened(dataDir)
  say('open')
  await once(process.stdin.resume(), 'end')
  await database.close()
  say('closed')
}

const write = async (dataDir: string, name: string): Promise<void> => {
  const { connection } = await opened(dataDir)
  const client = new Client(connection)
  await client.connect()
  for (let n = 1; ; n += 1) {
    await client.query('INSERT INTO written VALUES ($1, $2)', [name, n])
    say(`acknowledged ${n}`)
  }
}

const cycle = async (dataDir: string, times: number): Promise<void> => {
  for (let n = 0; n < times; n += 1) {
    const { connection, close } = await opened(dataDir)
    const client = new Client(connection)
    await client.connect()
    await client.query('SELECT pg_sleep(random() / 50)')
    await client.end()
    await close()
  }
  say('done')
}

const [dataDir = '', mode, argument = ''] = process.argv.slice(2)
if (mode === 'hold') await hold(dataDir)
else if (mode === 'write') await write(dataDir, argument)
else await cycle(dataDir, Number(argument))
