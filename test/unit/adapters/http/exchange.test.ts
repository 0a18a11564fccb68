/** Names that are looked up too late, or never: settled by our own clock, and deaf to what comes later. */
import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import tls from 'node:tls'
import { publicLookup } from '../../../../src/adapters/http/connection.ts'
import { Exchange, type Outgoing } from '../../../../src/adapters/http/exchange.ts'
import type { HttpAnswer, HttpFailure } from '../../../../src/capture/port.ts'
import { failed, url } from '../../../support/fetching.ts'
import { rawServer } from '../../../support/raw-server.ts'

const server = await rawServer({})
after(() => server.close())
const secureContext = tls.createSecureContext()

type Answering = (
  answer: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void

/** Every outcome of one exchange whose name is looked up by `answering`, until `forMs` after the first. */
const outcomesOf = async (scheme: string, answering: Answering, forMs: number) => {
  const outcomes: (HttpAnswer | HttpFailure)[] = []
  const first = Promise.withResolvers<void>()
  const request: Outgoing = {
    url: url(`${scheme}://shop.example:${server.port}/`),
    headers: [],
    limits: { totalMs: 60_000, connectMs: 50, bodyBytes: 10 },
    method: 'GET',
    body: null,
  }
  const lookup = publicLookup((_host, _options, callback) => answering(callback))
  const route = { url: request.url, endpoint: undefined, lookup, secureContext }
  new Exchange(request, route, (outcome) => {
    outcomes.push(outcome)
    first.resolve()
  }).start(undefined)
  await first.promise
  await sleep(forMs)
  return outcomes.map((outcome) => failed(outcome).code)
}

for (const scheme of ['http', 'https']) {
  test(`${scheme}: a name server that never answers is connect-timeout`, async () => {
    assert.deepEqual(await outcomesOf(scheme, () => undefined, 0), ['CONNECT_TIMEOUT'])
  })

  test(`${scheme}: an answer that comes after the end connects to nothing and changes nothing`, async () => {
    const late: Answering = (answer) =>
      setTimeout(answer, 80, null, [{ address: '127.0.0.1', family: 4 }])
    assert.deepEqual(await outcomesOf(scheme, late, 100), ['CONNECT_TIMEOUT'])
    const lateFailure: Answering = (answer) =>
      setTimeout(answer, 80, Object.assign(new Error('late'), { code: 'ENOTFOUND' }), [])
    assert.deepEqual(await outcomesOf(scheme, lateFailure, 100), ['CONNECT_TIMEOUT'])
    assert.equal(server.connections(), 0)
  })

  test(`${scheme}: a name without any address is dns`, async () => {
    const none: Answering = (answer) => setImmediate(answer, null, [])
    const [code, ...more] = await outcomesOf(scheme, none, 0)
    assert.deepEqual([code, more], ['NO_ADDRESS', []])
  })
}
