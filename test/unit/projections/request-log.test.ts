import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { requestLog } from '../../../projections/index.ts'
import type { Row } from '../../../projections/projection.ts'
import { present } from '../../../src/kernel/assert.ts'
import { catchUp } from '../../../src/shell/projecting/catch-up.ts'
import { nearestRequests } from '../../../src/shell/projecting/nearest-requests.ts'
import { right } from '../../support/either.ts'
import { type Ending, History, url } from '../../support/history.ts'
import { portsOf } from '../../support/projecting.ts'

const asked = { site: 'one.example', purpose: 'ads-txt' as const }

const rowsAfter = async (history: History): Promise<readonly Row[]> => {
  const ports = portsOf(history)
  right(await catchUp(ports)(requestLog)())
  return right(await ports.store.readRows(requestLog, { limit: 100 })()).rows
}

test('RC26 a time and an address are enough to find a request', async () => {
  const history = new History()
  for (const site of ['one.example', 'two.example', 'one.example'])
    history.fetch({ site, purpose: 'ads-txt' }, { tag: 'answer', status: 200, body: '' })
  const ports = portsOf(history)
  const sent = history.recorded.filter(({ event }) => event.type === 'RequestSent')
  const { position, ts } = present(sent[2], 'the third request')
  const near = { url: url('https://one.example/ads.txt'), time: ts }
  const found = async (windowMs: number) =>
    (await nearestRequests(ports, { ...near, windowMs })).map((row) => [row['request'], row['n']])
  deepEqual(await found(0), [[position, 3]])
  // The nearest one first, though it is the later one.
  deepEqual(await found(3_600_000), [
    [position, 3],
    [sent[0]?.position, 1],
  ])
})

const ENDINGS: readonly (readonly [Ending, Partial<Row>])[] = [
  [
    { tag: 'answer', status: 404, body: 'gone' },
    { outcome: 'answered', status: 404, bytes: 4 },
  ],
  [
    { tag: 'answer', status: 200 },
    { outcome: 'answered', status: 200, bytes: null, commit: null },
  ],
  [
    { tag: 'failure', reason: 'tls' },
    { outcome: 'failed', status: null, reason: 'tls' },
  ],
  [{ tag: 'abandoned' }, { outcome: 'abandoned', status: null }],
  [{ tag: 'open' }, { outcome: 'open', closed_position: null, closed_at: null }],
]
for (const [ending, expected] of ENDINGS)
  test(`CL1 one row for each request: ${JSON.stringify(ending)}`, async () => {
    const history = new History()
    history.fetch(asked, ending)
    const rows = await rowsAfter(history)
    equal(rows.length, 1)
    for (const [column, value] of Object.entries(expected)) equal(rows[0]?.[column], value, column)
  })

test('CL1 a redirect is shown on the request that it answered, by its own decision', async () => {
  const history = new History()
  history.fetch({ ...asked, redirects: [301] }, { tag: 'answer', status: 200, body: '' })
  const rows = await rowsAfter(history)
  deepEqual(
    rows.map((row) => [row['hop'], row['redirect_verdict'], row['redirect_to']]),
    [
      [0, 'follow', 'https://one.example/moved-0'],
      [1, null, null],
    ],
  )
})

test('CL1 rows come in the order of the ledger, and name their decision', async () => {
  const history = new History()
  for (let i = 0; i < 12; i += 1) history.fetch(asked, { tag: 'failure', reason: 'dns' })
  const rows = await rowsAfter(history)
  const requests = rows.map((row) => Number(row['request']))
  deepEqual(
    requests,
    requests.toSorted((a, b) => a - b),
  )
  for (const row of rows) equal(row['decision'], Number(row['request']) - 1)
})
