/** Many writers at once, in several processes: order, gaps, and a reader that follows the end. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { postgresLedger } from '../../src/adapters/postgres/ledger.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import type { Ledger } from '../../src/ledger/port.ts'
import { embeddedPlace, openAgain } from '../support/database.ts'
import { right } from '../support/either.ts'
import { checkOrder } from '../support/ledger-order.ts'
import { appendOf, noteOf, RUN, settableClock } from '../support/ledgers.ts'
import { fc } from '../support/property.ts'

const PROGRAM = join(import.meta.dirname, '../support/appending-process.ts')

/** Reads on and on after the last position seen; fails if anything was passed over. */
const follow = async (ledger: Ledger, over: () => boolean): Promise<readonly string[]> => {
  const seen: string[] = []
  for (let last = false; ;) {
    const page = right(await ledger.readAll({ after: seen.length, limit: 100 })())
    // A gap would be an IntegrityBreach; a late comer would show as one on the next page.
    for (const recorded of page) equal(recorded.position, seen.push(noteOf(recorded)))
    if (page.length === 0 && last) return seen
    last = over()
  }
}

test('appenders in four processes with conflicts, and a reader that never misses an event', async (t) => {
  const settings = await embeddedPlace.newDatabase()
  const database = await openAgain(settings)
  const ledger = right(await postgresLedger(database, systemClock())())
  const running = new Set(['one', 'two', 'three'])
  // This process is over when its last append has been answered, not when the others are gone.
  let isOver = false
  const following = follow(ledger, () => isOver)
  const lines: string[] = []
  const processes = [...running].map(async (name) => {
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify(settings), name, '4', '15'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    await once(child, 'close')
    equal(child.exitCode, 0)
    lines.push(...output.split('\n'))
    running.delete(name)
  })
  let version = 0
  const here = async (): Promise<void> => {
    while (running.size > 0) {
      right(await ledger.append(RUN, appendOf('here', version, `here ${version}`))())
      version += 1
      await sleep(version % 7)
    }
  }
  await Promise.all([...processes, here()])
  isOver = true
  const all = await checkOrder(ledger)
  deepEqual(await following, all.map(noteOf))
  const stood = lines.filter((line) => line.startsWith('stands ')).length
  const conflicts = lines.filter((line) => line.startsWith('conflict ')).length
  equal(all.length, stood * 3 + version)
  ok(conflicts > 0, 'nobody was in anybody’s way')
  t.diagnostic(`${all.length} events, ${conflicts} conflicts`)
})

const RUNS = Number(process.env['FC_RUNS'] ?? 6)

/** One thing a writer does: append so many events to a stream, at the version it believes in. */
const anyWork = fc.array(
  fc.record({
    stream: fc.constantFrom('a', 'b', 'c', 'd'),
    count: fc.integer({ min: 1, max: 3 }),
    pause: fc.nat({ max: 3 }),
    /** The clock of the writer moves, also backwards. */
    tick: fc.integer({ min: -50, max: 50 }),
    /** Cut off in the middle of a transaction of the writer's own. */
    aborts: fc.boolean(),
  }),
  { minLength: 5, maxLength: 25 },
)

test('any interleaving of four writers over connections of their own, with aborted transactions', async () => {
  const settings = await embeddedPlace.newDatabase()
  const writers = await Promise.all(
    [1, 2, 3, 4].map(async () => {
      const clock = settableClock()
      const database = await openAgain(settings)
      return { clock, database, ledger: right(await postgresLedger(database, clock)()) }
    }),
  )
  const [first] = writers
  ok(first)
  await fc.assert(
    fc.asyncProperty(fc.tuple(anyWork, anyWork, anyWork, anyWork), async (works) => {
      const working = new Set(works)
      const from = right(await first.ledger.head()()).position
      const following = follow(first.ledger, () => working.size === 0)
      const stood = await Promise.all(
        works.map(async (work, i) => {
          const writer = writers[i]
          ok(writer)
          const versions = new Map<string, number>()
          let events = 0
          for (const { stream, count, pause, tick, aborts } of work) {
            writer.clock.time += tick
            const notes = Array.from({ length: count }, (_, n) => `${i} ${events + n}`)
            const append = appendOf(stream, versions.get(stream) ?? 0, ...notes)
            if (aborts) await abort(writer.database)
            const answer = await writer.ledger.append(RUN, append)()
            if (answer._tag === 'Right') {
              events += count
              versions.set(stream, answer.right.version)
            } else {
              ok(answer.left.tag === 'Conflict')
              versions.set(stream, answer.left.actual)
            }
            await sleep(pause)
          }
          working.delete(work)
          return events
        }),
      )
      const all = await checkOrder(first.ledger)
      deepEqual(await following, all.map(noteOf))
      equal(all.length, from + stood.reduce((a, b) => a + b))
    }),
    { numRuns: RUNS, endOnFailure: true },
  )
})

/** Appends past the port, in a transaction that is rolled back: its position is given out again. */
const abort = async ({ connect }: Awaited<ReturnType<typeof openAgain>>): Promise<void> => {
  const client = await connect('crawl_ledger_writer')
  await client.query('begin')
  await client.query(
    `select append_events(9e14::bigint, '{x}', '{0}', '{null}', '{null}', '{1}', '{1}', '{1}', '{X}', '{""}', array[sha256('')])`,
  )
  await client.query('rollback')
  await client.end()
}
