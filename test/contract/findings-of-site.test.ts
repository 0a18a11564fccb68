/** What the findings of one site are, and how much is read for them, in every store of projections. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FINDING_KINDS } from '../../projections/finding.ts'
import type { ProjectionStore } from '../../projections/port.ts'
import type { Row } from '../../projections/projection.ts'
import { siteOfHost } from '../../src/kernel/site.ts'
import { postgresProjectionStore } from '../../src/adapters/postgres/projections/store.ts'
import { E } from '../../src/kernel/fp.ts'
import { type FindingFilter, findingsOf } from '../../src/shell/projecting/findings.ts'
import { places, testDatabase } from '../support/database.ts'
import { History } from '../support/history.ts'
import { memoryStore, portsOf } from '../support/projecting.ts'

const NETWORK = 'network.test'
const TURNS = 12

/** A network that lists publishers and itself, one site that changes every night, and one now and then. */
const market = (): History => {
  const history = new History()
  for (let turn = 0; turn < TURNS; turn += 1) {
    const sellers = ['busy.example', 'quiet.example', NETWORK].map((domain, i) => ({
      seller_id: `${i}-${turn}`,
      domain,
      seller_type: 'PUBLISHER',
    }))
    // The one that is always there: a list that has nothing of the one before is doubted.
    sellers.push({ seller_id: 'stays', domain: 'other.example', seller_type: 'PUBLISHER' })
    history.fetch(
      { site: NETWORK, purpose: 'sellers-json' },
      { tag: 'answer', status: 200, body: JSON.stringify({ version: '1.0', sellers }) },
    )
    for (const site of turn % 6 === 0 ? ['busy.example', 'quiet.example'] : ['busy.example'])
      history.fetch(
        { site, purpose: 'ads-txt' },
        { tag: 'answer', status: 200, body: `ads.example, ${turn}, DIRECT\n`, type: 'text/plain' },
      )
  }
  return history
}

/** Counts the rows that are read. */
const counting = (store: ProjectionStore, read: Row[]): ProjectionStore => ({
  ...store,
  readRows:
    (...args) =>
    async () => {
      const page = await store.readRows(...args)()
      if (E.isRight(page)) read.push(...page.right.rows)
      return page
    },
})

const STORES = [
  { name: 'memory', open: async () => memoryStore() },
  ...places.map((place) => ({
    name: place.name,
    open: async () => postgresProjectionStore((await testDatabase(place)).database),
  })),
]
const ALL: FindingFilter = { kinds: new Set(FINDING_KINDS) }
const SITES = ['busy.example', 'quiet.example', NETWORK, 'other.example', 'nowhere.example']

for (const { name, open } of STORES)
  describe(`findings of a site: ${name}`, () => {
    test('PR17 they are those that name it, each once, and no other is read', async () => {
      const history = market()
      const read: Row[] = []
      const ports = portsOf(history, counting(await open(), read))
      const middle = history.recorded[history.recorded.length >> 1]?.ts
      ok(middle !== undefined)
      for (const times of [{}, { since: middle }, { until: middle }]) {
        const all = await findingsOf(ports, { ...ALL, ...times })
        ok(all.some((row) => row['site'] === NETWORK && row['concerns'] === NETWORK))
        for (const site of SITES) {
          read.length = 0
          const found = await findingsOf(ports, { ...ALL, ...times, site: siteOfHost(site) })
          const isNamed = (row: Row): boolean => row['site'] === site || row['concerns'] === site
          deepEqual(found, all.filter(isNamed))
          ok(read.every(isNamed), 'rows of other sites were read')
        }
      }
    })

    test('PR17 of a site only the kinds that are asked for', async () => {
      const ports = portsOf(market(), await open())
      const kinds = new Set(['seller-appeared'])
      const found = await findingsOf(ports, { kinds, site: siteOfHost('quiet.example') })
      equal(found.length, TURNS - 1)
      ok(found.every((row) => row['kind'] === 'seller-appeared'))
    })
  })
