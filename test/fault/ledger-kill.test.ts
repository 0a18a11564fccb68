/** CL1: what was acknowledged is there and nothing is there by half, wherever a process or a server dies. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { postgresLedger } from '../../src/adapters/postgres/ledger.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import type { Ledger } from '../../src/ledger/port.ts'
import { execute, openAgain, testLedger } from '../support/database.ts'
import { right } from '../support/either.ts'
import { checkOrder } from '../support/ledger-order.ts'
import { appendOf, noteOf, RUN } from '../support/ledgers.ts'
import { embeddedPrograms, startServer } from '../support/postgres-server.ts'

/** How many times a process is killed; many in a long campaign. */
const KILLS = Number(process.env['LEDGER_KILLS'] ?? 12)
const PROGRAM = join(import.meta.dirname, '../support/appending-process.ts')

/** Lines of a process that is killed `ms` after it began to append. */
const killedAfter = async (
  ms: number,
  settings: object,
  name: string,
): Promise<readonly string[]> => {
  const args = [PROGRAM, JSON.stringify(settings), name, '6']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const closed = once(child, 'close')
  while (!output.includes('ready')) await sleep(2)
  await sleep(ms)
  child.kill('SIGKILL')
  await closed
  // The last line may have been cut by the kill.
  return output.split('\n').slice(0, -1)
}

test(`kill -9 of an appending process, ${KILLS} times`, async (t) => {
  const { settings, ledger, close } = await testLedger()
  const said: string[] = []
  for (let kill = 0; kill < KILLS; kill += 1) {
    const ms = Math.round(Math.random() * 120)
    t.diagnostic(`killed after ${ms} ms`)
    said.push(...(await killedAfter(ms, settings, `process${kill}`)))
  }
  // A statement that had reached the server when its process died may end after it.
  right(await ledger.append(RUN, appendOf('last', 0, 'last'))())
  const all = await checkOrder(ledger)
  const noteAt = new Map(all.map((recorded) => [Number(recorded.position), noteOf(recorded)]))
  let acknowledged = 0
  for (const line of said) {
    const [word, note, ...positions] = line.split(' ')
    if (word !== 'stands') continue
    acknowledged += 1
    deepEqual(
      positions.map((at) => noteAt.get(Number(at))),
      [1, 2, 3].map((part) => `${note}/${part}`),
    )
  }
  ok(acknowledged > KILLS, `${acknowledged} appends were acknowledged`)
  t.diagnostic(`${acknowledged} appends acknowledged, ${all.length} events`)
  const appends = Map.groupBy(all.slice(0, -1), (recorded) => noteOf(recorded).split('/')[0])
  for (const [note, events] of appends) equal(events.length, 3, `half of ${note} stands`)
  await close()
})

type Tally = { readonly stands: string[]; readonly not: string[]; unknown: string[] }

/** Appends one event after the other, believing every answer, until `over`. */
const appendUntil = async (ledger: Ledger, stream: string, over: () => boolean): Promise<Tally> => {
  const tally: Tally = { stands: [], not: [], unknown: [] }
  let version = 0
  for (let n = 0; !over(); n += 1) {
    const note = `${stream} ${n}`
    const answer = await ledger.append(RUN, appendOf(stream, version, note))()
    if (answer._tag === 'Right') {
      tally.stands.push(note)
      version += 1
    } else if (answer.left.tag === 'Unavailable') {
      tally.not.push(note)
      await sleep(20)
    } else if (answer.left.tag === 'Unknown') {
      tally.unknown.push(note)
    } else if (answer.left.tag === 'Conflict') {
      // Only what was unknown may have moved the stream on.
      ok(tally.unknown.length > 0, 'a conflict out of nothing')
      version = answer.left.actual
    } else throw new Error(JSON.stringify(answer.left))
  }
  return tally
}

/** Lets callers append while `fault` happens, then compares what they were told with what is there. */
const underLoad = async (ledger: Ledger, fault: () => Promise<void>): Promise<Tally> => {
  let over = false
  const callers = Array.from({ length: 12 }, (_, i) => appendUntil(ledger, `s${i}`, () => over))
  await fault()
  over = true
  const tallies = await Promise.all(callers)
  const all = new Set((await checkOrder(ledger)).map(noteOf))
  const tally = {
    stands: tallies.flatMap(({ stands }) => stands),
    not: tallies.flatMap(({ not }) => not),
    unknown: tallies.flatMap(({ unknown }) => unknown),
  }
  deepEqual(
    tally.stands.filter((note) => !all.has(note)),
    [],
  )
  deepEqual(
    tally.not.filter((note) => all.has(note)),
    [],
  )
  const told = new Set([...tally.stands, ...tally.unknown])
  deepEqual(
    [...all].filter((note) => !told.has(note)),
    [],
  )
  return tally
}

for (const signal of ['SIGINT', 'SIGQUIT'] as const)
  test(`a server that is ended by ${signal} and started again under load: every answer is honest`, async (t) => {
    const server = await startServer(await embeddedPrograms())
    t.after(server.remove)
    const database = await openAgain({ url: server.url('postgres') })
    const ledger = right(await postgresLedger(database, systemClock())())
    const tally = await underLoad(ledger, async () => {
      for (let restart = 0; restart < 3; restart += 1) {
        await sleep(150)
        await server.stop(signal)
        await sleep(50)
        await server.start()
      }
      await sleep(150)
    })
    t.diagnostic(`${tally.stands.length} stand, ${tally.not.length} do not`)
    ok(tally.stands.length > 50)
  })

test('a server that was restarted while nobody used it is used again without a failure', async (t) => {
  const server = await startServer(await embeddedPrograms())
  t.after(server.remove)
  const database = await openAgain({ url: server.url('postgres') })
  const ledger = right(await postgresLedger(database, systemClock())())
  right(await ledger.append(RUN, appendOf('a', 0))())
  right(await ledger.readAll({ after: 0, limit: 1 })())
  await database.projector.query('select 1')
  await server.stop('SIGINT')
  await server.start()
  right(await ledger.append(RUN, appendOf('a', 1))())
  equal(right(await ledger.readAll({ after: 0, limit: 9 })()).length, 2)
  await database.projector.query('select 1')
})

test('a server that is gone is Unavailable, in words without its password', async (t) => {
  const server = await startServer(await embeddedPrograms())
  t.after(server.remove)
  const database = await openAgain({ url: server.url('postgres') })
  const ledger = right(await postgresLedger(database, systemClock())())
  await server.stop('SIGINT')
  const answers = [
    await ledger.append(RUN, appendOf('a', 0))(),
    await ledger.readAll({ after: 0, limit: 1 })(),
    await ledger.head()(),
  ]
  for (const answer of answers) {
    ok(answer._tag === 'Left' && answer.left.tag === 'Unavailable')
    ok(/nothing listens there/.test(answer.left.because), answer.left.because)
    ok(!answer.left.because.includes('s3cret'), answer.left.because)
  }
  await server.start()
  right(await ledger.append(RUN, appendOf('a', 0))())
})

/** A small file system of its own; undefined where this process may not make one. */
const smallDisk = async (megabytes: number): Promise<string | undefined> => {
  const directory = await mkdtemp(join(tmpdir(), 'small-disk-'))
  const args = ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', directory]
  if (spawnSync('mount', args).status === 0) return directory
  await rm(directory, { recursive: true })
  return undefined
}

test('a disk that is full: nothing is lost, nothing is claimed, and it goes on when there is space', async (t) => {
  const disk = await smallDisk(110)
  if (disk === undefined) return t.skip('THIS PROCESS MAY NOT MOUNT A FILE SYSTEM: not tested')
  const sizes = ['min_wal_size=32MB', 'max_wal_size=32MB']
  const server = await startServer(await embeddedPrograms(), sizes, disk)
  t.after(async () => {
    await server.remove()
    spawnSync('umount', [disk])
    await rm(disk, { recursive: true })
  })
  const database = await openAgain({ url: server.url('postgres') })
  const ledger = right(await postgresLedger(database, systemClock())())
  await execute({ url: server.url('postgres') }, 'checkpoint')
  const filler = join(disk, 'filler')
  const tally = await underLoad(ledger, async () => {
    await sleep(100)
    await fill(filler)
    await sleep(700)
    await rm(filler)
    await server.stop('SIGQUIT')
    await server.start()
    await sleep(150)
  })
  t.diagnostic(`${tally.stands.length} stand, ${tally.not.length} do not`)
  ok(tally.stands.length > 0)
})

/** Writes until there is no space left. */
const fill = async (file: string): Promise<void> => {
  const block = Buffer.alloc(1_024 * 1_024)
  for (;;) {
    const written = await writeFile(file, block, { flag: 'a' }).then(
      () => true,
      () => false,
    )
    if (!written) return
  }
}
