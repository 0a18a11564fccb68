/**
 * Servers that lie, stall, flood and break off. Each must end in exactly one outcome, with
 * the process alive and its memory bounded. node:test fails on any uncaught exception or unhandled
 * rejection while it runs, which is half of what is tested here.
 */
import assert from 'node:assert/strict'
import diagnostics from 'node:diagnostics_channel'
import type net from 'node:net'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { E } from '../../src/kernel/fp.ts'
import { decodeBody } from '../../src/capture/decode-body.ts'
import { answered, ask, type Asking, failed } from '../support/fetching.ts'
import {
  BROKEN,
  CHUNKED,
  dripping,
  flooding,
  ODD_BUT_WHOLE,
  OK,
  reply,
} from '../support/hostile-servers.ts'
import { type RawBehaviour, rawServer, type RawServer } from '../support/raw-server.ts'

const servers: RawServer[] = []
const serve = async (behaviour: RawBehaviour): Promise<RawServer> => {
  const server = await rawServer(behaviour)
  servers.push(server)
  return server
}
after(() => Promise.all(servers.map((server) => server.close())))

/** Far more than a busy machine needs, and short where a limit is what is tested. */
const LIMITS = { totalMs: 30_000, connectMs: 30_000 }
const SHORT = { totalMs: 600, connectMs: 30_000 }

/** Asks a server of that behaviour once; the outcome must be that of the only request. */
const outcomeOf = async (behaviour: RawBehaviour, asking: Asking = {}) => {
  const server = await serve(behaviour)
  const outcome = await ask(server.port, { ...asking, limits: { ...LIMITS, ...asking.limits } })
  assert.ok(server.requests.length <= 1, 'asked once at most')
  assert.equal(server.connections(), 1, 'connected once')
  return outcome
}

for (const [name, reason, behaviour] of BROKEN)
  test(`hostile server: ${name} → ${reason}`, { timeout: 60_000 }, async () => {
    const limits = reason === 'timeout' ? SHORT : LIMITS
    const outcome = failed(await outcomeOf(behaviour, { limits }))
    assert.equal(outcome.reason, reason, outcome.code)
    // A connection that was reset at once may no longer know whose it was.
    const { remote } = outcome
    assert.ok(remote?.address === '127.0.0.1' || (remote === null && name.includes('before the')))
  })

test('undici#1987: bytes that keep coming do not move the total limit, nor end it early', async () => {
  const outcome = failed(await outcomeOf(dripping(`${OK}\r\n`, 5), { limits: SHORT }))
  assert.equal(outcome.code, 'TOTAL_TIMEOUT')
  assert.ok(outcome.timing.totalMs >= SHORT.totalMs - 5)
})

for (const [name, body, behaviour] of ODD_BUT_WHOLE)
  test(`odd server: ${name} → an answer`, async () => {
    assert.equal(answered(await outcomeOf(behaviour)).body.toString(), body)
  })

test('undici#5360: a body without length whose end comes while we read it is whole', async () => {
  const body = 'x'.repeat(100_000)
  for (const head of [`${OK}\r\n`, `${OK}Content-Length: ${body.length}\r\n\r\n`])
    for (let n = 0; n < 12; n += 1)
      assert.equal(answered(await outcomeOf(reply(head + body))).body.length, body.length)
})

test('bytes before the request: one connection, one outcome, never a second attempt', async () => {
  const unasked = (text: string): RawBehaviour => ({ onConnection: (socket) => socket.write(text) })
  for (const text of [`${OK}Content-Length: 3\r\n\r\nabc`, 'hello', '\r\n\r\n'])
    await outcomeOf(unasked(text), { limits: SHORT })
  const closing: RawBehaviour = { onConnection: (socket) => socket.end() }
  assert.equal(failed(await outcomeOf(closing)).reason, 'reset')
  const resetting: RawBehaviour = { onConnection: (socket) => socket.resetAndDestroy() }
  assert.equal(failed(await outcomeOf(resetting)).reason, 'reset')
})

test('a connection lost before the request is out is not made again behind our back', async () => {
  const lose = (message: unknown): void => {
    const { socket } = message as { readonly socket: net.Socket } // Node documents this shape.
    socket.once('connect', () => socket.destroy())
  }
  const server = await serve({})
  diagnostics.subscribe('net.client.socket', lose)
  try {
    const outcome = failed(await ask(server.port, { limits: LIMITS }))
    assert.deepEqual([outcome.reason, outcome.code], ['reset', 'CONNECTION_USED'])
  } finally {
    diagnostics.unsubscribe('net.client.socket', lose)
  }
  await new Promise((resolve) => setTimeout(resolve, 50))
  assert.ok(server.connections() <= 1)
})

test('memory: two million one-byte chunks cost about their body, not their framing', async () => {
  const piece = '1\r\na\r\n'.repeat(10_000)
  const before = process.memoryUsage()
  const outcome = await outcomeOf(flooding(`${CHUNKED}\r\n`, piece), {
    limits: { bodyBytes: 2_000_000, totalMs: 30_000 },
  })
  assert.equal(answered(outcome).truncated, true)
  const after = process.memoryUsage()
  assert.ok(after.arrayBuffers - before.arrayBuffers < 60_000_000)
  assert.ok(after.rss - before.rss < 400_000_000)
})

test('memory: a body without end is cut at the cap', async () => {
  const outcome = await outcomeOf(flooding(`${OK}\r\n`, 'x'.repeat(65_536)), {
    limits: { bodyBytes: 5_000_000, totalMs: 30_000 },
  })
  assert.equal(answered(outcome).body.length, 5_000_000)
})

test('memory: a gzip bomb is a small answer, and stops when it is decoded', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000))
  const head = `${OK}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`
  const answer = answered(await outcomeOf(reply(Buffer.concat([Buffer.from(head), bomb]))))
  assert.equal(answer.body.length, bomb.length)
  assert.deepEqual(decodeBody(answer.body, answer.headers, 1_000_000), E.left('too-large'))
})
