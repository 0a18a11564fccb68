/** The contract of `src/politeness/port.ts`, over everything that implements it. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { siteOfHost, type Site } from '../../src/kernel/site.ts'
import type { Claim, Claims } from '../../src/politeness/port.ts'
import { left, right } from '../support/either.ts'
import { appendOf, implementations, RUN, type Store } from '../support/ledgers.ts'

const site = siteOfHost('news.example')
const elsewhere = siteOfHost('shop.example')

const ask = async (claims: Claims, of: Site = site): Promise<Claim | undefined> =>
  right(await claims.claim(of)())

const get = async (claims: Claims, of: Site = site): Promise<Claim> => {
  const claim = await ask(claims, of)
  ok(claim, `${of} was not to be had`)
  return claim
}

const give = async (claims: Claims, claim: Claim): Promise<void> =>
  right(await claims.release(claim)())

for (const { name, newStore } of implementations) {
  const withStore = (what: string, task: (store: Store) => Promise<void>): void => {
    test(what, async () => {
      const store = await newStore()
      try {
        await task(store)
      } finally {
        await store.close()
      }
    })
  }

  describe(`claims: ${name}`, () => {
    withStore('one claim of a site at a time, over processes and within one', async ({ join }) => {
      const [one, other] = [await join(), await join()]
      const claim = await get(one.claims)
      deepEqual(claim, { site, fence: 1 })
      equal(await ask(one.claims), undefined)
      equal(await ask(other.claims), undefined)
      deepEqual(await get(other.claims, elsewhere), { site: elsewhere, fence: 1 })
    })

    withStore(
      'a released site can be claimed by anybody, with a higher fence',
      async ({ join }) => {
        const [one, other] = [await join(), await join()]
        await give(one.claims, await get(one.claims))
        const second = await get(other.claims)
        equal(second.fence, 2)
        await give(other.claims, second)
        equal((await get(one.claims)).fence, 3)
      },
    )

    withStore(
      'only the claim that is held can be released, and only by its process',
      async ({ join }) => {
        const [one, other] = [await join(), await join()]
        const first = await get(one.claims)
        await give(one.claims, first)
        const second = await get(other.claims)
        await give(one.claims, first)
        await give(one.claims, second)
        await give(other.claims, { ...second, fence: second.fence + 1 })
        equal(await ask(one.claims), undefined)
        await give(other.claims, second)
        await give(other.claims, second)
        ok(await ask(one.claims))
      },
    )

    withStore('of many who ask at once exactly one gets it', async ({ join }) => {
      const parties = [await join(), await join()]
      for (let round = 1; round <= 5; round += 1) {
        const asking = Array.from({ length: 20 }, (_, i) => parties[i % 2] ?? parties[0])
        const claims = await Promise.all(
          asking.map(async (party) => ({ party, claim: party && (await ask(party.claims)) })),
        )
        const [winner, ...others] = claims.filter(({ claim }) => claim !== undefined)
        deepEqual(others, [])
        ok(winner?.claim && winner.party)
        equal(winner.claim.fence, round)
        await give(winner.party.claims, winner.claim)
      }
    })

    withStore('the site of a process that is gone is taken at once', async ({ join }) => {
      const gone = await join({ holder: 'gone' })
      const [one, other] = await Promise.all(
        ['one', 'other'].map((holder) => join({ holder, isGone: (who) => who === 'gone' })),
      )
      ok(one && other)
      const old = await get(gone.claims)
      const claims = await Promise.all([ask(one.claims), ask(other.claims), ask(one.claims)])
      const taken = claims.filter((claim) => claim !== undefined)
      deepEqual(taken, [{ site, fence: old.fence + 1 }])
      await give(gone.claims, old)
      equal(await ask(other.claims), undefined)
    })

    withStore(
      'what a process that is gone held is free, and its guarded appends are refused',
      async ({ join }) => {
        const [gone, other] = [await join({ holder: 'gone' }), await join({ holder: 'other' })]
        const [old, older] = [await get(gone.claims), await get(gone.claims, elsewhere)]
        const kept = await get(other.claims, siteOfHost('kept.example'))
        right(await other.claims.revoke('gone')())
        for (const claim of [old, older])
          equal(left(await gone.ledger.append(RUN, appendOf('news', 0), claim)()).tag, 'FenceLost')
        deepEqual(await get(other.claims), { site, fence: old.fence + 1 })
        right(await other.ledger.append(RUN, appendOf('news', 0), kept)())
      },
    )

    for (const known of [false, undefined])
      withStore(
        `a holder that ${known === false ? 'lives' : 'cannot be judged'} keeps its site`,
        async ({ join }) => {
          const one = await join({ holder: 'one' })
          const other = await join({ holder: 'other', isGone: () => known })
          await get(one.claims)
          equal(await ask(other.claims), undefined)
        },
      )

    withStore('a lease that is not renewed runs out', async ({ join }) => {
      const silent = await join({ leaseMs: 300, renewMs: 1_000_000 })
      const other = await join()
      const old = await get(silent.claims)
      equal(await ask(other.claims), undefined)
      await sleep(320)
      const claim = await get(other.claims)
      equal(claim.fence, old.fence + 1)
      await give(silent.claims, old)
      equal(await ask(silent.claims), undefined)
    })

    withStore(
      'leases of all held claims are renewed while their process lives',
      async ({ join }) => {
        const living = await join({ leaseMs: 1_500, renewMs: 50 })
        const other = await join()
        const held = [await get(living.claims), await get(living.claims, elsewhere)]
        const from = performance.now()
        while (performance.now() - from < 3_000) {
          for (const claim of held) equal(await ask(other.claims, claim.site), undefined)
          await sleep(100)
        }
        const [first] = held
        ok(first)
        await give(living.claims, first)
        ok(await ask(other.claims))
      },
    )

    withStore('closing gives back what is held', async ({ join }) => {
      const closing = await join()
      const other = await join()
      await get(closing.claims)
      await get(closing.claims, elsewhere)
      await closing.claims.close()
      equal((await get(other.claims)).fence, 2)
      equal((await get(other.claims, elsewhere)).fence, 2)
    })
  })
}
