/** The same hostile servers, seen from the ledger: each request has one closing event, each fetch one end. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Purpose } from '../../src/kernel/words.ts'
import type { EventOf } from '../../src/ledger/event.ts'
import { url } from '../support/fetching.ts'
import { BROKEN, ODD_BUT_WHOLE } from '../support/hostile-servers.ts'
import { type RawBehaviour, rawServer, type RawServer } from '../support/raw-server.ts'
import type { Script } from '../support/scripted.ts'
import { closingsOf, conclusionOf, fetchWholeWay } from '../support/whole-way.ts'

const servers: RawServer[] = []
after(() => Promise.all(servers.map((server) => server.close())))

const ROBOTS = 'http://news.example/robots.txt'
const FILES = [
  ['robots', ROBOTS],
  ['homepage', 'http://news.example/'],
] as const
/** Everything may be asked; nobody needs to be asked for that. */
const open: Script = { [ROBOTS]: { status: 404 } }

const eventsOf = async (behaviour: RawBehaviour, purpose: Purpose, target: string) => {
  const server = await rawServer(behaviour)
  servers.push(server)
  const events = await fetchWholeWay({
    purpose,
    target: url(target),
    resolve: new Map([['*:*', { address: '127.0.0.1', port: server.port }]]),
    script: purpose === 'robots' ? {} : open,
    limits: { totalMs: 400 },
  })
  assert.ok(server.requests.length <= 1, 'asked once at most')
  return events
}

for (const [name, reason, behaviour] of BROKEN)
  test(`CL1: ${name}: one closing event, ${reason}, and one conclusion`, async () => {
    for (const [purpose, target] of FILES) {
      const events = await eventsOf(behaviour, purpose, target)
      const closing = closingsOf(events).at(-1)
      assert.ok(closing?.type === 'RequestFailed', `${purpose}: ${closing?.type}`)
      assert.equal(closing.url, target)
      assert.equal(closing.reason, reason, closing.code)
      const told = conclusionOf(events, purpose)
      if (told.type === 'RobotsRead') assert.equal(told.access, 'unreachable')
      else assert.deepEqual([told.outcome, told.because], ['failed', reason])
    }
  })

const receivedIn = (events: ReturnType<typeof closingsOf>): EventOf<'ResponseReceived'> => {
  const closing = events.at(-1)
  assert.ok(closing?.type === 'ResponseReceived', closing?.type)
  return closing
}

for (const [name, body, behaviour] of ODD_BUT_WHOLE)
  test(`CL1: ${name}: one closing event, an answer, and one conclusion`, async () => {
    for (const [purpose, target] of FILES) {
      const events = await eventsOf(behaviour, purpose, target)
      const received = receivedIn(closingsOf(events))
      if (received.body.kept) assert.equal(received.body.bytes, body.length)
      assert.equal(received.body.kept, purpose === 'robots')
      const told = conclusionOf(events, purpose)
      if (told.type === 'FetchConcluded') assert.equal(told.outcome, 'answered')
    }
  })

/** Places a redirect may not lead to, and what comes of it. */
const PLACES: readonly (readonly [name: string, location: string, reason: string])[] = [
  ['a host that is only a dot', 'http://./robots.txt', 'bad-location'],
  ['a host with an empty label', 'http://a..b/robots.txt', 'bad-location'],
  ['port 0', 'http://news.example:0/', 'bad-location'],
  ['a mail server’s port', 'http://news.example:25/', 'bad-location'],
  ['a place with a user name', 'http://user:secret@news.example/', 'bad-location'],
  ['another scheme', 'gopher://news.example/', 'bad-location'],
  ['a place too far', `/${'x'.repeat(9_000)}`, 'bad-location'],
  ['nowhere', '', 'loop'],
  ['a part of itself', '#top', 'loop'],
]
for (const [name, location, reason] of PLACES)
  test(`a redirect to ${name}: ${reason}, and the crawl goes on`, async () => {
    const moved = `HTTP/1.1 301 X\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`
    const behaviour: RawBehaviour = { onRequest: (socket) => socket.end(moved) }
    const events = await eventsOf(behaviour, 'robots', ROBOTS)
    assert.equal(receivedIn(closingsOf(events)).status, 301)
    const decided = events.flatMap(({ event }) => (event.type === 'RedirectDecided' ? [event] : []))
    assert.deepEqual(
      decided.map((event) => [event.verdict, event.reason]),
      [['refuse', reason]],
    )
    const told = conclusionOf(events, 'robots')
    assert.ok(told.type === 'RobotsRead' && told.access === 'unreachable')
  })
