/** Responses nobody thought of: valid ones, bent at random, and noise. Always one outcome, in time. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { FailureReason } from '../../src/ledger/exchange.ts'
import { ask } from '../support/fetching.ts'
import { fc } from '../support/property.ts'
import { rawServer } from '../support/raw-server.ts'

type Script = {
  readonly pieces: readonly Buffer[]
  readonly ending: 'end' | 'reset' | 'stay'
  readonly eager: boolean
}

let script: Script = { pieces: [], ending: 'end', eager: false }

const play = (socket: import('node:net').Socket): void => {
  const { pieces, ending } = script
  for (const piece of pieces) socket.write(piece)
  if (ending === 'end') socket.end()
  if (ending === 'reset') setImmediate(() => socket.resetAndDestroy())
}
const server = await rawServer({
  onConnection: (socket) => {
    if (script.eager) play(socket)
  },
  onRequest: (socket) => {
    if (!script.eager) play(socket)
  },
})
after(() => server.close())

const text = (value: string): Buffer => Buffer.from(value, 'latin1')
const piece = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .constantFrom('HTTP/1.1 200 OK\r\n', 'HTTP/1.1 301 X\r\n', 'HTTP/1.1 103 X\r\n\r\n')
      .map(text),
  },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(
        'Content-Length: 3\r\n',
        'Transfer-Encoding: chunked\r\n',
        'Connection: close\r\n',
        'Connection: upgrade\r\nUpgrade: h2c\r\n',
        'Content-Encoding: gzip\r\n',
        'Location: /\r\n',
        ' folded\r\n',
        '\r\n',
        '3\r\nabc\r\n',
        '0\r\n\r\n',
        'abc',
        '\n',
      )
      .map(text),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)) },
)
const scripts: fc.Arbitrary<Script> = fc.record({
  pieces: fc.array(piece, { maxLength: 10 }),
  ending: fc.constantFrom('end', 'end', 'end', 'reset', 'stay'),
  eager: fc.boolean(),
})

test('RC20: every response, however bent, ends in exactly one outcome and a live process', async () => {
  let asked = 0
  await fc.assert(
    fc.asyncProperty(scripts, async (next) => {
      script = next
      asked += 1
      const outcome = await ask(server.port, {
        limits: { totalMs: 100, connectMs: 100, bodyBytes: 5 },
      })
      if (outcome.tag === 'Failure') {
        assert.ok(FailureReason.is(outcome.reason))
        assert.notEqual(outcome.reason, 'other', outcome.code)
      } else {
        assert.ok(outcome.status >= 200)
        assert.ok(outcome.body.length <= 5)
        assert.ok(!outcome.truncated || outcome.body.length === 5)
      }
    }),
  )
  // Counted at the end: on a busy machine a connection may be seen after the time to answer is over.
  assert.ok(server.connections() <= asked, 'one connection for each request at most')
})
