/** The cross-check as of an earlier moment is the one that would have been made then. */
import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { adsTxtState, sellerFindings } from '../../projections/index.ts'
import { siteOfHost } from '../../src/kernel/site.ts'
import { allCaughtUp } from '../../src/shell/projecting/all-caught-up.ts'
import { crossCheck, type CrossFinding } from '../../src/shell/projecting/cross-check.ts'
import {
  type CrossSources,
  sourcesAt,
  sourcesNow,
} from '../../src/shell/projecting/cross-sources.ts'
import { History } from '../support/history.ts'
import { memoryStore, portsOf } from '../support/projecting.ts'
import { fc } from '../support/property.ts'

const NETWORKS = ['exchange.test', 'market.test']
const SITES = ['news.example', 'blog.example', 'shop.example']
const READ = [adsTxtState, sellerFindings]

const anyListing = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom('1', '2', '3', '4'),
    type: fc.constantFrom('PUBLISHER', 'INTERMEDIARY', 'BOTH'),
    domain: fc.constantFrom(...SITES),
  }),
  { selector: ({ id }) => id, maxLength: 4 },
)
const anyFile = fc.array(
  fc.record({
    domain: fc.constantFrom(...NETWORKS),
    account: fc.constantFrom('1', '2', '3', '9'),
    rel: fc.constantFrom('DIRECT', 'RESELLER'),
  }),
  { maxLength: 4 },
)
/** What one server gives one night: a good file, an error, or half a file. */
const anyGood = fc.constantFrom('good', 'good', 'good', 'error', 'cut')
const anyFetch = fc.oneof(
  fc.record({ network: fc.constantFrom(...NETWORKS), list: anyListing, good: anyGood }),
  fc.record({ site: fc.constantFrom(...SITES), file: anyFile, good: anyGood }),
)

/** Half a file is concluded as such; the exchange before it is of no matter here. */
const conclude = (
  history: History,
  asked: { readonly site: string; readonly purpose: 'sellers-json' | 'ads-txt' },
  body: string,
  good: string,
): void => {
  const type = asked.purpose === 'ads-txt' ? 'text/plain' : 'application/json'
  if (good === 'cut')
    history.conclude(asked, { status: 200, commit: history.keep(body), truncated: true })
  else history.fetch(asked, { tag: 'answer', status: good === 'error' ? 503 : 200, body, type })
}

const foundIn = async (sources: CrossSources): Promise<readonly CrossFinding[]> => {
  const found: CrossFinding[] = []
  for await (const one of crossCheck(sources)) found.push(one)
  return found
}

test('CL6 a cross-check as of any position is the one of a ledger that ends there', async () => {
  let differing = 0
  const fetches = fc.array(anyFetch, { minLength: 2, maxLength: 14 })
  const only = fc.option(fc.constantFrom(...SITES.map(siteOfHost)), { nil: undefined })
  await fc.assert(
    fc.asyncProperty(
      fetches,
      fc.double({ min: 0, max: 1, noNaN: true }),
      only,
      async (all, part, site) => {
        const history = new History()
        for (const one of all)
          if ('network' in one) {
            const sellers = one.list.map(({ id, type, domain }) => ({
              seller_id: id,
              seller_type: type,
              domain,
            }))
            const body = JSON.stringify({ version: '1.0', sellers })
            conclude(history, { site: one.network, purpose: 'sellers-json' }, body, one.good)
          } else {
            const lines = one.file.map(
              ({ domain, account, rel }) => `${domain}, ${account}, ${rel}`,
            )
            conclude(history, { site: one.site, purpose: 'ads-txt' }, lines.join('\n'), one.good)
          }
        const position = Math.floor(part * history.recorded.length)

        const then = portsOf(history, memoryStore(), () => position)
        await allCaughtUp(then, READ)
        const expected = await foundIn(sourcesNow(then.store, site))

        const now = portsOf(history)
        await allCaughtUp(now, READ)
        deepEqual(await foundIn(sourcesAt(now, position, site)), expected)
        const head = await foundIn(sourcesNow(now.store, site))
        deepEqual(await foundIn(sourcesAt(now, history.recorded.length, site)), head)
        if (expected.length !== head.length) differing += 1
      },
    ),
  )
  ok(differing > 0, 'something had changed since')
})
