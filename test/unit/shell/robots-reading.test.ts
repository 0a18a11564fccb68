import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { test } from 'node:test'
import { memoryBodyStore } from '../../../src/adapters/memory/bodies.ts'
import { commitTo, SALT_BYTES } from '../../../src/capture/commitment.ts'
import { sha256Hex } from '../../../src/kernel/digest.ts'
import { originOf } from '../../../src/kernel/url.ts'
import type { EventOf } from '../../../src/ledger/event.ts'
import { siteStream } from '../../../src/ledger/stream.ts'
import { Halt } from '../../../src/shell/halt.ts'
import { robotsReadingAt } from '../../../src/shell/robots-reading.ts'
import { History, site, url } from '../../support/history.ts'
import { recordedLedger } from '../../support/recorded-ledger.ts'

const RULES = 'User-agent: *\nDisallow: /a\n'

/** A request of robots.txt and what was read from it. */
const read = (
  history: History,
  address: string,
  fields: Partial<EventOf<'RobotsRead'>>,
): { readonly request: number; readonly position: number } => {
  const host = new URL(address).hostname
  const robots = url(new URL('/robots.txt', address).href)
  const asked = { site: host, purpose: 'robots' as const, target: robots }
  const request = history.request(asked, robots, 0, { tag: 'answer', status: 200 })
  const event: EventOf<'RobotsRead'> = {
    type: 'RobotsRead',
    v: 1,
    programme: 'plain-reckoner',
    subject: site(host),
    origin: originOf(robots),
    night: '2026-11-30',
    access: 'rules',
    because: 'answered 200',
    request,
    commit: null,
    headers: [],
    truncated: false,
    crawlDelayMs: null,
    issues: 0,
    reader: 'rfc9309@2',
    ...fields,
  }
  return { request, position: history.append(event, siteStream(site(host))) }
}

const ask = (history: History, address: string, moment?: Parameters<typeof robotsReadingAt>[2]) =>
  robotsReadingAt(
    {
      ledger: recordedLedger(history.recorded),
      bodies: memoryBodyStore((size) => Buffer.alloc(size), history.bodies),
    },
    originOf(url(address)),
    moment,
  )

test('the newest reading of the origin is found, with its bytes and when it was asked', async () => {
  const history = new History()
  read(history, 'https://a.example/', { commit: history.keep('User-agent: *\nAllow: /\n') })
  const { request, position } = read(history, 'https://a.example/', { commit: history.keep(RULES) })
  const reading = await ask(history, 'https://a.example/')
  assert.equal(reading?.read.position, position)
  assert.equal(reading?.read.event.request, request)
  assert.equal(reading?.askedAt, history.recorded[request - 1]?.ts)
  assert.deepEqual(reading?.body, { bytes: RULES.length, sha256: sha256Hex(Buffer.from(RULES)) })
  assert.equal(reading?.file?.rules.at(0).line, 2)
  assert.equal(reading?.lastWithRules, null)
})

test('each origin has its own file: neither scheme, port nor host may be another', async () => {
  const history = new History()
  read(history, 'https://a.example/', { commit: history.keep(RULES) })
  for (const other of ['http://a.example/', 'https://a.example:8443/', 'https://b.a.example/']) {
    assert.equal(await ask(history, other), undefined, other)
  }
})

test('at an earlier moment the ledger is taken as it stood then', async () => {
  const history = new History()
  const first = read(history, 'https://a.example/', { commit: history.keep(RULES) })
  const second = read(history, 'https://a.example/', { commit: history.keep('') })
  const at = (position: number) => ask(history, 'https://a.example/', { position })
  assert.equal(await at(first.position - 1), undefined)
  assert.equal((await at(second.position - 1))?.read.position, first.position)
  assert.equal((await at(second.position))?.read.position, second.position)
  const { ts } = history.recorded[first.position - 1] ?? assert.fail()
  assert.equal((await ask(history, 'https://a.example/', { ts }))?.read.position, first.position)
})

test('a newer reading without rules counts, and names the last one that had some', async () => {
  const history = new History()
  const { position } = read(history, 'https://a.example/', { commit: history.keep(RULES) })
  read(history, 'https://a.example/', { access: 'unreachable', because: 'server error 503' })
  const reading = await ask(history, 'https://a.example/')
  assert.equal(reading?.read.event.access, 'unreachable')
  assert.equal(reading?.file, null)
  assert.equal(reading?.lastWithRules?.position, position)
})

test('a body that is kept in a content coding is read decoded', async () => {
  const history = new History()
  const [salt, bytes] = [Buffer.alloc(SALT_BYTES, 9), gzipSync(RULES)]
  const commit = commitTo(bytes, salt)
  history.bodies.set(commit, Buffer.concat([salt, bytes]))
  read(history, 'https://a.example/', { commit, headers: [['Content-Encoding', 'gzip']] })
  const reading = await ask(history, 'https://a.example/')
  assert.equal(reading?.file?.rules.at(0).text, 'Disallow: /a')
  assert.equal(reading?.body?.bytes, bytes.length)
})

test('a body that was altered is a breach, never an answer', async () => {
  const history = new History()
  const commit = history.keep(RULES)
  read(history, 'https://a.example/', { commit })
  history.bodies.set(
    commit,
    Buffer.concat([history.bodies.get(commit) ?? assert.fail(), Buffer.from('#')]),
  )
  await assert.rejects(
    ask(history, 'https://a.example/'),
    (error) => error instanceof Halt && error.failure.tag === 'BodyAltered',
  )
})

test('the newest of more readings than one page holds is found', async () => {
  const history = new History()
  let last = 0
  for (let night = 0; night < 2_100; night += 1)
    last = history.robotsRead('a.example', 'unavailable')
  assert.equal((await ask(history, 'https://a.example/'))?.read.position, last)
})
