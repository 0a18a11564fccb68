/** Whoever reads a body copes with one that was erased: nothing is made up, nothing is allowed by it. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { memoryBodyStore } from '../../../src/adapters/memory/bodies.ts'
import { memoryLedger } from '../../../src/adapters/memory/ledger.ts'
import { simulatedClock } from '../../../src/adapters/system/simulated-clock.ts'
import { type Digest, sha256Hex } from '../../../src/kernel/digest.ts'
import { position } from '../../../src/kernel/position.ts'
import { originOf } from '../../../src/kernel/url.ts'
import type { LedgerEvent } from '../../../src/ledger/event.ts'
import { siteStream } from '../../../src/ledger/stream.ts'
import { foldSite, programmeState, unknownSite } from '../../../src/politeness/site-state.ts'
import { conditionalHeaders } from '../../../src/politeness/validator.ts'
import { ruleOn } from '../../../src/robots/ruling.ts'
import { tellingErased } from '../../../src/shell/erasing/erased-bodies.ts'
import { historyOf } from '../../../src/shell/history.ts'
import { publishersOfSources } from '../../../src/shell/publishers.ts'
import { robotsFiles } from '../../../src/shell/robots-files.ts'
import { robotsReadingAt } from '../../../src/shell/robots-reading.ts'
import { siteStore } from '../../../src/shell/site-store.ts'
import { left, right } from '../../support/either.ts'
import { History, site, url } from '../../support/history.ts'
import { NOW, policy } from '../../support/site.ts'

/** The history in a ledger, over a body store from which `erased` was erased after it. */
const opened = async (history: History, erased: Digest) => {
  const ledger = memoryLedger(simulatedClock(NOW))
  const put = async (event: LedgerEvent, stream = siteStream(site('a.example')), version = 0) =>
    right(await ledger.append('run-1', { stream, expectedVersion: version, events: [event] })())
  for (const { event, stream, version } of history.recorded) await put(event, stream, version - 1)
  const act = { site: site('b.example'), by: 'A. Person', note: null, basis: 'retention' } as const
  const body = { response: position(3), request: position(2), commit: erased, bytes: 1 }
  await put({ type: 'BodyErased', v: 1, ...act, ...body }, siteStream(site('b.example')))
  const bodies = tellingErased(
    memoryBodyStore((size) => Buffer.alloc(size), history.bodies),
    ledger,
  )
  equal(right(await bodies.erase(erased)()), 'erased')
  return { ledger, bodies }
}

const RULES = 'User-agent: *\nAllow: /\n'

/** A robots.txt that allowed all, and was erased. */
const robots = async () => {
  const history = new History()
  const asked = { site: 'a.example', purpose: 'robots' } as const
  const request = history.request(asked, url('https://a.example/robots.txt'), 0, {
    tag: 'answer',
    status: 200,
    body: RULES,
  })
  const [commit] = history.bodies.keys()
  ok(commit !== undefined)
  history.robotsRead('a.example', 'rules', request)
  const read = history.recorded.at(-1)?.event
  ok(read?.type === 'RobotsRead')
  const event = { ...read, commit }
  const last = history.recorded.pop()
  ok(last !== undefined)
  history.recorded.push({ ...last, event })
  return { event, ports: await opened(history, commit) }
}

test('PR3 rules that were erased allow nothing: whoever asks for them fails closed', async () => {
  const { event, ports } = await robots()
  const known = await robotsFiles(ports.bodies).knowledge(event)
  equal(known.file, null)
  const ruling = ruleOn(policy, 'sellers-json', url('https://a.example/sellers.json'), known)
  deepEqual([ruling.verdict, ruling.basis], ['deny', 'unread'])
  const reading = await robotsReadingAt(ports, originOf(url('https://a.example/')))
  deepEqual([reading?.isErased, reading?.body, reading?.file], [true, null, null])
})

test('where many bodies are missing, the ledger is looked through once', async () => {
  const { ports } = await robots()
  let pages = 0
  const readAll: typeof ports.ledger.readAll = (query) => {
    pages += query.after === 0 ? 1 : 0
    return ports.ledger.readAll(query)
  }
  const none = memoryBodyStore((size) => Buffer.alloc(size))
  const bodies = tellingErased(none, { ...ports.ledger, readAll })
  for (const text of ['x', 'y', 'z']) {
    const missing = await bodies.get(sha256Hex(text))()
    equal(left(missing).tag, 'BodyMissing')
  }
  equal(pages, 1)
})

test('the history of a file says that its bytes were erased', async () => {
  const { ports } = await robots()
  const seen: unknown[] = []
  for await (const { change, sha256, bytes } of historyOf(ports, site('a.example'), 'robots.txt'))
    seen.push([change, sha256, bytes])
  deepEqual(seen, [['erased', null, null]])
})

test('PR16 an erased sellers.json names nobody: the good one before it counts', async () => {
  const sellers = (domain: string) =>
    JSON.stringify({ sellers: [{ seller_id: '1', domain, seller_type: 'PUBLISHER' }] })
  const history = new History('plain-reckoner')
  for (const domain of ['old.example', 'new.example'])
    history.fetch(
      { site: 'a.example', purpose: 'sellers-json' },
      { tag: 'answer', status: 200, body: sellers(domain), type: 'application/json' },
    )
  const [older, newer] = [...history.bodies.keys()]
  ok(older !== undefined && newer !== undefined)
  const named = async (erased: Digest) => {
    const copy = new History('plain-reckoner')
    copy.recorded.push(...history.recorded)
    for (const [commit, stored] of history.bodies) copy.bodies.set(commit, stored)
    const ports = await opened(copy, erased)
    const reader = { ports, sites: siteStore(ports.ledger), policy: { name: 'plain-reckoner' } }
    const source = { id: 'net', url: url('https://a.example/sellers.json') }
    return (await publishersOfSources(reader, [source])).map((one) => one.site)
  }
  deepEqual(await named(newer), ['old.example'])
  deepEqual(await named(older), ['new.example'])
})

test('RC10 a page whose body was erased is asked for in full', () => {
  const history = new History()
  const asked = { site: 'a.example', purpose: 'page' } as const
  history.request(asked, url('https://a.example/page'), 0, {
    tag: 'answer',
    status: 200,
    body: 'x',
  })
  const [commit] = history.bodies.keys()
  ok(commit !== undefined)
  for (const [i, one] of history.recorded.entries())
    if (one.event.type === 'ResponseReceived')
      history.recorded[i] = { ...one, event: { ...one.event, headers: [['ETag', '"1"']] } }
  const before = history.recorded.reduce(foldSite, unknownSite(site('a.example')))
  const conditionsIn = (state: typeof before) =>
    conditionalHeaders(
      programmeState(state, history.programme).validators.get(url('https://a.example/page')),
    )
  equal(conditionsIn(before).length, 1)
  const act = { site: site('a.example'), by: 'A. Person', note: null, basis: 'retention' } as const
  const body = { response: position(3), request: position(2), commit, bytes: 1 }
  history.append({ type: 'BodyErased', v: 1, ...act, ...body }, siteStream(site('a.example')))
  deepEqual(conditionsIn(history.recorded.reduce(foldSite, unknownSite(site('a.example')))), [])
})
