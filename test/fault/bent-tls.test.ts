/** TLS whose bytes are changed on their way to us, at random places: one outcome, never a wrong body. */
import assert from 'node:assert/strict'
import net from 'node:net'
import { after, test } from 'node:test'
import { FailureReason } from '../../src/ledger/exchange.ts'
import { issue, makeAuthority } from '../support/certificates.ts'
import { ask } from '../support/fetching.ts'
import { fc } from '../support/property.ts'
import { rawServer } from '../support/raw-server.ts'

const BODY = 'User-agent: *\nDisallow: /private\n'
const authority = await makeAuthority()
const server = await rawServer({
  onRequest: (socket) =>
    socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`),
  tls: await issue(authority, ['shop.example']),
})

type Bend = { readonly at: number; readonly what: 'flip' | 'drop' | 'double' | 'cut' }
let bend: Bend = { at: 0, what: 'flip' }

/** Passes everything on, but for the byte at `bend.at` of what the server sends. */
const bent = (chunk: Buffer, place: number): Buffer => {
  const [before, byte, rest] = [
    chunk.subarray(0, place),
    chunk.subarray(place, place + 1),
    chunk.subarray(place + 1),
  ]
  if (bend.what === 'cut') return before
  if (bend.what === 'drop') return Buffer.concat([before, rest])
  if (bend.what === 'double') return Buffer.concat([before, byte, byte, rest])
  return Buffer.concat([before, Buffer.from([(byte[0] ?? 0) ^ 0x01]), rest])
}

const open = new Set<net.Socket>()
const proxy = net.createServer((client) => {
  const upstream = net.connect(server.port, '127.0.0.1')
  let passed = 0
  for (const socket of [client, upstream]) {
    open.add(socket)
    socket.on('error', () => undefined).once('close', () => open.delete(socket))
  }
  client.on('data', (chunk) => upstream.write(chunk)).on('close', () => upstream.destroy())
  upstream.on('data', (chunk: Buffer) => {
    const place = bend.at - passed
    passed += chunk.length
    const hit = place >= 0 && place < chunk.length
    client.write(hit ? bent(chunk, place) : chunk)
    if (hit && bend.what === 'cut') client.destroy()
  })
  upstream.on('end', () => client.end())
})
await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
const listening = proxy.address()
if (listening === null || typeof listening === 'string') throw new Error('not a TCP server')
const { port } = listening

after(async () => {
  for (const socket of open) socket.destroy()
  await new Promise((resolve) => proxy.close(resolve))
  await server.close()
})

test('RC20: TLS bent on its way ends in one outcome, and never in another body', async () => {
  const bends = fc.record<Bend>({
    at: fc.oneof(fc.nat(1_500), fc.nat(100)),
    what: fc.constantFrom('flip', 'drop', 'double', 'cut'),
  })
  await fc.assert(
    fc.asyncProperty(bends, async (next) => {
      bend = next
      const outcome = await ask(port, {
        address: 'https://shop.example/robots.txt',
        authorities: [authority.certPem],
        limits: { totalMs: 400, connectMs: 400 },
      })
      if (outcome.tag === 'Answer') return assert.equal(outcome.body.toString(), BODY)
      assert.ok(FailureReason.is(outcome.reason))
      assert.notEqual(outcome.reason, 'other', outcome.code)
    }),
  )
})
