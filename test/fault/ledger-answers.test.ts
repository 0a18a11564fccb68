/** CL1: an answer to an append is honest, whatever happens to the connection it was to come over. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { postgresLedger } from '../../src/adapters/postgres/ledger.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import type { Ledger } from '../../src/ledger/port.ts'
import { embeddedPlace, openAgain, testLedger } from '../support/database.ts'
import { type DatabaseProxy, databaseProxy, type Loss } from '../support/database-proxy.ts'
import { left, right } from '../support/either.ts'
import { appendOf, noteOf, RUN } from '../support/ledgers.ts'

type Stage = {
  /** Reaches the database through the proxy. */
  readonly ledger: Ledger
  readonly proxy: DatabaseProxy
  /** Reaches it directly. */
  readonly direct: Ledger
  /** Holds the ledger's lock until the returned function is called. */
  readonly block: () => Promise<() => Promise<void>>
}

const stage = async (t: TestContext, settleMs = 20_000): Promise<Stage> => {
  const settings = await embeddedPlace.newDatabase()
  ok('host' in settings)
  const near = await openAgain(settings)
  const proxy = await databaseProxy(settings)
  const far = await openAgain(proxy.settings)
  const patience = { answerMs: 40_000, settleMs }
  const ledger = right(await postgresLedger(far, systemClock(), patience)())
  const direct = right(await postgresLedger(near, systemClock())())
  t.after(async () => {
    await proxy.close()
    await near.close()
    await far.close()
  })
  const block = async () => {
    const client = await near.connect('crawl_ledger_writer')
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock(ledger_lock())')
    return async () => {
      await client.query('commit')
      await client.end()
    }
  }
  return { ledger, proxy, direct, block }
}

const append = (ledger: Ledger, ...args: Parameters<typeof appendOf>) =>
  ledger.append(RUN, appendOf(...args))()

const notes = async (ledger: Ledger): Promise<readonly string[]> =>
  right(await ledger.readAll({ after: 0, limit: 10_000 })()).map(noteOf)

/** So many appends make a writer that is alone bet on its positions. */
const CALM = 12

/** A writer that has just begun judges every append; one that was alone for long bets. */
const begun = async ({ ledger }: Stage, calm: number): Promise<void> => {
  for (let i = 0; i < calm; i += 1) right(await append(ledger, 'calm', i, 'calm'))
}

for (const calm of [0, CALM])
  describe(calm === 0 ? 'a writer that judges' : 'a writer that bets', () => {
    test('an answer that was lost after the commit: it stands, and is said to', async (t) => {
      const here = await stage(t)
      await begun(here, calm)
      here.proxy.lose('answer', 'SiteExcluded')
      const appended = right(await append(here.ledger, 'a', 0, 'first'))
      equal(here.proxy.losses(), 1)
      deepEqual([appended.positions, appended.version], [[calm + 1], 1])
      deepEqual((await notes(here.direct)).slice(calm), ['first'])
      right(await append(here.ledger, 'a', 1, 'second'))
    })

    test('a statement that never arrived: it does not stand, and is said not to', async (t) => {
      const here = await stage(t)
      await begun(here, calm)
      here.proxy.lose('statement', 'SiteExcluded')
      const failure = left(await append(here.ledger, 'a', 0, 'first'))
      equal(failure.tag, 'Unavailable')
      deepEqual((await notes(here.direct)).slice(calm), [])
      right(await append(here.ledger, 'a', 0, 'again'))
      deepEqual((await notes(here.direct)).slice(calm), ['again'])
    })

    test('a statement still waiting in the server when its connection is lost: it is ended first', async (t) => {
      const here = await stage(t)
      await begun(here, calm)
      const release = await here.block()
      here.proxy.lose('client', 'SiteExcluded')
      const failure = left(await append(here.ledger, 'a', 0, 'first'))
      equal(here.proxy.losses(), 1)
      equal(failure.tag, 'Unavailable')
      await release()
      right(await append(here.ledger, 'b', 0, 'second'))
      deepEqual((await notes(here.direct)).slice(calm), ['second'])
    })

    test('nobody can tell any more: Unknown, not failed; and it may well stand', async (t) => {
      const here = await stage(t, 300)
      await begun(here, calm)
      here.proxy.lose('everything', 'SiteExcluded')
      const failure = left(await append(here.ledger, 'a', 0, 'first'))
      equal(failure.tag, 'Unknown')
      while ((await notes(here.direct)).length === calm) await sleep(10)
      deepEqual((await notes(here.direct)).slice(calm), ['first'])
      const later = left(await append(here.ledger, 'a', 1, 'second'))
      equal(later.tag, 'Unavailable')
      deepEqual((await notes(here.direct)).slice(calm), ['first'])
    })
  })

test('of a flush of many whose answer was lost each caller learns what became of its own', async (t) => {
  const here = await stage(t)
  right(await append(here.direct, 'stale', 0, 'is there'))
  here.proxy.lose('answer', 'SiteExcluded')
  const answers = await Promise.all([
    append(here.ledger, 'a', 0, 'a1', 'a2'),
    append(here.ledger, 'stale', 0, 'refused'),
    append(here.ledger, 'b', 0, 'b1'),
  ])
  equal(here.proxy.losses(), 1)
  const [first, second, third] = answers
  ok(first && second && third)
  deepEqual(right(first).positions, [2, 3])
  equal(left(second).tag, 'Unavailable')
  deepEqual(right(third).positions, [4])
  deepEqual(await notes(here.direct), ['is there', 'a1', 'a2', 'b1'])
})

test('somebody else having written the same version meanwhile is not taken for us', async (t) => {
  const here = await stage(t)
  here.proxy.lose('statement', 'SiteExcluded')
  const [lost, other] = await Promise.all([
    append(here.ledger, 'a', 0, 'ours'),
    append(here.direct, 'a', 0, 'theirs'),
  ])
  right(other)
  equal(left(lost).tag, 'Unavailable')
  deepEqual(await notes(here.direct), ['theirs'])
  equal(left(await append(here.ledger, 'a', 0, 'ours')).tag, 'Conflict')
})

const losses: readonly Loss[] = ['answer', 'statement', 'client']

test('connections lost all the time: what was said to stand stands once, nothing else does', async (t) => {
  const here = await stage(t)
  const stands: string[] = []
  let tries = 0
  const caller = async (stream: string): Promise<void> => {
    for (let version = 0; version < 12;) {
      const note = `${stream} ${(tries += 1)}`
      if (tries % 5 === 0) here.proxy.lose(losses[tries % 3] ?? 'answer', 'SiteExcluded')
      const answer = await append(here.ledger, stream, version, note)
      if (answer._tag === 'Right') {
        stands.push(note)
        version += 1
      } else equal(answer.left.tag, 'Unavailable')
    }
  }
  await Promise.all(['a', 'b', 'c', 'd'].map(caller))
  ok(here.proxy.losses() > 3)
  deepEqual((await notes(here.direct)).toSorted(), stands.toSorted())
})

test('a full queue refuses nobody', async () => {
  const { ledger, close } = await testLedger()
  const many = Array.from({ length: 12_000 }, (_, i) => append(ledger, `s${i}`, 0, 'x'))
  ok((await Promise.all(many)).every((answer) => answer._tag === 'Right'))
  equal(right(await ledger.head()()).position, 12_000)
  await close()
})

test('a closed ledger answers what waits and refuses what comes', async () => {
  const { ledger, close } = await testLedger()
  const waiting = ['a', 'b', 'c'].map((stream) => append(ledger, stream, 0, 'x'))
  await ledger.close()
  for (const answer of await Promise.all(waiting)) right(answer)
  const refused = left(await append(ledger, 'd', 0, 'x'))
  ok(refused.tag === 'Unavailable')
  match(refused.because, /closed/)
  equal(right(await ledger.head()()).position, 3)
  await close()
})
