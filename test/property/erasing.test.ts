/** Any history, anything of it erased at any moment, by a sweep that may be cut off anywhere. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { adsTxtState, marketDay, PROJECTIONS } from '../../projections/index.ts'
import type { Projection } from '../../projections/projection.ts'
import { memoryBodyStore } from '../../src/adapters/memory/bodies.ts'
import { E, type TaskEither } from '../../src/kernel/fp.ts'
import { position } from '../../src/kernel/position.ts'
import { siteOf } from '../../src/kernel/url.ts'
import type { Purpose } from '../../src/kernel/words.ts'
import type { Recorded } from '../../src/ledger/entry.ts'
import { siteStream } from '../../src/ledger/stream.ts'
import { tellingErased } from '../../src/shell/erasing/erased-bodies.ts'
import { type SweepPorts, sweepErased } from '../../src/shell/erasing/sweep.ts'
import { Halt } from '../../src/shell/halt.ts'
import { catchUp } from '../../src/shell/projecting/catch-up.ts'
import { conclusionOf } from '../../src/shell/projecting/readings.ts'
import { rebuild, rebuildTogether } from '../../src/shell/projecting/rebuild.ts'
import { anyHistory } from '../support/arbitraries/events.ts'
import { dyingStore } from '../support/dying-store.ts'
import { right } from '../support/either.ts'
import type { History } from '../support/history.ts'
import { contentsOf, memoryStore, READERS } from '../support/projecting.ts'
import { fc } from '../support/property.ts'
import { recordedLedger } from '../support/recorded-ledger.ts'
import { workersOver } from '../support/workers-over.ts'

const sweepPorts = (history: History, store = memoryStore()): SweepPorts => {
  const ledger = recordedLedger(history.recorded)
  const files = memoryBodyStore((size) => Buffer.alloc(size), history.bodies)
  let through: number | undefined
  return {
    ledger,
    bodies: tellingErased(files, ledger),
    store,
    readers: READERS,
    swept: {
      read: () => async () => E.right(through),
      write: (now) => async () => {
        through = now
        return E.right(undefined)
      },
    },
  }
}

/** The same ports, of which the `steps`-th step that changes something fails, and every later one. */
const cutOff = (ports: SweepPorts, steps: number): SweepPorts => {
  let left = steps
  const failing =
    <L, A>(task: TaskEither<L, A>): TaskEither<L, A> =>
    async () => {
      left -= 1
      if (left < 0) throw new Halt({ tag: 'Unavailable', because: 'cut off' })
      return task()
    }
  const { store, bodies, swept } = ports
  return {
    ...ports,
    bodies: { ...bodies, erase: (commit) => failing(bodies.erase(commit)) },
    swept: { ...swept, write: (through) => failing(swept.write(through)) },
    store: {
      ...store,
      forgetReadings: (at) => failing(store.forgetReadings(at)),
      startShadow: (...args) => failing(store.startShadow(...args)),
      commit: (...args) => failing(store.commit(...args)),
      swap: (...args) => failing(store.swap(...args)),
      scrub: () => failing(store.scrub()),
    },
  }
}

/** A kept body, by its answer; what was read as rules has its answer right before. */
const keptIn = ({ event, position: at }: Recorded) => {
  if (event.type === 'ResponseReceived' && event.body.kept) {
    const { url, request, body } = event
    return [{ site: siteOf(url), response: at, request, commit: body.commit, bytes: body.bytes }]
  }
  if (event.type !== 'RobotsRead' || event.commit === null) return []
  const response = position(at - 1)
  return [{ site: event.subject, response, request: response, commit: event.commit, bytes: 9 }]
}

/** Records the erasure of those kept bodies whose turn `picks` says; gives their commitments. */
const eraseSome = (history: History, picks: readonly boolean[]) => {
  const kept = history.recorded.flatMap(keptIn)
  const erased = kept.filter((_, i) => picks[i % picks.length])
  for (const { site, response, request, commit, bytes } of erased) {
    const act = { site, by: 'A. Person', note: null, basis: 'retention' } as const
    history.append(
      { type: 'BodyErased', v: 1, ...act, response, request, commit, bytes },
      siteStream(site),
    )
  }
  return new Set(erased.map(({ commit }) => commit))
}

test('erasing: wherever a sweep is cut off, the next one ends as if the body had never been read', async () => {
  const picks = fc.array(fc.boolean(), { minLength: 1, maxLength: 7 })
  await fc.assert(
    fc.asyncProperty(anyHistory, picks, fc.nat({ max: 60 }), async (history, picked, steps) => {
      const ports = sweepPorts(history)
      for (const one of PROJECTIONS) right(await catchUp(ports)(one)())
      const commits = eraseSome(history, picked)
      const there = [...history.bodies.keys()]
      await sweepErased(cutOff(ports, steps)).catch((error: unknown) => ok(error instanceof Halt))
      for (const commit of there) ok(commits.has(commit) || history.bodies.has(commit))
      await sweepErased(ports)
      for (const commit of there) equal(history.bodies.has(commit), !commits.has(commit))

      const fresh = sweepPorts(history)
      for (const one of PROJECTIONS) {
        right(await catchUp(ports)(one)())
        right(await rebuild(fresh)(one)())
        deepEqual(await contentsOf(ports.store, one), await contentsOf(fresh.store, one), one.name)
      }
      equal((await sweepErased(ports)).erasures, 0)
      equal((await sweepErased(ports, { anew: true })).erasures, commits.size)
    }),
  )
})

/** Some tables whole, others live, begun by a rebuild that died, or not there at all. */
const anyStand = fc.array(fc.constantFrom('live', 'live and left', 'left', 'none'), {
  minLength: 3,
})

test('erasing: no rebuild that was cut off before goes on with what was read of a body', async () => {
  const anyDeath = fc.tuple(fc.integer({ min: 10, max: 150 }), fc.integer({ min: 0, max: 3 }))
  const picks = fc.array(fc.boolean(), { minLength: 1, maxLength: 7 })
  const limits = { pageEvents: 5, batchEvents: 2, batchBytes: 900, heldBytes: 1, newKeys: 1 }
  let gone = 0
  await fc.assert(
    fc.asyncProperty(
      anyHistory,
      picks,
      anyStand,
      anyDeath,
      async (history, picked, stands, [turn, count]) => {
        const ports = sweepPorts(history)
        const mortal = { ...ports, store: dyingStore(ports.store, turn) }
        const left: Projection[] = []
        for (const [i, one] of READING.entries()) {
          const stand = stands[i % stands.length]
          if (stand?.startsWith('live')) right(await catchUp(ports)(one)())
          if (stand?.endsWith('left')) left.push(one)
        }
        const workers = workersOver(mortal, count, limits)
        const targets = left.map((projection) => ({ projection }))
        await rebuildTogether(mortal)(targets, { limits, workers })()
        const shadows = async () =>
          right(await ports.store.status()()).filter(({ place }) => place === 'shadow')
        const before = new Set((await shadows()).map(({ projection }) => projection))
        const commits = eraseSome(history, picked)
        const read = READING.filter(({ reads }) => isReadIn(history, commits, reads?.purpose))
        const swept = await sweepErased(ports)
        for (const { name } of read) if (before.has(name)) gone += 1
        for (const one of await shadows())
          ok(!read.some(({ name }) => name === one.projection), one.projection)
        for (const name of before)
          equal(
            swept.rebuilt.includes(name),
            read.some((one) => one.name === name),
          )

        const fresh = sweepPorts(history)
        for (const one of READING) {
          right(await rebuild(fresh)(one)())
          const expected = await contentsOf(fresh.store, one)
          // Once as it was left, and once by a rebuild that may go on with what was left.
          right(await catchUp(ports)(one)())
          deepEqual(await contentsOf(ports.store, one), expected, one.name)
          right(await rebuild(ports)(one)())
          deepEqual(await contentsOf(ports.store, one), expected, one.name)
        }
      },
    ),
  )
  ok(gone > 0, 'some had been cut off, and read what was erased')
})

test('erasing: a table that is first built while a sweep is under way holds nothing of the body', async () => {
  await fc.assert(
    fc.asyncProperty(anyHistory, async (history) => {
      const ports = sweepPorts(history)
      // What market-day reads is remembered for ads-txt-state.
      right(await catchUp(ports)(marketDay)())
      eraseSome(history, [true])
      let built = false
      const status: typeof ports.store.status = () => async () => {
        const found = await ports.store.status()()
        if (!built) right(await rebuild(ports)(adsTxtState)())
        built = true
        return found
      }
      await sweepErased({ ...ports, store: { ...ports.store, status } })
      const fresh = sweepPorts(history)
      for (const one of [adsTxtState, marketDay]) {
        right(await catchUp(ports)(one)())
        right(await catchUp(fresh)(one)())
        deepEqual(await contentsOf(ports.store, one), await contentsOf(fresh.store, one))
      }
    }),
  )
})

/** Projections that read bodies, and one with a reader that is not in force. */
const READING = PROJECTIONS.filter(({ reads }) => reads !== undefined).map((one) =>
  one.name === 'robots-decisions' ? { ...one, readWith: 'robots-parser@3.0.1' } : one,
)

const isReadIn = (history: History, commits: ReadonlySet<string>, purpose?: Purpose): boolean =>
  history.recorded.some(({ event }) => {
    const concluded = conclusionOf(event)
    return concluded?.purpose === purpose && commits.has(concluded?.commit ?? '')
  })

test('erasing: a body that is only missing stays missing, one that is erased says by which event', async () => {
  await fc.assert(
    fc.asyncProperty(anyHistory, async (history) => {
      const commits = eraseSome(history, [true, false])
      const { bodies, ledger } = sweepPorts(history)
      const all = [...history.bodies.keys()]
      history.bodies.clear()
      for (const commit of all) {
        const found = await bodies.get(commit)()
        ok(E.isLeft(found))
        equal(found.left.tag, commits.has(commit) ? 'BodyErased' : 'BodyMissing')
        if (found.left.tag !== 'BodyErased') continue
        const [event] = right(await ledger.readAll({ after: found.left.event - 1, limit: 1 })())
        ok(event?.event.type === 'BodyErased' && event.event.commit === commit)
      }
    }),
  )
})

test('erasing: a store that is not to be had ends the sweep, and nothing is remembered as done', async () => {
  const [history] = fc.sample(
    anyHistory.filter((one) => one.bodies.size > 0),
    1,
  )
  ok(history !== undefined)
  const ports = sweepPorts(history)
  eraseSome(history, [true])
  await rejects(sweepErased(cutOff(ports, 0)), Halt)
  equal(right(await ports.swept.read()()), undefined)
})
