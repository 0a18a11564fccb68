/** The shared cases of change and cross by the way of the crawl: captures, projections, rows. */
import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { adsTxtFindings, adsTxtState, sellerFindings } from '../../projections/index.ts'
import { catchUp } from '../../src/shell/projecting/catch-up.ts'
import { crossCheck, type CrossFinding } from '../../src/shell/projecting/cross-check.ts'
import { sourcesNow } from '../../src/shell/projecting/cross-sources.ts'
import { right } from '../support/either.ts'
import { type Ending, History } from '../support/history.ts'
import { portsOf } from '../support/projecting.ts'
import { sharedCases } from '../support/reader-cases.ts'

const answer = (body: string, type = 'text/plain'): Ending => ({
  tag: 'answer',
  status: 200,
  body,
  type,
})

type ChangeCase = {
  readonly input: { readonly before: string; readonly after: string }
  readonly expected: { readonly events: readonly string[] }
}

const changes = async (before: string, after: string) => {
  const history = new History()
  const asked = { site: 'news.example', purpose: 'ads-txt' as const }
  const positions = [before, after].map((body) => history.fetch(asked, answer(body)))
  const ports = portsOf(history)
  right(await catchUp(ports)(adsTxtFindings)())
  const { rows } = right(await ports.store.readRows(adsTxtFindings, { limit: 100 })())
  for (const row of rows) deepEqual([row['before_position'], row.position], positions)
  return rows.map((row) => row['change'])
}

const changeCases = sharedCases('change')
test('shared cases of group change, as findings', { skip: changeCases.length === 0 }, async () => {
  for (const row of changeCases) {
    const { input, expected } = row as unknown as ChangeCase
    deepEqual(await changes(input.before, input.after), expected.events, row.id)
  }
})

type Seller = {
  readonly id: string
  readonly type?: string
  readonly domain?: string
  readonly confidential: boolean
}
type CrossInput = {
  readonly site: {
    readonly domain: string
    readonly owner?: string
    readonly managers: readonly { readonly domain: string; readonly country?: string }[]
  }
  readonly record: { readonly domain: string; readonly account: string; readonly rel: string }
  readonly sellers: readonly Seller[] | null
}

const crossed = async ({ site, record, sellers }: CrossInput) => {
  const history = new History()
  const network = { site: record.domain, purpose: 'sellers-json' as const }
  const listed = (sellers ?? []).map(({ id, type, domain, confidential }) => ({
    seller_id: id,
    seller_type: type,
    domain,
    is_confidential: confidential ? 1 : 0,
  }))
  const list = sellers === null ? '' : JSON.stringify({ version: '1.0', sellers: listed })
  const theirs = history.fetch(network, answer(list, 'application/json'))
  const lines = [
    `${record.domain}, ${record.account}, ${record.rel}`,
    ...(site.owner === undefined ? [] : [`OWNERDOMAIN=${site.owner}`]),
    ...site.managers.map(({ domain, country }) =>
      country === undefined ? `MANAGERDOMAIN=${domain}` : `MANAGERDOMAIN=${domain}, ${country}`,
    ),
  ]
  const asked = { site: site.domain, purpose: 'ads-txt' as const }
  const ours = history.fetch(asked, answer(lines.join('\n')))
  const ports = portsOf(history)
  for (const projection of [adsTxtState, sellerFindings]) right(await catchUp(ports)(projection)())
  const found: CrossFinding[] = []
  for await (const one of crossCheck(sourcesNow(ports.store))) {
    deepEqual([one.before.position, one.after.position], [theirs, ours])
    found.push(one)
  }
  return found
}

type CrossCase = {
  readonly input: CrossInput
  readonly expected: { readonly verdict: string; readonly faults: readonly string[] }
}

const crossCases = sharedCases('cross')
test('shared cases of group cross, as findings', { skip: crossCases.length === 0 }, async () => {
  for (const row of crossCases) {
    const { input, expected } = row as unknown as CrossCase
    const found = await crossed(input)
    // What agrees is no finding; a system without a file leaves no second capture to cite.
    const silent = expected.faults.length === 0 || input.sellers === null
    deepEqual(
      found.map(({ verdict, faults }) => ({ verdict, faults })),
      silent ? [] : [{ verdict: expected.verdict, faults: expected.faults }],
      row.id,
    )
  }
})

const site = { domain: 'news.example', managers: [] }
const record = { domain: 'exchange.test', account: '9', rel: 'DIRECT' }
const publisher = { id: '9', type: 'PUBLISHER', domain: 'news.example', confidential: false }

test('PR17 a record that the system’s sellers.json bears out is no finding', async () => {
  deepEqual(await crossed({ site, record, sellers: [publisher] }), [])
})

test('PR17 a record that it does not bear out, with both captures and the method', async () => {
  const seller = { ...publisher, type: 'INTERMEDIARY', domain: 'other.example' }
  const [found] = await crossed({ site, record, sellers: [seller] })
  deepEqual(found?.faults, ['X_DIRECT_NOT_PUBLISHER', 'X_DOMAIN_MISMATCH'])
  deepEqual(
    [found?.method, found?.site, found?.concerns],
    ['cross@1', site.domain, 'exchange.test'],
  )
})

test('PR17 a manager by MANAGERDOMAIN is none, and a confidential seller is not compared', async () => {
  const managed = { ...site, managers: [{ domain: 'manager.example' }] }
  const sellers = [
    { id: '9', type: 'INTERMEDIARY', domain: 'manager.example', confidential: false },
  ]
  deepEqual(await crossed({ site: managed, record: { ...record, rel: 'RESELLER' }, sellers }), [])
  const [found] = await crossed({ site, record, sellers: [{ ...publisher, confidential: true }] })
  deepEqual(found?.faults, ['X_CONFIDENTIAL'])
})

test('PR17 a system that was never asked, or never answered well, accuses nobody', async () => {
  equal((await crossed({ site, record, sellers: null })).length, 0)
})
