/** A site that is taken over while an append of its old holder waits: before or not at all. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { postgresClaims } from '../../src/adapters/postgres/claims.ts'
import { postgresLedger } from '../../src/adapters/postgres/ledger.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { siteOfHost } from '../../src/kernel/site.ts'
import { openAgain, testDatabase } from '../support/database.ts'
import { right } from '../support/either.ts'
import { appendOf, noteOf, RUN } from '../support/ledgers.ts'

const site = siteOfHost('news.example')

/** A writer that has just begun judges its appends in one way, one that was alone for long in another. */
for (const calm of [0, 15])
  for (const first of ['the append', 'the takeover'] as const)
    test(`the old holder appends, the new one takes over, ${first} first; ${calm} appends before`, async () => {
      const { settings, database, close } = await testDatabase()
      const elsewhere = await openAgain(settings)
      const ledger = right(await postgresLedger(database, systemClock())())
      const old = postgresClaims(database, { holder: 'old', isGone: () => undefined })
      const taker = postgresClaims(elsewhere, { holder: 'new', isGone: (who) => who === 'old' })
      const claim = right(await old.claim(site)())
      ok(claim)
      for (let version = 0; version < calm; version += 1)
        right(await ledger.append(RUN, appendOf('a', version, 'before'), claim)())

      const blocker = await elsewhere.connect('crawl_ledger_writer')
      await blocker.query('begin')
      await blocker.query('select pg_advisory_xact_lock(ledger_lock())')
      const append = () => ledger.append(RUN, appendOf('a', calm, 'in between'), claim)()
      const take = async (): Promise<readonly string[]> => {
        const taken = right(await taker.claim(site)())
        deepEqual(taken, { site, fence: claim.fence + 1 })
        // What the new holder sees when it has the site is all there will ever be of the old one's.
        return right(await ledger.readAll({ after: 0, limit: 100 })()).map(noteOf)
      }
      const begin = async () => {
        if (first === 'the append') {
          const appending = append()
          await sleep(100)
          return { appending, taking: take() }
        }
        const taking = take()
        await sleep(100)
        return { appending: append(), taking }
      }
      const { appending, taking } = await begin()
      await sleep(100)
      await blocker.query('commit')
      const answer = await appending
      const seen = await taking
      const stands = right(await ledger.readAll({ after: 0, limit: 100 })()).map(noteOf)
      deepEqual(stands, seen, 'an append of the old holder came after the takeover')
      equal(answer._tag === 'Right', stands.includes('in between'))
      if (answer._tag === 'Left')
        deepEqual(answer.left, { tag: 'FenceLost', site, fence: claim.fence })
      await close()
      await elsewhere.close()
    })
