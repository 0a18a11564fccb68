/**
 * A process of its own that appends, seals and asks a witness, and kills itself at one step of that.
 *
 *     node witnessing-process.ts SETTINGS-JSON DATA-DIRECTORY URL VKEY STEP
 */
import type { Settings } from '../../src/adapters/postgres/connection.ts'
import { openDatabase } from '../../src/adapters/postgres/database.ts'
import { postgresLedger } from '../../src/adapters/postgres/ledger.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { parse, t } from '../../src/kernel/codec.ts'
import { parseHttpUrl } from '../../src/kernel/url.ts'
import { parseVerifierKey } from '../../src/ledger/tlog/key.ts'
import { askWitness, type AskPorts } from '../../src/shell/tlog/ask-witness.ts'
import { sealer } from '../../src/shell/tlog/seal.ts'
import { right } from './either.ts'
import { appendOf, RUN } from './ledgers.ts'
import { tlogPorts } from './sealing.ts'

const SettingsJson = t.type({ host: t.string, port: t.number, user: t.string, database: t.string })
const [json = '', data = '', url = '', vkey = '', step = ''] = process.argv.slice(2)
const settings: Settings = right(parse('settings', SettingsJson, JSON.parse(json)))
const database = right(await openDatabase(settings)())
const ledger = right(await postgresLedger(database, systemClock())())
const real = tlogPorts(database, data)

const dieAt = (here: string): void => {
  if (here === step) process.kill(process.pid, 'SIGKILL')
}

const ports: AskPorts = {
  ...real,
  post: async (...request) => {
    dieAt('before post')
    const reply = await real.post(...request)
    dieAt('after post')
    return reply
  },
  cosignatures: {
    ...real.cosignatures,
    add: (cosignature) => async () => {
      const added = await real.cosignatures.add(cosignature)()
      dieAt('after add')
      return added
    },
  },
}

right(await ledger.append(RUN, appendOf(`s${process.pid}`, 0, 'one', 'two', 'three'))())
const sealed = await sealer({ ...real, ledger })()
const witness = { key: right(parseVerifierKey(vkey)), url: right(parseHttpUrl(url)) }
if ('head' in sealed) await askWitness(ports, witness, sealed.head, new AbortController().signal)
