/** `Ledger.follow`, over everything that implements it: pages read ahead of whoever takes them. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, test } from 'node:test'
import { sha256Hex } from '../../src/kernel/digest.ts'
import { E } from '../../src/kernel/fp.ts'
import type { Recorded } from '../../src/ledger/entry.ts'
import type { EventOf } from '../../src/ledger/event.ts'
import type { Follow, Ledger } from '../../src/ledger/port.ts'
import { programmeStream } from '../../src/ledger/stream.ts'
import { execute, testLedger } from '../support/database.ts'
import { right } from '../support/either.ts'
import { appendOf, implementations, noteOf, type Party, RUN } from '../support/ledgers.ts'

const WHOLE: Follow = { after: 0, to: Number.POSITIVE_INFINITY, limit: 100 }

const append = async (ledger: Pick<Ledger, 'append'>, ...args: Parameters<typeof appendOf>) =>
  right(await ledger.append(RUN, appendOf(...args))())

/** Every page; none may be empty or too long. */
const pagesOf = async (
  ledger: Pick<Ledger, 'follow'>,
  query: Partial<Follow> = {},
): Promise<readonly (readonly Recorded[])[]> => {
  const pages: (readonly Recorded[])[] = []
  const { limit = WHOLE.limit } = query
  for await (const page of ledger.follow({ ...WHOLE, ...query })) {
    const events = right(page)
    ok(events.length > 0 && events.length <= limit, `${events.length} events of ${limit}`)
    pages.push(events)
  }
  return pages
}

const notesOf = async (ledger: Pick<Ledger, 'follow'>, query: Partial<Follow> = {}) =>
  (await pagesOf(ledger, query)).flat().map(noteOf)

/** An event of about 20,000 bytes. */
const large = (n: number): EventOf<'ProgrammeAdopted'> => {
  const policy = `${n} `.padEnd(20_000, 'x')
  return {
    type: 'ProgrammeAdopted',
    v: 1,
    programme: 'example',
    policy,
    policyDigest: sha256Hex(policy),
  }
}

const appendLarge = async (ledger: Pick<Ledger, 'append'>, many: number): Promise<void> => {
  for (let n = 0; n < many; n += 1) {
    const stream = programmeStream('example')
    right(await ledger.append(RUN, { stream, expectedVersion: n, events: [large(n)] })())
  }
}

for (const { name, newStore } of implementations) {
  const withParty = (what: string, task: (party: Party) => Promise<void>): void => {
    test(what, async () => {
      const store = await newStore()
      try {
        await task(await store.join())
      } finally {
        await store.close()
      }
    })
  }

  describe(`following a ledger: ${name}`, () => {
    withParty('all of it comes once and in order, however much at a time', async ({ ledger }) => {
      deepEqual(await pagesOf(ledger), [])
      const notes = Array.from({ length: 23 }, (_, i) => `${i}`)
      await append(ledger, 'a', 0, ...notes)
      for (const limit of [1, 2, 5, 22, 23, 24, 10_000])
        deepEqual(await notesOf(ledger, { limit }), notes, `${limit} at a time`)
      const whole = (await pagesOf(ledger)).flat()
      deepEqual(whole, right(await ledger.readAll({ after: 0, limit: 100 })()))
    })

    withParty('it begins behind a position and ends at another', async ({ ledger }) => {
      await append(ledger, 'a', 0, '1', '2', '3', '4', '5')
      deepEqual(await notesOf(ledger, { after: 2, to: 4 }), ['3', '4'])
      deepEqual(await notesOf(ledger, { after: 2, to: 4, limit: 1 }), ['3', '4'])
      deepEqual(await notesOf(ledger, { after: 3, to: 3 }), [])
      deepEqual(await notesOf(ledger, { after: 4, to: 3 }), [])
      deepEqual(await notesOf(ledger, { after: 5 }), [])
      deepEqual(await notesOf(ledger, { after: 900, to: 1_000 }), [])
    })

    withParty('what is appended after it began is not there', async ({ ledger }) => {
      await append(ledger, 'a', 0, '1', '2', '3')
      const seen: string[] = []
      for await (const page of ledger.follow({ ...WHOLE, limit: 1 })) {
        seen.push(...right(page).map(noteOf))
        await append(ledger, 'b', seen.length - 1, 'later')
      }
      deepEqual(seen, ['1', '2', '3'])
    })

    withParty('only some types, and parts that are all of it together', async ({ ledger }) => {
      await appendLarge(ledger, 2)
      for (let i = 0; i < 12; i += 1) await append(ledger, `s${i}`, 0, `${i}.1`, `${i}.2`)
      const positions = async (query: Partial<Follow>) =>
        (await pagesOf(ledger, query)).flat().map(({ position }) => position)
      deepEqual(await positions({ types: ['ProgrammeAdopted'] }), [1, 2])
      deepEqual(await positions({ types: [] }), [])
      for (const types of [undefined, ['SiteExcluded'] as const])
        for (const many of [1, 2, 3]) {
          const parts = await Promise.all(
            Array.from({ length: many }, (_, index) =>
              pagesOf(ledger, { limit: 5, part: { index, of: many }, ...(types && { types }) }),
            ),
          )
          const streams = parts.flatMap((part) => [
            ...new Set(part.flat().map(({ stream }) => stream)),
          ])
          equal(new Set(streams).size, streams.length, 'a stream is in one part')
          deepEqual(
            parts.flat(2).toSorted((a, b) => a.position - b.position),
            (await pagesOf(ledger, types && { types })).flat(),
          )
        }
    })

    withParty('large events come whole to whoever takes their time', async ({ ledger }) => {
      await appendLarge(ledger, 300)
      for (const limit of [7, 10_000]) {
        let next = 0
        for await (const page of ledger.follow({ ...WHOLE, limit })) {
          for (const { event } of right(page)) deepEqual(event, large(next++))
          for (let turn = 0; turn < 5; turn += 1) await nextTurn()
        }
        equal(next, 300)
      }
    })

    withParty('whoever stops early, or throws, leaves nothing behind', async ({ ledger }) => {
      await appendLarge(ledger, 300)
      for (let i = 0; i < 25; i += 1) {
        for await (const page of ledger.follow({ ...WHOLE, limit: 1 })) {
          right(page)
          break
        }
        const failing = async (): Promise<void> => {
          for await (const page of ledger.follow(WHOLE)) throw new Error(`${right(page).length}`)
        }
        await rejects(failing(), /^Error: \d+$/)
      }
      equal((await pagesOf(ledger)).flat().length, 300)
    })
  })
}

test('rows that somebody changed are an integrity breach, behind those before them', async () => {
  const { settings, ledger, close } = await testLedger()
  await append(ledger, 'a', 0, '1', '2', '3', '4', '5')
  const alter = (statement: string) =>
    execute(
      settings,
      `begin; alter table event disable trigger all; ${statement}; alter table event enable always trigger event_append_only; commit`,
    )
  const told = async (query: Partial<Follow>): Promise<readonly string[]> => {
    const all: string[] = []
    for await (const page of ledger.follow({ ...WHOLE, ...query }))
      if (E.isRight(page)) all.push(...page.right.map(noteOf))
      else all.push(page.left.tag === 'IntegrityBreach' ? `${page.left.position}` : page.left.tag)
    return all
  }
  await alter(`update event set ts = ts + 1 where position = 5`)
  deepEqual(await told({ limit: 2 }), ['1', '2', '3', '4', '5'])
  deepEqual(await told({ limit: 1, types: ['SiteExcluded'] }), ['1', '2', '3', '4', '5'])
  await alter('delete from event where position = 3')
  deepEqual(await told({ limit: 1 }), ['1', '2', '4'])
  deepEqual(await told({ limit: 2, after: 2 }), ['4'])
  await close()
})

test('a connection that is lost on the way is told, and is the end', async () => {
  const { settings, ledger, close } = await testLedger()
  await appendLarge(ledger, 600)
  const answers: string[] = []
  for await (const page of ledger.follow({ ...WHOLE, limit: 10 })) {
    answers.push(E.isRight(page) ? 'events' : page.left.tag)
    if (answers.length === 1)
      await execute(
        settings,
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and query like 'copy %' and pid <> pg_backend_pid()`,
      )
  }
  equal(answers.at(-1), 'Unavailable')
  equal(answers.filter((one) => one === 'Unavailable').length, 1)
  ok(answers.length < 60, 'not all had come before')
  equal((await pagesOf(ledger)).flat().length, 600)
  await close()
})
