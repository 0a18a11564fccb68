import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { adsTxtState, publisherList, requestLog, siteCooldown } from '../../../projections/index.ts'
import type { ProjectionStore } from '../../../projections/port.ts'
import { SALT_BYTES } from '../../../src/capture/commitment.ts'
import { E } from '../../../src/kernel/fp.ts'
import type { Reader } from '../../../src/readers/reader.ts'
import { catchUp } from '../../../src/shell/projecting/catch-up.ts'
import { rebuild } from '../../../src/shell/projecting/rebuild.ts'
import { left, right } from '../../support/either.ts'
import { History, url } from '../../support/history.ts'
import { contentsOf, memoryStore, portsOf } from '../../support/projecting.ts'

const asked = { site: 'one.example', purpose: 'ads-txt' as const }
const file = (body: string) => ({ tag: 'answer' as const, status: 200, body, type: 'text/plain' })

/** Counts how often each reader is run. */
const counting = (readers: readonly Reader[]) => {
  const runs = { count: 0 }
  const counted = readers.map((reader) => ({
    ...reader,
    read: (...args: Parameters<Reader['read']>) => {
      runs.count += 1
      return reader.read(...args)
    },
  }))
  return { runs, counted }
}

test('CL2 an empty ledger gives an empty table at position 0', async () => {
  const ports = portsOf(new History())
  const live = right(await catchUp(ports)(requestLog)())
  equal(live.checkpoint, 0)
  deepEqual(await contentsOf(ports.store, requestLog), { states: [], rows: [] })
  equal(right(await catchUp(ports)(requestLog)()).generation, live.generation)
})

test('CL2 the checkpoint passes over events of no interest', async () => {
  const history = new History()
  history.startRun('run-1')
  const ports = portsOf(history)
  equal(right(await catchUp(ports)(requestLog)()).checkpoint, 1)
  history.endRun()
  equal(right(await catchUp(ports)(requestLog)()).checkpoint, 2)
})

test('CL5 a body is read once for each version of its reader, and never again for a rebuild', async () => {
  const history = new History()
  history.fetch(asked, file('ads.example, 1, DIRECT\n'))
  history.fetch(asked, file('ads.example, 2, DIRECT\n'))
  const plain = portsOf(history)
  const { runs, counted } = counting(plain.readers)
  const ports = { ...plain, readers: counted }
  right(await catchUp(ports)(adsTxtState)())
  equal(runs.count, 2)
  for (const batchBytes of [1, 1_000_000]) {
    const limits = { pageEvents: 100, batchEvents: 100, batchBytes, heldBytes: 1, newKeys: 1 }
    right(await rebuild(ports)(adsTxtState, { limits })())
  }
  equal(runs.count, 2)
})

test('CL5 a version that took the place of another builds the table anew and reads the bodies again', async () => {
  const history = new History()
  history.fetch(asked, file('ads.example, 1, DIRECT\n'))
  const ports = portsOf(history)
  const before = right(await catchUp(ports)(adsTxtState)())
  const { runs, counted } = counting(ports.readers.map((one) => ({ ...one, version: 2 })))
  const newer = { ...ports, readers: counted }
  const live = right(await catchUp(newer)(adsTxtState)())
  equal(runs.count, 1)
  equal(live.reader, 'ads-txt@2')
  ok(live.generation > before.generation)
  const page = right(await ports.store.readRows(adsTxtState, { limit: 1 })())
  equal(page.rows[0]?.['reader'], 'ads-txt@2')
})

test('CL5 a new version of the projection builds the table anew', async () => {
  const ports = portsOf(new History())
  const before = right(await catchUp(ports)(requestLog)())
  const version = requestLog.version + 1
  const live = right(await catchUp(ports)({ ...requestLog, version })())
  deepEqual([live.version, live.generation > before.generation], [version, true])
})

test('CL5 a program that is older than the table leaves it alone', async () => {
  const history = new History()
  const ports = portsOf(history)
  const { version } = requestLog
  const newer = right(await catchUp(ports)({ ...requestLog, version: version + 1 })())
  deepEqual(left(await catchUp(ports)(requestLog)()), {
    tag: 'NewerBuild',
    projection: 'request-log',
    found: { version: version + 1, reader: null },
    ours: { version, reader: null },
  })
  deepEqual(right(await ports.store.live(requestLog)()), newer)
  const reader = ports.readers.map((one) => ({ ...one, version: 2 }))
  right(await catchUp({ ...ports, readers: reader })(adsTxtState)())
  equal(left(await catchUp(ports)(adsTxtState)()).tag, 'NewerBuild')
})

test('a body that was altered stops the fold, naming the position', async () => {
  const history = new History()
  history.fetch(asked, file('ads.example, 1, DIRECT\n'))
  const concluded = history.fetch(asked, file('ads.example, 2, DIRECT\n'))
  const ports = portsOf(history)
  const commit = [...history.bodies.keys()].at(-1)
  ok(commit !== undefined)
  history.bodies.get(commit)?.write('X', SALT_BYTES)
  const failure = left(await catchUp(ports)(adsTxtState)())
  ok(failure.tag === 'IntegrityBreach' && failure.position === concluded)
  equal(right(await ports.store.live(adsTxtState)()), undefined)
})

test('CL2 any number of runners at once fold every event once', async () => {
  const history = new History()
  for (let i = 0; i < 60; i += 1) history.fetch(asked, { tag: 'failure', reason: 'dns' })
  const ports = portsOf(history)
  const limits = { pageEvents: 7, batchEvents: 3, batchBytes: 1, heldBytes: 1, newKeys: 1 }
  const runners = Array.from({ length: 5 }, () => catchUp(ports)(siteCooldown, { limits })())
  const standings = (await Promise.all(runners)).map(right)
  deepEqual(
    new Set(standings.map(({ checkpoint }) => checkpoint)),
    new Set([history.recorded.length]),
  )
  const fresh = portsOf(history)
  right(await rebuild(fresh)(siteCooldown)())
  deepEqual(
    await contentsOf(ports.store, siteCooldown),
    await contentsOf(fresh.store, siteCooldown),
  )
})

test('CL2 a runner that is overtaken although it holds the lock begins again', async () => {
  const history = new History()
  history.fetch(asked, { tag: 'failure', reason: 'dns' })
  const store = memoryStore()
  const head = { at: 0 }
  const ports = portsOf(history, store, () => head.at)
  right(await catchUp(ports)(siteCooldown)())
  head.at = history.recorded.length
  let rival = true
  const raced: ProjectionStore = {
    ...store,
    commit: (projection, standing, batch) => async () => {
      if (rival) {
        rival = false
        right(await store.commit(projection, standing, { checkpoint: 1, written: [] })())
      }
      return store.commit(projection, standing, batch)()
    },
  }
  const live = right(await catchUp({ ...ports, store: raced })(siteCooldown)())
  equal(live.checkpoint, history.recorded.length)
})

test('a store that is not to be had is an answer, and nothing is lost', async () => {
  const history = new History()
  history.fetch(asked, file('ads.example, 1, DIRECT\n'))
  const store = memoryStore()
  const failing: ProjectionStore = {
    ...store,
    commit: () => async () => E.left({ tag: 'Unavailable', because: 'gone' }),
  }
  const ports = portsOf(history)
  equal(left(await catchUp({ ...ports, store: failing })(adsTxtState)()).tag, 'Unavailable')
  right(await catchUp({ ...ports, store })(adsTxtState)())
  equal((await contentsOf(store, adsTxtState)).rows.length, 1)
})

test('CL2 a text a database cannot hold is shown without what it cannot hold', async () => {
  const history = new History()
  const request = history.request(
    { site: 'n.test', purpose: 'homepage' },
    url('https://n.test/'),
    0,
    {
      tag: 'open',
    },
  )
  const naming = { source: 'n', request, index: 0, sellerId: '1\u00002', domain: 'one.example' }
  history.list('one.example', [naming])
  const ports = portsOf(history)
  right(await catchUp(ports)(publisherList)())
  const { rows } = right(await ports.store.readRows(publisherList, { limit: 9 })())
  deepEqual(rows[0]?.['named_by'], [{ ...naming, sellerId: '1\uFFFD2' }])
})

test('CL5 a final state takes no more events, neither in a rebuild nor in a catch-up', async () => {
  const asked = { site: 'news.example', purpose: 'robots' as const }
  const told = (history: History, part: 1 | 2): History => {
    if (part === 1) history.fetch(asked, { tag: 'answer', status: 200, body: 'a\u0000b' })
    const closing = history.recorded.findLast(({ event }) => event.type === 'ResponseReceived')
    // A second closing event of the same request: no ledger of ours has one, and a fold is total.
    if (part === 2 && closing?.event.type === 'ResponseReceived')
      history.append({ ...closing.event, status: 500 }, closing.stream)
    return history
  }
  const history = new History()
  const ports = portsOf(history)
  right(await catchUp(ports)(requestLog)())
  told(history, 1)
  const live = right(await catchUp(ports)(requestLog)())
  const states = right(await ports.store.readStates(live, { after: '', limit: 9 })())
  deepEqual(
    states.map(({ state }) => state),
    ['null'],
  )
  told(history, 2)
  right(await catchUp(ports)(requestLog)())
  const page = right(await ports.store.readRows(requestLog, { limit: 9 })())
  deepEqual(
    page.rows.map(({ status }) => status),
    [200],
  )
  right(await rebuild(ports)(requestLog)())
  deepEqual(right(await ports.store.readRows(requestLog, { limit: 9 })()).rows, page.rows)
})
