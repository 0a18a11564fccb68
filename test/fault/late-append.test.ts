/** A process is killed while an append of its own still waits in the database. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { postgresClaims } from '../../src/adapters/postgres/claims.ts'
import { connectionOf } from '../../src/adapters/postgres/connection.ts'
import { postgresLedger } from '../../src/adapters/postgres/ledger.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { sha256Hex } from '../../src/kernel/digest.ts'
import { position } from '../../src/kernel/position.ts'
import type { EventOf } from '../../src/ledger/event.ts'
import { runStream, siteStream } from '../../src/ledger/stream.ts'
import { recover } from '../../src/shell/recover.ts'
import { siteStore } from '../../src/shell/site-store.ts'
import { openAgain, testLedger } from '../support/database.ts'
import { left, right } from '../support/either.ts'
import { NIGHT, policy, sent, SITE } from '../support/site.ts'

const DEAD = 'run-of-the-dead'
const LIVING = 'run-of-the-living'

const started: EventOf<'RunStarted'> = {
  type: 'RunStarted',
  v: 2,
  job: null,
  also: [],
  programme: policy.name,
  adopted: position(1),
  night: NIGHT.name,
  kind: 'night',
  sources: sha256Hex(''),
  software: 'test',
  node: '0',
  readers: {},
  process: 'dead',
}

/** How many sessions wait for the lock under which positions are given out. */
const waiting = async (client: Client): Promise<number> => {
  const { rows } = await client.query<{ n: number }>(
    `select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted`,
  )
  return rows[0]?.n ?? 0
}

test('a RequestSent that lands after its process was found dead is refused: the counts of RunEnded stand', async (t) => {
  const clock = systemClock()
  const dead = await testLedger(clock)
  const claims = postgresClaims(dead.database, { holder: 'dead', isGone: () => undefined })
  const database = await openAgain(dead.settings)
  const isGone = (process: string): boolean => process === 'dead'
  const living = {
    ledger: right(await postgresLedger(database, clock)()),
    claims: postgresClaims(database, { holder: 'living', isGone }),
    clock,
    isGone,
  }
  const lock = new Client(connectionOf(dead.settings, undefined))
  await lock.connect()
  t.after(() => lock.end())
  right(
    await dead.ledger.append(DEAD, {
      stream: runStream(DEAD),
      expectedVersion: 0,
      events: [started],
    })(),
  )
  const claim = right(await claims.claim(SITE)())
  assert.ok(claim !== undefined)

  await lock.query('begin')
  await lock.query('select pg_advisory_xact_lock(ledger_lock())')
  const late = dead.ledger.append(
    DEAD,
    {
      stream: siteStream(SITE),
      expectedVersion: 0,
      events: [sent('https://news.example/robots.txt', 'robots')],
    },
    claim,
  )()
  while ((await waiting(lock)) < 1) await sleep(5)
  const recovering = recover({
    run: LIVING,
    ports: living,
    sites: siteStore(living.ledger),
    policy,
    night: NIGHT,
  })
  while ((await waiting(lock)) < 2) await sleep(5)
  await lock.query('rollback')

  assert.equal(await recovering, 1)
  assert.equal(left(await late).tag, 'FenceLost')
  const recorded = right(await living.ledger.readAll({ after: 0, limit: 100 })())
  assert.deepEqual(
    recorded.map(({ event }) => event.type),
    ['RunStarted', 'RunEnded'],
  )
})
