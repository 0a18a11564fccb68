/** What happens between a decision and the claim it is made for. */
import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { Site } from '../../../src/kernel/site.ts'
import { later } from '../../../src/kernel/instant.ts'
import type { LedgerEvent } from '../../../src/ledger/event.ts'
import { appendFact } from '../../../src/shell/append.ts'
import { ask } from '../../../src/shell/ask.ts'
import type { Crawl } from '../../../src/shell/crawl.ts'
import { siteStore } from '../../../src/shell/site-store.ts'
import { scriptedWorld, type World } from '../../support/scripted.ts'
import { nextOf, NOW, received, sent, SITE, url } from '../../support/site.ts'

const ROBOTS = 'https://news.example/robots.txt'

/** A crawl to which something happens just before it gets its first claim. */
const interrupted = (world: World, events: readonly LedgerEvent[]): Crawl => {
  const crawl = world.crawl()
  const waiting = [...events]
  const happen = async (site: Site): Promise<void> => {
    const writer = { run: 'another', ports: crawl.ports, sites: siteStore(world.ledger) }
    for (const event of waiting.splice(0)) await appendFact(writer, site, () => [event])
  }
  const claims: Crawl['ports']['claims'] = {
    ...crawl.ports.claims,
    claim: (site) => async () => {
      await happen(site)
      return crawl.ports.claims.claim(site)()
    },
  }
  return { ...crawl, ports: { ...crawl.ports, claims } }
}

const askRobots = async (events: readonly LedgerEvent[]) => {
  const world = scriptedWorld({ [ROBOTS]: { status: 200, body: '' } })
  const crawl = interrupted(world, events)
  const address = url(ROBOTS)
  const wanted = { subject: SITE, purpose: 'robots', target: address, url: address } as const
  const trail = { addresses: [address], redirects: [], via: null }
  const outcome = await world.clock.track(() =>
    ask(crawl, { ...wanted, hop: 0, source: null }, trail),
  )
  await world.close()
  return { world, outcome }
}

test('PR15: who is excluded between the decision and the claim is not asked any more', async () => {
  const excluded = { type: 'SiteExcluded', v: 1, site: SITE, by: 'A. Person', note: null } as const
  const { world, outcome } = await askRobots([excluded])
  deepEqual(outcome, { tag: 'withheld', reason: 'excluded' })
  deepEqual(world.asked, [])
})

test('PR6: the pace of an exchange that ends between the decision and the claim is kept', async () => {
  const request = sent('https://news.example/other', 'page', { programme: 'another' })
  const closing = received(request, 1, 200, nextOf(later(NOW, 40_000)))
  const { world, outcome } = await askRobots([request, closing])
  equal(outcome.tag, 'closed')
  const own = (await world.events()).filter(
    ({ event }) => event.type === 'RequestSent' && event.programme !== 'another',
  )
  deepEqual(
    own.map(({ ts }) => ts >= later(NOW, 40_000)),
    [true],
  )
})
