/** The contract of `src/ledger/port.ts`, over everything that implements it. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { E } from '../../src/kernel/fp.ts'
import { position } from '../../src/kernel/position.ts'
import { siteOfHost } from '../../src/kernel/site.ts'
import { decodeEntry } from '../../src/ledger/entry.ts'
import type { Ledger } from '../../src/ledger/port.ts'
import { left, right } from '../support/either.ts'
import {
  appendOf,
  implementations,
  noteOf,
  type Party,
  type PartyOptions,
  RUN,
  settableClock,
  type Store,
  streamOf,
} from '../support/ledgers.ts'

const site = siteOfHost('news.example')

const append = async (ledger: Ledger, ...args: Parameters<typeof appendOf>) =>
  right(await ledger.append(RUN, appendOf(...args))())

/** So many appends make a writer that is alone trust what it knows. */
const CALM = 15

const notes = async (ledger: Ledger, after = 0, limit = 10_000): Promise<readonly string[]> =>
  right(await ledger.readAll({ after, limit })()).map(noteOf)

for (const { name, newStore } of implementations) {
  const withStore = (what: string, task: (store: Store) => Promise<void>): void => {
    test(what, async () => {
      const store = await newStore()
      try {
        await task(store)
      } finally {
        await store.close()
      }
    })
  }
  const withParties = (
    what: string,
    task: (one: Party, other: Party) => Promise<void>,
    options: PartyOptions = {},
  ): void => withStore(what, async ({ join }) => task(await join(options), await join(options)))

  describe(`ledger: ${name}`, () => {
    withParties('an empty ledger has nothing to read and its head at 0', async ({ ledger }) => {
      deepEqual(right(await ledger.head()()), { position: 0, ts: 0 })
      deepEqual(await notes(ledger), [])
      deepEqual(right(await ledger.readStream(streamOf('a'), 0)()), [])
      deepEqual(right(await ledger.readEntries({ after: 0, limit: 1 })()), [])
    })

    withParties(
      'CL1: what was appended is read again by everybody, exactly',
      async (one, other) => {
        const appended = await append(one.ledger, 'a', 0, 'first', 'second')
        deepEqual(appended.positions, [1, 2])
        equal(appended.version, 2)
        for (const { ledger } of [one, other]) {
          const recorded = right(await ledger.readAll({ after: 0, limit: 10 })())
          deepEqual(
            recorded,
            appendOf('a', 0, 'first', 'second').events.map((event, i) => ({
              position: position(i + 1),
              stream: streamOf('a'),
              version: i + 1,
              ts: appended.ts,
              run: RUN,
              event,
            })),
          )
          deepEqual(right(await ledger.readStream(streamOf('a'), 0)()), recorded)
          deepEqual(right(await ledger.head()()), { position: 2, ts: appended.ts })
        }
      },
    )

    withParties('an entry is handed out in the bytes that were stored', async (one, other) => {
      await append(one.ledger, 'a', 0, 'é ü 漢字 "quoted" \\ \u2028 \u0000 end')
      const [stored] = right(await one.ledger.readEntries({ after: 0, limit: 1 })())
      ok(stored)
      const again = right(await other.ledger.readEntries({ after: 0, limit: 1 })())
      deepEqual(again, [stored])
      equal(noteOf(right(decodeEntry(stored.entry))), 'é ü 漢字 "quoted" \\ \u2028 \u0000 end')
    })

    withParties('positions run through all streams, versions through each', async (one, other) => {
      await append(one.ledger, 'a', 0, 'a1')
      await append(other.ledger, 'b', 0, 'b1', 'b2')
      const third = await append(one.ledger, 'a', 1, 'a2')
      deepEqual([third.positions, third.version], [[4], 2])
      deepEqual(await notes(other.ledger), ['a1', 'b1', 'b2', 'a2'])
      deepEqual(right(await one.ledger.readStream(streamOf('a'), 0)()).map(noteOf), ['a1', 'a2'])
      deepEqual(right(await one.ledger.readStream(streamOf('a'), 1)()).map(noteOf), ['a2'])
    })

    for (const [what, expected] of [
      ['behind', 1],
      ['ahead of', 9],
    ] as const) {
      withParties(
        `an append ${what} its stream is a conflict that names the version`,
        async (one, other) => {
          await append(one.ledger, 'a', 0, 'a1', 'a2', 'a3')
          for (const { ledger } of [one, other])
            deepEqual(left(await ledger.append(RUN, appendOf('a', expected))()), {
              tag: 'Conflict',
              stream: streamOf('a'),
              expected,
              actual: 3,
            })
          equal((await notes(one.ledger)).length, 3)
        },
      )
    }

    withParties(
      'an append ahead of a stream that is not there is a conflict with 0',
      async ({ ledger }) => {
        deepEqual(left(await ledger.append(RUN, appendOf('a', 1))()), {
          tag: 'Conflict',
          stream: streamOf('a'),
          expected: 1,
          actual: 0,
        })
      },
    )

    withParties('a writer that was alone for long is judged as strictly', async (one, other) => {
      for (let version = 0; version < CALM; version += 1)
        await append(one.ledger, 'a', version, `alone ${version}`)
      const conflict = async (stream: string, expected: number, actual: number): Promise<void> =>
        deepEqual(left(await one.ledger.append(RUN, appendOf(stream, expected))()), {
          tag: 'Conflict',
          stream: streamOf(stream),
          expected,
          actual,
        })
      await conflict('a', CALM - 1, CALM)
      await conflict('a', CALM + 1, CALM)
      await conflict('b', 3, 0)
      await append(one.ledger, 'a', CALM, 'goes on')
      for (let round = 0; round < 3; round += 1) {
        await append(other.ledger, 'b', round, 'in between')
        await append(other.ledger, 'a', CALM + 1 + round, 'in between, and in its stream')
        await conflict('a', CALM + 1 + round, CALM + 2 + round)
        await append(one.ledger, 'c', round, 'finds its place')
      }
      const recorded = right(await other.ledger.readAll({ after: 0, limit: 100 })())
      deepEqual(
        recorded.map((event) => event.position),
        Array.from({ length: CALM + 10 }, (_, i) => i + 1),
      )
    })

    withParties(
      'many streams that were known for long are judged as strictly',
      async (one, other) => {
        const streams = Array.from({ length: 30 }, (_, i) => `stream-${i}`)
        for (let version = 0; version < CALM; version += 1)
          await Promise.all(streams.map((stream) => append(one.ledger, stream, version, 'known')))
        await append(other.ledger, 'stream-7', CALM, 'theirs')
        const answers = await Promise.all(
          streams.map((stream) => one.ledger.append(RUN, appendOf(stream, CALM, 'ours'))()),
        )
        deepEqual(
          answers.flatMap((answer, i) => (E.isLeft(answer) ? [[i, answer.left.tag]] : [])),
          [[7, 'Conflict']],
        )
        equal(right(await one.ledger.head()()).position, 30 * (CALM + 1))
      },
    )

    withParties('of appends that race for one version exactly one stands', async (one, other) => {
      const racers = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? one : other))
      const answers = await Promise.all(
        racers.map(({ ledger }, i) => ledger.append(RUN, appendOf('a', 0, `try ${i}`))()),
      )
      equal(answers.filter(E.isRight).length, 1)
      deepEqual(
        answers.filter(E.isLeft).map((answer) => answer.left.tag),
        Array.from({ length: 19 }, () => 'Conflict'),
      )
      equal((await notes(one.ledger)).length, 1)
    })

    withParties('appends that wait together are judged one by one', async ({ ledger }) => {
      await append(ledger, 'stale', 0, 'is there')
      const answers = await Promise.all([
        ledger.append(RUN, appendOf('a', 0, 'a1', 'a2'))(),
        ledger.append(RUN, appendOf('stale', 0, 'refused'))(),
        ledger.append(RUN, appendOf('b', 0, 'b1'))(),
        ledger.append(RUN, appendOf('ahead', 4, 'refused'))(),
        ledger.append(RUN, appendOf('c', 0, 'c1'), { site, fence: 1 })(),
        ledger.append(RUN, appendOf('a', 2, 'a3'))(),
      ])
      deepEqual(
        answers.map((answer) => (answer._tag === 'Left' ? answer.left.tag : answer.right.version)),
        [2, 'Conflict', 1, 'Conflict', 'FenceLost', 3],
      )
      const all = right(await ledger.readAll({ after: 0, limit: 100 })())
      deepEqual(
        all.map((one) => one.position),
        [1, 2, 3, 4, 5],
      )
      deepEqual(all.map(noteOf), ['is there', 'a1', 'a2', 'b1', 'a3'])
    })

    withParties(
      'the events of one append stand together and carry one time',
      async ({ ledger }) => {
        const all = Array.from({ length: 1_500 }, (_, i) => `event ${i}`)
        const appended = await append(ledger, 'a', 0, ...all)
        equal(appended.positions.length, 1_500)
        const recorded = right(await ledger.readAll({ after: 0, limit: 10_000 })())
        deepEqual(recorded.map(noteOf), all)
        ok(recorded.every(({ ts }) => ts === appended.ts))
      },
    )

    withParties(
      'many callers at once: everything stands once, without a gap',
      async (one, other) => {
        const callers = Array.from({ length: 300 }, async (_, i) => {
          const party = i % 3 === 0 ? other : one
          for (let version = 0; version < 3; version += 1)
            await append(party.ledger, `stream-${i}`, version, `${i} ${version}`)
        })
        await Promise.all(callers)
        const recorded = right(await one.ledger.readAll({ after: 0, limit: 10_000 })())
        deepEqual(
          recorded.map((event) => event.position),
          Array.from({ length: 900 }, (_, i) => i + 1),
        )
        equal(new Set(recorded.map(noteOf)).size, 900)
      },
    )

    withStore('times never go back, whatever the clocks do', async ({ join }) => {
      const early = settableClock()
      const late = settableClock(early.time + 60_000)
      const [one, other] = [await join({ clock: early }), await join({ clock: late })]
      for (let version = 0; version < 12; version += 1) {
        await append(one.ledger, 'a', version, `early ${version}`)
        if (version % 4 === 0) await append(other.ledger, 'b', version / 4, `late ${version}`)
        early.time += version % 5 === 0 ? -7_000 : 900
      }
      const all = right(await one.ledger.readAll({ after: 0, limit: 100 })())
      const times = all.map(({ ts }) => ts)
      deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      )
      equal(times[0], settableClock().time)
      equal(times[1], late.time)
      equal(right(await one.ledger.head()()).ts, times.at(-1))
    })

    withStore(
      'an event carries the time of its append, not of an earlier one',
      async ({ join }) => {
        const clock = settableClock()
        const { ledger } = await join({ clock })
        for (let version = 0; version < 20; version += 1) {
          clock.time += 1_000
          equal((await append(ledger, 'a', version, 'x')).ts, clock.time)
        }
      },
    )

    withParties(
      'an append that waited behind another is not dated before its call',
      async ({ ledger }) => {
        const before = Date.now()
        await Promise.all(
          Array.from({ length: 200 }, async (_, i) => {
            for (let version = 0; version < 3; version += 1) {
              const called = Date.now()
              const { ts } = await append(ledger, `stream-${i}`, version, 'x')
              ok(ts >= called && called >= before, `${ts} is before ${called}`)
            }
          }),
        )
      },
    )

    withParties('a page ends at its limit and the next goes on after it', async ({ ledger }) => {
      await append(ledger, 'a', 0, 'a1', 'a2', 'a3')
      await append(ledger, 'b', 0, 'b1', 'b2')
      deepEqual(await notes(ledger, 0, 2), ['a1', 'a2'])
      deepEqual(await notes(ledger, 2, 2), ['a3', 'b1'])
      deepEqual(await notes(ledger, 4, 2), ['b2'])
      deepEqual(await notes(ledger, 5, 2), [])
      deepEqual(await notes(ledger, 500, 2), [])
    })

    withParties(
      'events are read by their positions, and what is not there is left out',
      async ({ ledger }) => {
        const at = async (...positions: readonly number[]) =>
          right(await ledger.readAt(positions)()).map((one) => [one.position, noteOf(one)])
        deepEqual(await at(1), [])
        await append(ledger, 'a', 0, 'a1', 'a2', 'a3')
        await append(ledger, 'b', 0, 'b1', 'b2')
        deepEqual(await at(), [])
        deepEqual(await at(2, 3, 5, 6), [
          [2, 'a2'],
          [3, 'a3'],
          [5, 'b2'],
        ])
      },
    )

    withStore(
      'CL6 a time is the last position that is not later, in a ledger of any length',
      async ({ join }) => {
        const clock = settableClock()
        const { ledger } = await join({ clock })
        const times: number[] = []
        const isAsLookedThrough = async (): Promise<void> => {
          const asked = times.flatMap((ts) => [ts - 1, ts, ts + 1])
          for (const ts of [0, -1, ...asked, Number.MAX_SAFE_INTEGER])
            equal(right(await ledger.positionAt(ts)()), times.findLastIndex((one) => one <= ts) + 1)
        }
        await isAsLookedThrough()
        for (let size = 1; size <= 11; size += 1) {
          // Every third event comes at the time of the one before it.
          if (size % 3 !== 0) clock.time += 2
          times.push((await append(ledger, 'a', size - 1, 'x')).ts)
          await isAsLookedThrough()
        }
      },
    )

    withParties(
      'reading picks types and streams, in the order of positions',
      async ({ ledger }) => {
        await append(ledger, 'a', 0, 'a1')
        const mixed = {
          stream: streamOf('b'),
          expectedVersion: 0,
          events: [
            {
              type: 'LogOpened',
              v: 2,
              origin: 'x.example',
              clock: 'system',
              software: 'x',
              predecessor: null,
            },
          ],
        } as const
        right(await ledger.append(RUN, mixed)())
        await append(ledger, 'a', 1, 'a2')
        const positions = async (query: object): Promise<readonly number[]> =>
          right(await ledger.readAll({ after: 0, limit: 10, ...query })()).map(
            (one) => one.position,
          )
        deepEqual(await positions({ types: ['LogOpened'] }), [2])
        deepEqual(await positions({ types: ['LogOpened', 'SiteExcluded'] }), [1, 2, 3])
        deepEqual(await positions({ types: [] }), [])
        deepEqual(await positions({ stream: streamOf('a') }), [1, 3])
        deepEqual(await positions({ stream: streamOf('a'), after: 1 }), [3])
        deepEqual(await positions({ stream: streamOf('a'), limit: 1 }), [1])
        deepEqual(await positions({ stream: streamOf('b'), types: ['SiteExcluded'] }), [])
        deepEqual(
          right(await ledger.readEntries({ after: 0, limit: 9, types: ['LogOpened'] })()).map(
            (stored) => stored.position,
          ),
          [2],
        )
      },
    )

    withParties(
      'events of a type are found however rare they are, page after page, each once',
      async ({ ledger }) => {
        const opened = {
          type: 'LogOpened',
          v: 2,
          origin: 'x.example',
          clock: 'system',
          predecessor: null,
        } as const
        const rare: number[] = []
        // One, then one after 3, 7, 20 and 60 of another type, and 9 more at the end.
        for (const [turn, others] of [0, 3, 7, 20, 60].entries()) {
          const names = Array.from({ length: others }, (_, i) => `${turn}.${i}`)
          const [first, ...more] = names
          if (first !== undefined) await append(ledger, `s${turn}`, 0, first, ...more)
          const log = {
            stream: streamOf('log'),
            expectedVersion: turn,
            events: [{ ...opened, software: `${turn}` }],
          } as const
          rare.push(...right(await ledger.append(RUN, log)()).positions)
        }
        await append(ledger, 'end', 0, 'e1', 'e2', 'e3', 'e4', 'e5', 'e6', 'e7', 'e8', 'e9')
        for (const limit of [1, 2, 5, 9]) {
          const seen: number[] = []
          for (let after = 0; ;) {
            const page = right(await ledger.readAll({ after, limit, types: ['LogOpened'] })())
            seen.push(...page.map((one) => one.position))
            if (page.length < limit) break
            after = seen.at(-1) ?? 0
          }
          deepEqual(seen, rare, `${limit} at a time`)
        }
      },
    )

    withParties('a page of no or of too many events is a defect', async ({ ledger }) => {
      for (const limit of [0, 10_001])
        await rejects(ledger.readAll({ after: 0, limit })(), { name: 'Defect' })
    })

    withParties(
      'an event outside its codec is a defect of its caller alone',
      async ({ ledger }) => {
        const bad = { ...appendOf('bad', 0).events[0], by: '' }
        const answers = await Promise.allSettled([
          ledger.append(RUN, appendOf('a', 0, 'good'))(),
          ledger.append(RUN, { stream: streamOf('bad'), expectedVersion: 0, events: [bad] })(),
          ledger.append(RUN, appendOf('c', 0, 'good too'))(),
        ])
        deepEqual(
          answers.map(({ status }) => status),
          ['fulfilled', 'rejected', 'fulfilled'],
        )
        deepEqual(await notes(ledger), ['good', 'good too'])
        await append(ledger, 'a', 1, 'goes on')
      },
    )

    withParties('a guarded append stands while the claim is held', async ({ ledger, claims }) => {
      const claim = right(await claims.claim(site)())
      ok(claim)
      for (let version = 0; version < 15; version += 1)
        right(await ledger.append(RUN, appendOf('a', version, 'x'), claim)())
      equal((await notes(ledger)).length, 15)
    })

    for (const calm of [0, CALM]) {
      const after = calm === 0 ? '' : ', also by a writer that was alone for long'
      withStore(
        `a guard that was released, taken over or never given is refused${after}`,
        async ({ join }) => {
          const one = await join({ holder: 'one' })
          const other = await join({ holder: 'other', isGone: () => true })
          const old = right(await one.claims.claim(site)())
          ok(old)
          let version = 0
          for (; version < calm; version += 1)
            right(await one.ledger.append(RUN, appendOf('a', version, 'x'), old)())
          const taken = right(await other.claims.claim(site)())
          ok(taken)
          const refused = async (fence: number): Promise<void> =>
            deepEqual(
              left(await one.ledger.append(RUN, appendOf('a', version, 'x'), { site, fence })()),
              { tag: 'FenceLost', site, fence },
            )
          await refused(old.fence)
          await refused(taken.fence + 1)
          right(await one.ledger.append(RUN, appendOf('a', version, 'x'), taken)())
          version += 1
          right(await other.claims.release(taken)())
          await refused(taken.fence)
          equal((await notes(one.ledger)).length, calm + 1)
        },
      )
    }
  })
}
