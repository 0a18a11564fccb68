/**
 * A process of its own that erases, and kills itself at one step of it:
 *
 *     node erasing-process.ts SETTINGS-JSON DATA-DIRECTORY STEP POSITION…
 *
 * STEP is `before` or `after`, a blank, and what is done there; any other word lets it live. A position
 * whose body was erased already is passed over.
 */
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { fileBodyStore } from '../../src/adapters/bodies/files.ts'
import { fileSwept } from '../../src/adapters/files/swept.ts'
import type { Settings } from '../../src/adapters/postgres/connection.ts'
import { openDatabase } from '../../src/adapters/postgres/database.ts'
import { postgresLedger } from '../../src/adapters/postgres/ledger.ts'
import { postgresProjectionStore } from '../../src/adapters/postgres/projections/store.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import type { TaskEither } from '../../src/kernel/fp.ts'
import type { Ledger } from '../../src/ledger/port.ts'
import { tellingErased } from '../../src/shell/erasing/erased-bodies.ts'
import { recordErasures, type Target, targetAt } from '../../src/shell/erasing/erase.ts'
import { sweepErased } from '../../src/shell/erasing/sweep.ts'
import { Halt } from '../../src/shell/halt.ts'
import { siteStore } from '../../src/shell/site-store.ts'
import { right } from './either.ts'
import { RUN } from './ledgers.ts'
import { READERS } from './projecting.ts'

const [json = '', data = '', step = '', ...positions] = process.argv.slice(2)
// The test that starts this hands its own settings over.
const database = right(await openDatabase(JSON.parse(json) as Settings)())
const opened = right(await postgresLedger(database, systemClock())())

/** Does a step with the death before it, or after it and before its answer is heard. */
const mortal =
  <L, A>(name: string, task: TaskEither<L, A>): TaskEither<L, A> =>
  async () => {
    if (step === `before ${name}`) process.kill(process.pid, 'SIGKILL')
    const answer = await task()
    if (step === `after ${name}`) process.kill(process.pid, 'SIGKILL')
    return answer
  }

const ledger: Ledger = {
  ...opened,
  append: (run, append, guard) => mortal('append', opened.append(run, append, guard)),
}
const files = right(await fileBodyStore(join(data, 'bodies'), randomBytes)())
const store = postgresProjectionStore(database)
const swept = fileSwept(join(data, 'erased-through'))
const ports = {
  ledger,
  bodies: {
    ...tellingErased(files, ledger),
    erase: (commit: Parameters<typeof files.erase>[0]) => mortal('erase', files.erase(commit)),
  },
  store: {
    ...store,
    forgetReadings: (at: readonly number[]) => mortal('forget', store.forgetReadings(at)),
    startShadow: (...args: Parameters<typeof store.startShadow>) =>
      mortal('shadow', store.startShadow(...args)),
    swap: (...args: Parameters<typeof store.swap>) => mortal('swap', store.swap(...args)),
    scrub: () => mortal('scrub', store.scrub()),
  },
  swept: { ...swept, write: (through: number) => mortal('remember', swept.write(through)) },
  readers: READERS,
}

await sweepErased(ports)
const targets: Target[] = []
for (const position of positions) {
  const target = await targetAt(ports, Number(position)).catch((error: unknown) => {
    if (error instanceof Halt && /was erased already/.test(error.message)) return undefined
    throw error
  })
  if (target !== undefined) targets.push(target)
}
const grounds = { by: 'A. Person', note: null, basis: 'retention' } as const
await recordErasures({ run: RUN, ports, sites: siteStore(ledger) }, targets, grounds)
await sweepErased(ports)
await opened.close()
await database.close()
