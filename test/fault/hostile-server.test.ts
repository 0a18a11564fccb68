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
import type { FailureReason } from '../../src/ledger/exchange.ts'
import {
  expiredValidity,
  issue,
  makeAuthority,
  privateKeyPem,
  selfSigned,
} from '../support/certificates.ts'
import { answered, ask, type Asking, failed } from '../support/fetching.ts'
import { type RawBehaviour, rawServer, type RawServer } from '../support/raw-server.ts'

const servers: RawServer[] = []
const serve = async (behaviour: RawBehaviour): Promise<RawServer> => {
  const server = await rawServer(behaviour)
  servers.push(server)
  return server
}
after(() => Promise.all(servers.map((server) => server.close())))

const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n`
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
const reply = (text: string | Buffer): RawBehaviour => ({ onRequest: (socket) => socket.end(text) })
const replyAndReset = (text: string): RawBehaviour => ({
  onRequest: (socket) => socket.write(text, () => setTimeout(() => socket.resetAndDestroy(), 30)),
})

/** Writes `piece` again and again until the client has had enough. */
const flooding = (start: string, piece: string): RawBehaviour => ({
  onRequest: (socket) => {
    socket.write(start)
    const more = (): void => {
      if (!socket.destroyed && socket.write(piece)) setImmediate(more)
    }
    socket.on('drain', more)
    more()
  },
})
const dripping = (start: string, everyMs = 20): RawBehaviour => ({
  onRequest: (socket) => {
    socket.write(start)
    const timer = setInterval(() => socket.write('x'), everyMs)
    socket.once('close', () => clearInterval(timer))
  },
})

const BROKEN: readonly (readonly [name: string, reason: FailureReason, server: RawBehaviour])[] = [
  ['closes at once', 'reset', { onRequest: (socket) => socket.end() }],
  ['resets at once', 'reset', { onRequest: (socket) => socket.resetAndDestroy() }],
  ['breaks off within the head', 'cut-short', reply('HTTP/1.1 200 OK\r\nContent-')],
  ['resets within the head', 'cut-short', replyAndReset('HTTP/1.1 200 OK\r\nContent-')],
  ['body shorter than said', 'cut-short', reply(`${OK}Content-Length: 9\r\n\r\nabc`)],
  [
    'body shorter than said, closing',
    'cut-short',
    reply(`${OK}Content-Length: 9\r\nConnection: close\r\n\r\nabc`),
  ],
  ['resets within a counted body', 'cut-short', replyAndReset(`${OK}Content-Length: 9\r\n\r\nabc`)],
  ['resets within a body without length', 'cut-short', replyAndReset(`${OK}\r\nabc`)],
  ['chunks without an end', 'cut-short', reply(`${CHUNKED}\r\n3\r\nabc\r\n`)],
  [
    'chunks without an end, closing',
    'cut-short',
    reply(`${CHUNKED}Connection: close\r\n\r\n3\r\nab`),
  ],
  ['bad chunk size', 'bad-response', reply(`${CHUNKED}\r\nzz\r\nabc\r\n`)],
  ['chunk longer than said', 'bad-response', reply(`${CHUNKED}\r\n1\r\nabc\r\n0\r\n\r\n`)],
  ['negative length', 'bad-response', reply(`${OK}Content-Length: -1\r\n\r\n`)],
  ['endless length', 'bad-response', reply(`${OK}Content-Length: 99999999999999999999\r\n\r\nx`)],
  ['two lengths', 'bad-response', reply(`${OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`)],
  [
    'length and chunks (smuggling)',
    'bad-response',
    reply(`${CHUNKED}Content-Length: 3\r\n\r\n3\r\nabc\r\n0\r\n\r\n`),
  ],
  ['HTTP/0.9', 'bad-response', reply('<html>hello</html>')],
  ['binary noise', 'bad-response', reply(Buffer.from('16030100', 'hex'))],
  ['bare line feeds', 'bad-response', reply('HTTP/1.1 200 OK\nContent-Length: 1\n\na')],
  ['space in a header name', 'bad-response', reply(`${OK}Bad Name: x\r\n\r\n`)],
  ['NUL in a header value', 'bad-response', reply(`${OK}A: x\0y\r\n\r\n`)],
  ['status below 100', 'bad-response', reply('HTTP/1.1 099 X\r\n\r\n')],
  ['status of two digits', 'bad-response', reply('HTTP/1.1 20 X\r\n\r\n')],
  [
    'an upgrade nobody asked for',
    'bad-response',
    reply('HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
  ],
  ['a flood of 103', 'bad-response', flooding('', 'HTTP/1.1 103 Early\r\n\r\n'.repeat(9))],
  [
    'headers too large',
    'headers-too-large',
    reply(`${OK}${`A: ${'x'.repeat(999)}\r\n`.repeat(80)}\r\n`),
  ],
  ['one header too large', 'headers-too-large', reply(`${OK}A: ${'x'.repeat(80_000)}\r\n\r\n`)],
  ['headers without end', 'headers-too-large', flooding(OK, `A: ${'x'.repeat(999)}\r\n`)],
  [
    'trailers without end',
    'headers-too-large',
    flooding(`${CHUNKED}\r\n0\r\n`, `A: ${'x'.repeat(999)}\r\n`),
  ],
  ['never answers', 'timeout', {}],
  ['drips a head', 'timeout', dripping(`${OK}A: `)],
  ['drips a status text', 'timeout', dripping('HTTP/1.1 200 ')],
  ['drips a body (undici#1987)', 'timeout', dripping(`${OK}\r\n`)],
  ['drips a counted body', 'timeout', dripping(`${OK}Content-Length: 99999\r\n\r\n`)],
  ['drips a chunk size', 'timeout', dripping(`${CHUNKED}\r\n1;`)],
  [
    'stops within a body',
    'timeout',
    { onRequest: (socket) => socket.write(`${OK}Content-Length: 9\r\n\r\nabc`) },
  ],
  [
    'answers with a chunk extension without end',
    'timeout',
    flooding(`${CHUNKED}\r\n1;`, 'x'.repeat(9_999)),
  ],
]

for (const [name, reason, behaviour] of BROKEN)
  test(`hostile server: ${name} → ${reason}`, { timeout: 60_000 }, async () => {
    const limits = reason === 'timeout' ? SHORT : LIMITS
    const outcome = failed(await outcomeOf(behaviour, { limits }))
    assert.equal(outcome.reason, reason, outcome.code)
    assert.equal(outcome.remote?.address, '127.0.0.1')
  })

test('undici#1987: bytes that keep coming do not move the total limit, nor end it early', async () => {
  const outcome = failed(await outcomeOf(dripping(`${OK}\r\n`, 5), { limits: SHORT }))
  assert.equal(outcome.code, 'TOTAL_TIMEOUT')
  assert.ok(outcome.timing.totalMs >= SHORT.totalMs - 5)
})

const ODD_BUT_WHOLE: readonly (readonly [name: string, body: string, server: RawBehaviour])[] = [
  ['more body than said', 'abc', reply(`${OK}Content-Length: 3\r\n\r\nabcdef`)],
  [
    'a second response behind the first',
    'abc',
    reply(`${OK}Content-Length: 3\r\n\r\nabc${OK}\r\nno`),
  ],
  ['garbage after the last chunk', 'abc', reply(`${CHUNKED}\r\n3\r\nabc\r\n0\r\n\r\n\0\0\0`)],
  ['103 first', 'abc', reply(`HTTP/1.1 103 X\r\nA: 1\r\n\r\n${OK}Content-Length: 3\r\n\r\nabc`)],
  [
    'Upgrade offered on a 200',
    'abc',
    reply(`${OK}Connection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 3\r\n\r\nabc`),
  ],
  ['status 999', 'abc', reply('HTTP/1.1 999 X\r\nContent-Length: 3\r\n\r\nabc')],
  ['HTTP/1.0 to the end', 'abc', reply('HTTP/1.0 200 OK\r\n\r\nabc')],
  ['resets after a whole body', 'abc', replyAndReset(`${OK}Content-Length: 3\r\n\r\nabc`)],
  [
    'one byte a packet',
    'abc',
    {
      onRequest: (socket) => {
        const bytes = Array.from(`${OK}Content-Length: 3\r\n\r\nabc`)
        const timer = setInterval(() => {
          const byte = bytes.shift()
          if (byte === undefined) clearInterval(timer)
          else socket.write(byte)
        }, 1)
        socket.setNoDelay(true).once('close', () => clearInterval(timer))
      },
    },
  ],
]

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

const authority = await makeAuthority()
const shop = await issue(authority, ['shop.example'])
const secure: Asking = {
  address: 'https://shop.example/',
  authorities: [authority.certPem],
}
const tlsReason = async (behaviour: RawBehaviour, asking: Asking = secure) => {
  const { reason, code } = failed(await outcomeOf(behaviour, asking))
  return [reason, code]
}

test('TLS fault: self-signed, unknown authority, wrong name, expired: tls, and nothing is asked', async () => {
  const page = reply(`${OK}Content-Length: 0\r\n\r\n`)
  const stranger = await makeAuthority('Stranger')
  const itself = await selfSigned('shop.example')
  assert.deepEqual(await tlsReason({ ...page, tls: itself }), [
    'tls',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
  ])
  const root = { certPem: stranger.certPem, keyPem: await privateKeyPem(stranger.keys.privateKey) }
  assert.deepEqual(await tlsReason({ ...page, tls: root }), ['tls', 'INVALID_PURPOSE'])
  const foreign = await issue(stranger, ['shop.example'])
  assert.deepEqual(await tlsReason({ ...page, tls: foreign }), [
    'tls',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ])
  const other = await issue(authority, ['other.example'])
  assert.deepEqual(await tlsReason({ ...page, tls: other }), [
    'tls',
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ])
  const old = await issue(authority, ['shop.example'], expiredValidity())
  assert.deepEqual(await tlsReason({ ...page, tls: old }), ['tls', 'CERT_HAS_EXPIRED'])
  assert.ok(servers.slice(-5).every((server) => server.requests.length === 0))
})

test('TLS fault: plain HTTP on a TLS port and TLS on a plain one', async () => {
  const plain: RawBehaviour = { onConnection: (socket: net.Socket) => socket.end(`${OK}\r\n`) }
  assert.equal((await tlsReason(plain))[0], 'tls')
  const outcome = await outcomeOf({ tls: shop }, { address: 'http://shop.example/' })
  assert.ok(['reset', 'cut-short', 'bad-response'].includes(failed(outcome).reason))
})

test('TLS fault: a handshake cut off, reset or never begun', async () => {
  const cut: RawBehaviour = { onConnection: (socket) => socket.end() }
  assert.equal((await tlsReason(cut))[0], 'reset')
  const reset: RawBehaviour = { onConnection: (socket) => socket.resetAndDestroy() }
  assert.equal((await tlsReason(reset))[0], 'reset')
  const limits = { totalMs: 60_000, connectMs: 500 }
  assert.equal((await tlsReason({}, { ...secure, limits }))[0], 'connect-timeout')
})

test('TLS fault: broken off and reset within the body', async () => {
  const start = `${OK}Content-Length: 9\r\n\r\nabc`
  assert.equal((await tlsReason({ ...reply(start), tls: shop }))[0], 'cut-short')
  const writeAndReset = (socket: net.Socket): void => {
    socket.write(start, () => setTimeout(() => servers.at(-1)?.reset(), 30))
  }
  assert.equal((await tlsReason({ onRequest: writeAndReset, tls: shop }))[0], 'cut-short')
})
