/**
 * A process of its own that appends and seals, and kills itself at one step of one sealing.
 *
 *     node sealing-process.ts SETTINGS-JSON DATA-DIRECTORY STEP ROUNDS
 *
 * STEP is one of STEPS; the kill comes in the last round. Prints each head that a sealing answered
 * with, as JSON of its note.
 */
import { openDatabase } from '../../src/adapters/postgres/database.ts'
import type { Settings } from '../../src/adapters/postgres/connection.ts'
import { postgresLedger } from '../../src/adapters/postgres/ledger.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { parse, t } from '../../src/kernel/codec.ts'
import { sealer, type SealPorts } from '../../src/shell/tlog/seal.ts'
import { right } from './either.ts'
import { appendOf, RUN } from './ledgers.ts'
import { tlogPorts } from './sealing.ts'

const SettingsJson = t.type({ host: t.string, port: t.number, user: t.string, database: t.string })
const [json = '', data = '', step = '', rounds = '1'] = process.argv.slice(2)
const settings: Settings = right(parse('settings', SettingsJson, JSON.parse(json)))
const database = right(await openDatabase(settings)())
const ledger = right(await postgresLedger(database, systemClock())())
const real = tlogPorts(database, data)
let last = false

const dieAt = (here: string): void => {
  if (last && here === step) process.kill(process.pid, 'SIGKILL')
}

/** Runs `task` with the death before it, or after it and before its answer is heard. */
const mortal =
  <A>(name: string, task: () => Promise<A>) =>
  async (): Promise<A> => {
    dieAt(`before ${name}`)
    const answer = await task()
    dieAt(`after ${name}`)
    return answer
  }

const ports: SealPorts = {
  ledger,
  keys: {
    list: (origin) => mortal('keys', real.keys.list(origin)),
    create: (origin) => mortal('create', real.keys.create(origin)),
    retireBefore: (origin, count) => mortal('retire', real.keys.retireBefore(origin, count)),
  },
  lastSigned: {
    read: () => mortal('read', real.lastSigned.read()),
    write: (note) => mortal('write', real.lastSigned.write(note)),
  },
  tree: {
    ...real.tree,
    leaves: (from, to) => mortal('leaves', real.tree.leaves(from, to)),
    exclusively: (task) =>
      mortal(
        'commit',
        real.tree.exclusively((add) => task((head, hashes) => mortal('add', add(head, hashes)))),
      ),
  },
}

const seal = sealer(ports)
const stream = `s${process.pid}`
for (let round = 1; round <= Number(rounds); round += 1) {
  const notes = Array.from({ length: 100 }, (_, i) => `${stream}-${round}-${i}`)
  right(await ledger.append(RUN, appendOf(stream, (round - 1) * 100, ...notes))())
  last = round === Number(rounds)
  const sealed = await seal()
  if ('head' in sealed) process.stdout.write(`${JSON.stringify(sealed.head.note)}\n`)
}
await ledger.close()
await database.close()
