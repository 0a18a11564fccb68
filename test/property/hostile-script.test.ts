/**
 * A server whose every byte, delay and end is generated: good responses, cut, bent, broken off. Each
 * request must have exactly one outcome in the ledger, whatever is sent.
 */
import assert from 'node:assert/strict'
import type net from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { decodeBody } from '../../src/capture/decode-body.ts'
import { E } from '../../src/kernel/fp.ts'
import type { Purpose } from '../../src/kernel/words.ts'
import { FailureReason } from '../../src/ledger/exchange.ts'
import {
  type ByteScript,
  goodScript,
  hostileScript,
  robotsText,
} from '../support/arbitraries/responses.ts'
import { answered, ask, url } from '../support/fetching.ts'
import { fc } from '../support/property.ts'
import { rawServer } from '../support/raw-server.ts'
import type { Script } from '../support/scripted.ts'
import { closingsOf, conclusionOf, fetchWholeWay } from '../support/whole-way.ts'

let script: ByteScript = { pieces: [], ending: 'end', eager: false }

const play = async (socket: net.Socket): Promise<void> => {
  const { pieces, ending } = script
  socket.setNoDelay(true)
  for (const { bytes, afterMs } of pieces) {
    if (afterMs > 0) await sleep(afterMs)
    if (socket.destroyed) return
    socket.write(bytes, 'latin1')
  }
  if (ending === 'end') socket.end()
  if (ending === 'reset') setImmediate(() => socket.resetAndDestroy())
}
const server = await rawServer({
  onConnection: (socket) => {
    if (script.eager) void play(socket)
  },
  onRequest: (socket) => {
    if (!script.eager) void play(socket)
  },
})
after(() => server.close())

const resolve = new Map([['*:*', { address: '127.0.0.1', port: server.port }]])
const FILES = [
  ['robots', '/robots.txt'],
  ['ads-txt', '/ads.txt'],
  ['homepage', '/'],
] as const

/** What is held after everything that can go has gone, in bytes. */
const held = async (): Promise<number> => {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  for (let turn = 0; turn < 3; turn += 1) {
    if (typeof collect === 'function') Reflect.apply(collect, undefined, [])
    await sleep(1)
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

let asked = 0

/** One fetch from a host of its own, so that a request which arrives late is known by its name. */
const fetchOnce = async (purpose: Purpose, path: string, rules: string) => {
  asked += 1
  const host = `run-${asked}.example`
  const robots = `http://${host}/robots.txt`
  const scripted: Script = purpose === 'robots' ? {} : { [robots]: { status: 200, body: rules } }
  const target = url(`http://${host}${path}`)
  const limits = { totalMs: 100, connectMs: 100 }
  const events = await fetchWholeWay({ purpose, target, resolve, script: scripted, limits })
  const closings = closingsOf(events).filter((closing) => !(closing.url in scripted))
  const requests = server.requests.filter((head) => head.includes(`\r\nhost: ${host}\r\n`))
  assert.ok(requests.length <= closings.filter((closing) => closing.url.includes(host)).length)
  return { events, closings }
}

/** How many requests went out to the server. */
const runAll = async (): Promise<number> => {
  let sent = 0
  await fc.assert(
    fc.asyncProperty(
      hostileScript,
      fc.constantFrom(...FILES),
      robotsText,
      async (next, of, rules) => {
        const [purpose, path] = of
        script = next
        const { events, closings } = await fetchOnce(purpose, path, rules)
        sent += closings.length
        // What its own robots.txt forbids is not asked, and that is how its fetch ends.
        if (closings.length === 0) {
          assert.ok(events.some(({ event }) => event.type === 'RequestWithheld'))
          return
        }
        conclusionOf(events, purpose)
        for (const closing of closings) {
          assert.notEqual(closing.type, 'RequestAbandoned')
          if (closing.type !== 'RequestFailed') continue
          assert.ok(FailureReason.is(closing.reason))
          assert.notEqual(closing.reason, 'other', closing.code)
        }
      },
    ),
  )
  return sent
}

test('CL1, RC20: whatever a server sends, each request has one outcome, and memory stays flat', async () => {
  const first = await runAll()
  const before = await held()
  const second = await runAll()
  assert.ok(server.connections() <= first + second, 'one connection for each request at most')
  const grown = (await held()) - before
  assert.ok(grown < 16_000_000, `${grown} bytes more after as many requests again`)
})

test('PR11: a good response, however it is cut into pieces, is the same answer', async () => {
  await fc.assert(
    fc.asyncProperty(goodScript, async ({ good, script: next }) => {
      script = next
      const answer = answered(await ask(server.port, { address: 'http://news.example/' }))
      assert.equal(answer.status, good.status)
      assert.equal(answer.truncated, false)
      const decoded = decodeBody(answer.body, answer.headers, 1_000_000)
      assert.ok(E.isRight(decoded))
      assert.equal(decoded.right.toString('latin1'), good.plain)
    }),
  )
})
