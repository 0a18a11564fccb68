import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { type Finding, foundOnce, textIn } from '../../../projections/finding.ts'
import {
  adsTxtFindings,
  FINDINGS,
  marketDay,
  networkFindings,
  robotsFindings,
  sellerFindings,
} from '../../../projections/index.ts'
import type { Projection, Row } from '../../../projections/projection.ts'
import { present } from '../../../src/kernel/assert.ts'
import { position } from '../../../src/kernel/position.ts'
import { catchUp } from '../../../src/shell/projecting/catch-up.ts'
import { right } from '../../support/either.ts'
import { type Ending, History } from '../../support/history.ts'
import { foldAll, portsOf } from '../../support/projecting.ts'

const SITE = 'news.example'
const ORIGIN = `https://${SITE}`
const TARGET = 'https://sellers.network.test/sellers.json'

const rowsAfter = async (projection: Projection, history: History): Promise<readonly Row[]> => {
  const ports = portsOf(history)
  right(await catchUp(ports)(projection)())
  return right(await ports.store.readRows(projection, { limit: 1_000 })()).rows
}
const changesOf = (rows: readonly Row[]): unknown[] => rows.map((row) => row['change'])

const OPEN = 'User-agent: *\nDisallow: /private\n'
const CLOSED = 'User-agent: GPTBot\nDisallow: /\n'

test('PR17 a crawler that robots.txt newly blocks, with line, method and both captures', async () => {
  const history = new History()
  const before = history.robotsRead(SITE, 'rules', position(1), OPEN)
  const after = history.robotsRead(SITE, 'rules', position(2), CLOSED)
  const rows = await rowsAfter(robotsFindings, history)
  equal(rows.length, 1)
  const row = present(rows[0], 'a row')
  deepEqual(
    [row['kind'], row['site'], row['about'], row['before_position'], row['position'], row['night']],
    ['robots-blocks', SITE, 'GPTBot', before, after, '2026-11-30'],
  )
  deepEqual([row['before_request'], row['request']], [1, 2])
  ok(row['commit'] !== null && row['before_commit'] !== null)
  equal(row['method'], 'crawler-access@1 on rfc9309@2')
  equal(
    row['says'],
    `robots.txt of ${ORIGIN} now keeps GPTBot from the homepage: line 2, “Disallow: /”.`,
  )
})

test('PR17 a crawler let in again, by other rules and by no file at all', async () => {
  for (const [access, body, why] of [
    ['rules', OPEN, /line 2, “Disallow: \/”, kept it out before/],
    ['unavailable', undefined, /there is no file any more/],
  ] as const) {
    const history = new History()
    history.robotsRead(SITE, 'rules', null, CLOSED)
    history.robotsRead(SITE, access, null, body)
    const rows = await rowsAfter(robotsFindings, history)
    deepEqual(changesOf(rows), ['unblocks GPTBot (ai)'])
    match(textIn(rows[0], 'says'), why)
  }
})

test('PR17 a file where there was none can block', async () => {
  const history = new History()
  history.robotsRead(SITE, 'unavailable')
  history.robotsRead(SITE, 'rules', null, CLOSED)
  deepEqual(changesOf(await rowsAfter(robotsFindings, history)), ['blocks GPTBot (ai)'])
})

test('PR17 RFC9309_2.3.1.4 an origin that cannot be reached blocks nobody and frees nobody', async () => {
  const history = new History()
  history.robotsRead(SITE, 'rules', null, OPEN)
  history.robotsRead(SITE, 'unreachable')
  history.robotsRead(SITE, 'rules', null, OPEN)
  deepEqual(await rowsAfter(robotsFindings, history), [])
  history.robotsRead(SITE, 'unreachable')
  const after = history.robotsRead(SITE, 'rules', null, CLOSED)
  // What changed meanwhile is found, between the two readings that say something.
  const [row] = await rowsAfter(robotsFindings, history)
  deepEqual([row?.['before_position'], row?.['position']], [3, after])
})

test('PR17 no robots finding: the first reading, a lost body, a file cut off, another programme', async () => {
  const first = new History()
  first.robotsRead(SITE, 'rules', null, CLOSED)
  deepEqual(await rowsAfter(robotsFindings, first), [])

  const lost = new History()
  lost.robotsRead(SITE, 'rules', null, OPEN)
  lost.robotsRead(SITE, 'rules', null, CLOSED)
  const commits = [...lost.bodies.keys()]
  lost.bodies.delete(present(commits[1], 'two bodies'))
  deepEqual(await rowsAfter(robotsFindings, lost), [])

  const cut = new History()
  cut.robotsRead(SITE, 'rules', null, OPEN)
  cut.robotsRead(SITE, 'rules', null, `${CLOSED}${'#'.repeat(600_000)}\n`)
  deepEqual(await rowsAfter(robotsFindings, cut), [])

  const two = new History()
  two.robotsRead(SITE, 'rules', null, OPEN)
  const [event] = two.recorded
  ok(event?.event.type === 'RobotsRead')
  two.append({ ...event.event, programme: 'other', commit: two.keep(CLOSED) }, event.stream)
  deepEqual(await rowsAfter(robotsFindings, two), [])
})

test('PR17 a crawler that obeys no group for everybody is blocked only by name', async () => {
  const history = new History()
  history.robotsRead(SITE, 'rules', null, OPEN)
  history.robotsRead(SITE, 'rules', null, 'User-agent: *\nDisallow: /\n')
  const told = (await rowsAfter(robotsFindings, history)).map((row) => row['about'])
  ok(told.includes('Googlebot') && told.includes('GPTBot'))
  ok(!told.includes('AdsBot-Google') && !told.includes('Mediapartners-Google'))
  history.robotsRead(SITE, 'rules', null, 'User-agent: adsbot-google\nUser-agent: *\nDisallow: /\n')
  const now = changesOf(await rowsAfter(robotsFindings, history))
  equal(now.at(-1), 'blocks AdsBot-Google (ads)')
})

const ads = { site: SITE, purpose: 'ads-txt' as const }
const answer = (status: number, body: string, type = 'text/plain'): Ending => ({
  tag: 'answer',
  status,
  body,
  type,
})
const GOOD = 'ads.example, 1, DIRECT\nother.example, 2, RESELLER\n'

for (const [what, ending] of [
  ['a 503', answer(503, 'ads.example 1 DIRECT')],
  ['a 403', answer(403, '')],
  ['a 401', answer(401, '')],
  ['a 429', answer(429, '')],
  ['a network failure', { tag: 'failure', reason: 'dns' }],
  ['a time-out', { tag: 'failure', reason: 'connect-timeout' }],
  ['an abandoned request', { tag: 'abandoned' }],
] as readonly (readonly [string, Ending])[])
  test(`PR17 ${what} breaks no ads.txt record and takes none away`, async () => {
    const history = new History()
    history.fetch(ads, answer(200, GOOD))
    history.fetch(ads, ending)
    deepEqual(await rowsAfter(adsTxtFindings, history), [])
    history.fetch(ads, answer(200, GOOD))
    deepEqual(await rowsAfter(adsTxtFindings, history), [])
  })

test('PR17 no ads.txt finding: the first file, a withheld asking, a file cut off, a lost body', async () => {
  const history = new History()
  history.fetch(ads, answer(200, GOOD))
  history.withhold(SITE, 'ads-txt', 'cooldown')
  const commit = history.keep('ads.example, 1, DIRECT\n')
  history.conclude(ads, { status: 200, commit, truncated: true })
  const kept = history.fetch(ads, answer(200, ''))
  const event = history.recorded[kept - 1]?.event
  ok(event?.type === 'FetchConcluded' && event.commit !== null)
  history.bodies.delete(event.commit)
  deepEqual(await rowsAfter(adsTxtFindings, history), [])
})

test('PR17 an ads.txt that goes (404) is told once, and what it lost meanwhile when it is back', async () => {
  const history = new History()
  const first = history.fetch(ads, answer(200, GOOD))
  const gone = history.fetch(ads, answer(404, ''))
  const back = history.fetch(ads, answer(200, 'ads.example, 1, DIRECT\n'))
  const rows = await rowsAfter(adsTxtFindings, history)
  deepEqual(changesOf(rows), [
    'state changed: ok -> none',
    'state changed: none -> ok',
    'record removed: other.example|2|RESELLER',
  ])
  deepEqual(
    rows.map((row) => [row['before_position'], row['position']]),
    [
      [first, gone],
      [gone, back],
      [first, back],
    ],
  )
})

test('PR17 a page in the place of the file is told, and takes no record away', async () => {
  const history = new History()
  history.fetch(ads, answer(200, GOOD))
  history.fetch(ads, answer(200, '<!doctype html><html><body>hello</body></html>'))
  history.fetch(ads, answer(200, GOOD))
  const changes = changesOf(await rowsAfter(adsTxtFindings, history))
  ok(changes.every((change) => String(change).startsWith('state changed: ')))
})

test('PR17 a record that broke, with the line, the fault and both captures', async () => {
  const history = new History()
  const before = history.fetch(ads, answer(200, GOOD))
  history.night = '2026-12-01'
  const after = history.fetch(
    ads,
    answer(200, 'ads.example, 1 DIRECT\nother.example, 2, RESELLER\n'),
  )
  const rows = await rowsAfter(adsTxtFindings, history)
  deepEqual(
    rows.map((row) => [
      row['kind'],
      row['before_position'],
      row['position'],
      row['night'],
      row['method'],
    ]),
    [['ads-txt-record-broke', before, after, '2026-12-01', 'change@1']],
  )
  match(textIn(rows[0], 'says'), /ads\.example, 1, DIRECT broke, line 1: A comma/)
})

const network = { site: 'network.test', purpose: 'sellers-json' as const, target: TARGET }
type Entry = readonly [id: string, type: string, domain: string]
const list = (...entries: readonly Entry[]): string =>
  JSON.stringify({
    version: '1.0',
    sellers: entries.map(([seller_id, seller_type, domain]) => ({
      seller_id,
      seller_type,
      domain,
    })),
  })
const json = (body: string, status = 200): Ending => answer(status, body, 'application/json')
const A: Entry = ['1', 'PUBLISHER', 'a.example']
const B: Entry = ['2', 'PUBLISHER', 'b.example']

test('PR17 seller entries that go, come and change, each for the site it concerns', async () => {
  const history = new History()
  const before = history.fetch(network, json(list(A, B, ['3', 'PUBLISHER', 'c.example'])))
  const after = history.fetch(
    network,
    json(list(A, ['3', 'BOTH', 'd.example'], ['4', 'INTERMEDIARY', 'e.example'])),
  )
  const rows = await rowsAfter(sellerFindings, history)
  deepEqual(
    rows.map((row) => [row['kind'], row['about'], row['concerns'], row['change']]),
    [
      ['seller-disappeared', '2', 'b.example', '2 disappeared: PUBLISHER b.example'],
      ['seller-changed', '3', 'd.example', '3: PUBLISHER c.example -> BOTH d.example'],
      ['seller-appeared', '4', 'e.example', '4 appeared: INTERMEDIARY e.example'],
    ],
  )
  for (const row of rows)
    deepEqual(
      [row['before_position'], row['position'], row['site']],
      [before, after, 'network.test'],
    )
})

for (const [what, ending] of [
  ['a 404', json(list(A), 404)],
  ['a 503', json(list(A), 503)],
  ['a 403', json('', 403)],
  ['broken JSON', json('{"sellers":[')],
  ['a page', answer(200, '<html></html>', 'text/html')],
  ['a network failure', { tag: 'failure', reason: 'reset' }],
] as readonly (readonly [string, Ending])[])
  test(`PR17 ${what} makes no seller entry disappear`, async () => {
    const history = new History()
    history.fetch(network, json(list(A, B)))
    history.fetch(network, ending)
    history.fetch(network, json(list(A, B)))
    deepEqual(await rowsAfter(sellerFindings, history), [])
  })

test('PR17 a truncated sellers.json and a lost body make no seller entry disappear', async () => {
  const history = new History()
  history.fetch(network, json(list(A, B)))
  history.conclude(network, { status: 200, commit: history.keep(list(A)), truncated: true })
  const lost = history.keep(list(A, ['9', 'BOTH', 'z.example']))
  history.conclude(network, { status: 200, commit: lost })
  history.bodies.delete(lost)
  deepEqual(await rowsAfter(sellerFindings, history), [])
})

test('PR17 a list that is nearly gone at once has to say so twice', async () => {
  const all = Array.from({ length: 30 }, (_, i): Entry => [String(i), 'PUBLISHER', `s${i}.example`])
  for (const few of [[], all.slice(0, 10)]) {
    const history = new History()
    const before = history.fetch(network, json(list(...all)))
    history.fetch(network, json(list(...few)))
    deepEqual(await rowsAfter(sellerFindings, history), [])
    history.fetch(network, json(list(...all)))
    deepEqual(await rowsAfter(sellerFindings, history), [])
    history.fetch(network, json(list(...few)))
    const after = history.fetch(network, json(list(...few)))
    const rows = await rowsAfter(sellerFindings, history)
    equal(rows.length, all.length - few.length)
    ok(rows.every((row) => row.position === after && Number(row['before_position']) > before))
  }
})

test('PR17 an ad manager that changed, only between two pages that could be read', async () => {
  const history = new History()
  const before = history.observe(SITE, 'mediavine')
  history.observe(SITE, null, { read: 'refused' })
  history.observe(SITE, null, { read: 'not-html' })
  history.observe(SITE, null, { read: 'not-success' })
  history.observe(SITE, null, { read: 'truncated' })
  history.observe(SITE, 'mediavine', { exchange: ['gpt'] })
  deepEqual(await rowsAfter(networkFindings, history), [])
  history.observe(SITE, 'raptive', { reader: 'ad-network@2' })
  // Another reader: the change may be its own.
  deepEqual(await rowsAfter(networkFindings, history), [])
  history.observe(SITE, null, { reader: 'ad-network@2' })
  const rows = await rowsAfter(networkFindings, history)
  deepEqual(changesOf(rows), ['raptive -> no ad manager'])
  ok(Number(rows[0]?.['before_position']) > before)
  equal(rows[0]?.['method'], 'ad-network@2')
})

test('PR17 counts of a night over the whole market', async () => {
  const history = new History()
  history.robotsRead('a.example', 'rules', null, OPEN)
  history.robotsRead('b.example', 'unreachable')
  history.fetch({ ...ads, site: 'a.example' }, answer(200, GOOD))
  history.fetch({ ...ads, site: 'b.example' }, { tag: 'failure', reason: 'dns' })
  history.observe('a.example', 'raptive', { exchange: ['gpt'] })
  history.observe('b.example', null, { read: 'refused' })
  const [row] = await rowsAfter(marketDay, history)
  deepEqual(
    ['sites', 'robots', 'ads_txt', 'homepages', 'managers', 'exchanges'].map((one) => row?.[one]),
    [
      2,
      { rules: 1, unreachable: 1 },
      { ok: 1, failed: 1 },
      { read: 1, refused: 1 },
      { raptive: 1 },
      { gpt: 1 },
    ],
  )
})

test('CL2 an unexpected reading is no finding, and never an exception', () => {
  const history = new History()
  history.robotsRead(SITE, 'rules', null, OPEN)
  history.fetch(ads, answer(200, GOOD))
  history.fetch(network, json(list(A)))
  for (const projection of FINDINGS)
    for (const reading of [null, 7, [], { state: 'ok' }, { state: 'ok', sellers: [null] }])
      for (const key of new Set(history.recorded.flatMap((one) => projection.keysOf(one)))) {
        const state = foldAll(projection, key, history.recorded, () => reading)
        deepEqual(projection.rowsOf(state), [])
      }
})

test('one comparison gives so many findings, and says how many it left out', () => {
  const cited = { position: 1, at: '2026-11-30T00:00:00.000Z', request: null, commit: null }
  const finding = (about: string): Finding => ({
    kind: 'robots-blocks',
    programme: 'p',
    site: SITE,
    night: '2026-11-30',
    about,
    concerns: null,
    before: cited,
    after: cited,
    method: 'm@1',
    change: 'c',
    says: 'It changed.',
  })
  const many = foundOnce(['a', 'b', 'c', 'd'].map(finding), 2)
  deepEqual(
    many.map(({ about, says }) => [about, says]),
    [
      ['a', 'It changed.'],
      ['b', 'It changed. 2 more changes are not listed.'],
    ],
  )
  equal(many.length, 2)
  deepEqual(foundOnce(['a', 'b'].map(finding), 2), ['a', 'b'].map(finding))
  equal(foundOnce([finding('x'.repeat(5_000))])[0]?.about.length, 600)
})

test('PR17 a finding stays, however many come after it, and the state does not grow with them', async () => {
  const history = new History()
  const turns = 700
  for (let i = 0; i < turns; i += 1)
    history.robotsRead(SITE, 'rules', null, i % 2 === 0 ? OPEN : CLOSED)
  const ports = portsOf(history)
  const limits = { pageEvents: 7, batchEvents: 7, batchBytes: 1e6, heldBytes: 1, newKeys: 1 }
  const live = right(await catchUp(ports)(robotsFindings, { limits })())
  const { rows } = right(await ports.store.readRows(robotsFindings, { limit: 1_000 })())
  const positions = rows.map(({ position }) => position)
  equal(rows.length, turns - 1)
  deepEqual(
    positions,
    positions.toSorted((a, b) => a - b),
  )
  const [state] = right(await ports.store.readStates(live, { after: '', limit: 1 })())
  ok(state !== undefined && state.state.length < 3_000, `${state?.state.length}`)
  deepEqual(state.touched, [])
})
