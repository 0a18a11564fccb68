/** Nothing is missing from a good history, and everything that is taken out of it, or altered, is missed. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { present } from '../../../src/kernel/assert.ts'
import { instant } from '../../../src/kernel/instant.ts'
import { position } from '../../../src/kernel/position.ts'
import type { Recorded } from '../../../src/ledger/entry.ts'
import type { EventOf, EventType } from '../../../src/ledger/event.ts'
import { fullHistory } from '../../support/audit-history.ts'
import { completenessOf } from '../../support/audit-world.ts'

let good: readonly Recorded[]
before(async () => {
  good = await (await fullHistory()).events()
})

/** `rule@position` of each fault. */
const faultsOf = (recorded: readonly Recorded[]): readonly string[] =>
  completenessOf(recorded).list.map(({ rule, position }) => `${rule}@${position}`)

const indexOf = (type: EventType, from = 0): number =>
  good.findIndex(({ event }, i) => i >= from && event.type === type)

const changed = <T extends EventType>(
  index: number,
  change: Partial<EventOf<T>>,
): readonly Recorded[] =>
  good.map((one, i) => (i === index ? { ...one, event: { ...one.event, ...change } } : one))

const runEnd = (run: string): number =>
  good.findIndex((one) => one.event.type === 'RunEnded' && one.run === run)

test('a history with a run that died and was recovered is complete, and the run is explained', () => {
  const found = completenessOf(good)
  deepEqual([found.faults, found.list, found.open], [0, [], []])
  equal(found.entries, good.length)
  equal(found.requests, good.filter(({ event }) => event.type === 'RequestSent').length)
  const died = good.filter(({ event }) => event.type === 'RequestAbandoned')
  ok(died.length > 0)
  deepEqual(
    found.runs.map(({ run, state, open }) => ({ run, state, open })),
    [{ run: 'run-2-dying', state: 'abandoned', open: 0 }],
  )
})

test('every beginning of it is complete, and tells what is under way', () => {
  for (let length = 1; length < good.length; length += 1) {
    const found = completenessOf(good.slice(0, length))
    deepEqual(found.list, [], `the first ${length}`)
    const open = found.runs.reduce((sum, run) => sum + run.open, 0)
    equal(found.open.length, open, `the first ${length}`)
  }
  const sent = present(good[indexOf('RequestSent')], 'a request')
  const [open] = completenessOf(good.slice(0, sent.position)).open
  deepEqual([open?.position, open?.run], [sent.position, sent.run])
})

test('an entry that is missing is missed, wherever it stood', () => {
  for (let index = 1; index < good.length - 1; index += 1) {
    const without = good.filter((_, i) => i !== index)
    const after = present(good[index + 1], 'a next').position
    const [first] = completenessOf(without).list
    deepEqual([first?.rule, first?.position], ['position', after])
  }
  equal(completenessOf(good.slice(1)).list[0]?.rule, 'position')
})

test('an entry that stands twice is found', () => {
  const index = indexOf('RequestSent')
  const twice = [...good.slice(0, index + 1), ...good.slice(index)]
  const sent = present(good[index], 'a request').position
  deepEqual(faultsOf(twice).slice(0, 3), [
    `position@${sent}`,
    `stream-version@${sent}`,
    `request-number@${sent}`,
  ])
})

describe('numbers and counts', () => {
  test('a place in a stream', () => {
    const index = indexOf('RobotsDecided', 30)
    const one = present(good[index], 'an event')
    const found = faultsOf(good.map((e, i) => (i === index ? { ...e, version: e.version + 1 } : e)))
    const next = present(
      good.find(({ stream, position }) => stream === one.stream && position > one.position),
      'the next of the stream',
    )
    deepEqual(found.slice(0, 2), [
      `stream-version@${one.position}`,
      `stream-version@${next.position}`,
    ])
  })

  test('time that goes back', () => {
    const index = indexOf('RequestSent', 20)
    const before = present(good[index - 1], 'before').ts
    const found = faultsOf(
      good.map((e, i) => (i === index ? { ...e, ts: instant(before - 1) } : e)),
    )
    deepEqual(found, [`time@${index + 1}`])
  })

  test('a request number', () => {
    const index = indexOf('RequestSent', 40)
    const one = present(good[index], 'a request')
    ok(one.event.type === 'RequestSent')
    const closing = good.find(({ event }) => 'request' in event && event.request === one.position)
    deepEqual(faultsOf(changed<'RequestSent'>(index, { n: one.event.n + 1 })), [
      `request-number@${one.position}`,
      `closing@${present(closing, 'its end').position}`,
    ])
  })

  for (const name of ['requests', 'responses', 'failures', 'abandoned', 'withheld'] as const)
    for (const run of ['run-1', 'run-2-dying'])
      test(`the ${name} that ${run} tells`, () => {
        const index = runEnd(run)
        const { event } = present(good[index], 'an end')
        ok(event.type === 'RunEnded')
        deepEqual(faultsOf(changed<'RunEnded'>(index, { [name]: event[name] + 1 })), [
          `count@${index + 1}`,
        ])
      })
})

describe('ends', () => {
  test('a request that is closed twice', () => {
    const index = indexOf('ResponseReceived', 60)
    const second = indexOf('ResponseReceived', index + 1)
    const { event } = present(good[index], 'an end')
    ok(event.type === 'ResponseReceived')
    const found = faultsOf(changed<'ResponseReceived'>(second, { request: event.request }))
    equal(found[0], `closing@${second + 1}`)
  })

  test('a request without an end, in a run that ended', () => {
    const index = indexOf('RequestFailed')
    const { run } = present(good[index], 'an end')
    const without = good.filter((_, i) => i !== index)
    const found = completenessOf(without)
    ok(found.list.some(({ rule, position: at }) => rule === 'count' && at === runEnd(run) + 1))
    equal(found.open.length, 1)
  })

  test('an abandoned request of another run', () => {
    const index = indexOf('RequestAbandoned')
    const found = faultsOf(changed<'RequestAbandoned'>(index, { sentIn: 'run-1' }))
    ok(found.includes(`closing@${index + 1}`))
  })

  test('a run that goes on after its end, or starts twice', () => {
    const end = runEnd('run-1')
    const late = good.map((e, i) =>
      i > end && e.event.type === 'SiteExcluded' ? { ...e, run: 'run-1' } : e,
    )
    deepEqual(faultsOf(late), [`run@${indexOf('SiteExcluded') + 1}`])
    const second = indexOf('RunStarted', indexOf('RunStarted') + 1)
    const found = faultsOf(good.map((e, i) => (i === second ? { ...e, run: 'run-1' } : e)))
    ok(found.includes(`run@${second + 1}`))
  })
})

describe('citations', () => {
  const CITES: readonly (readonly [EventType, string])[] = [
    ['RunStarted', 'adopted'],
    ['RequestSent', 'decision'],
    ['RequestWithheld', 'decision'],
    ['RobotsDecided', 'robots'],
    ['RedirectDecided', 'request'],
    ['RobotsRead', 'request'],
    ['FetchConcluded', 'request'],
    ['NetworkObserved', 'request'],
  ]
  for (const [type, field] of CITES)
    for (const [what, cited] of [
      ['of a later entry', 100_000],
      ['of another kind', 1],
    ] as const)
      test(`${type}.${field} ${what}`, () => {
        const index = good.findIndex(
          ({ event }) =>
            event.type === type &&
            Object.entries(event).some(([key, value]) => key === field && value !== null),
        )
        ok(index > 0)
        deepEqual(faultsOf(changed(index, { [field]: position(cited) })), [`citation@${index + 1}`])
      })

  test('lists of citations, each checked', () => {
    const listed = indexOf('SiteListed')
    const { event } = present(good[listed], 'a listing')
    ok(event.type === 'SiteListed')
    const namedBy = event.namedBy.map((naming) => ({ ...naming, request: position(1) }))
    deepEqual(
      faultsOf(changed<'SiteListed'>(listed, { namedBy })),
      namedBy.map(() => `citation@${listed + 1}`),
    )
    const stopped = indexOf('SiteStopped')
    const found = faultsOf(changed<'SiteStopped'>(stopped, { requests: [position(1)] }))
    deepEqual(found, [`citation@${stopped + 1}`])
  })
})

test('a ledger begins with LogOpened, once', () => {
  const [first, ...rest] = good
  const open = present(first, 'the first')
  const numbered = [{ ...open, event: present(rest[0], 'a second').event }, ...rest]
  ok(faultsOf(numbered).includes('log-opened@1'))
  const again = good.map((e, i) => (i === 5 ? { ...e, event: open.event } : e))
  ok(faultsOf(again).includes('log-opened@6'))
})

test('the list of faults is bounded, their number is not', () => {
  const many = Array.from({ length: 1_500 }, (_, i) => ({
    ...present(good[1], 'an event'),
    version: i + 1,
    position: position(2 * i + 2),
  }))
  const found = completenessOf([present(good[0], 'the first'), ...many])
  equal(found.list.length, 1_000)
  ok(found.faults >= 1_499)
  equal(found.list[0]?.position, 4)
})
