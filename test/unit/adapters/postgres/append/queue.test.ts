import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { queue, type Waiting } from '../../../../../src/adapters/postgres/append/queue.ts'
import { siteOfHost } from '../../../../../src/kernel/site.ts'
import { siteStream } from '../../../../../src/ledger/stream.ts'
import { fc } from '../../../../support/property.ts'

const waiting = (stream: string, expectedVersion: number): Waiting => ({
  run: 'run',
  append: {
    stream: siteStream(siteOfHost(`${stream}.example`)),
    expectedVersion,
    events: [{ type: 'SiteExcluded', v: 1, site: siteOfHost('a.example'), by: 'A', note: null }],
  },
  guard: undefined,
  answer: () => undefined,
  fail: () => undefined,
})

const nameOf = ({ append }: Waiting): string => `${append.stream} ${append.expectedVersion}`

test('what was taken is taken once, and everything is taken in the end', () => {
  const anySteps = fc.array(
    fc.oneof(
      fc.record({ add: fc.constantFrom('a', 'b', 'c', 'd') }),
      fc.record({ take: fc.integer({ min: 1, max: 5 }) }),
    ),
  )
  fc.assert(
    fc.property(anySteps, (steps) => {
      const line = queue()
      const added: string[] = []
      const taken: string[] = []
      const take = (most: number): readonly string[] => {
        const batch: string[] = []
        line.each((one) => {
          batch.push(nameOf(one))
          return batch.length < most
        })
        const streams = batch.map((name) => name.split(' ')[0])
        equal(new Set(streams).size, streams.length, 'two appends of one stream in a batch')
        taken.push(...batch)
        return batch
      }
      for (const step of steps) {
        if ('add' in step) {
          const one = waiting(step.add, added.length)
          added.push(nameOf(one))
          line.add(one)
        } else take(step.take)
        equal(line.size(), added.length - taken.length)
      }
      while (line.size() > 0) take(3)
      equal(take(3).length, 0)
      deepEqual(taken.toSorted(), added.toSorted())
      for (const stream of ['a', 'b', 'c', 'd']) {
        const own = (names: readonly string[]) =>
          names.filter((n) => n.startsWith(`site-${stream}`))
        deepEqual(own(taken), own(added), 'a stream keeps its order')
      }
    }),
  )
})

test('a stream with many appends does not keep the others waiting', () => {
  const line = queue()
  for (let i = 0; i < 5; i += 1) line.add(waiting('busy', i))
  line.add(waiting('quiet', 0))
  const taken: string[] = []
  const takeOne = (): void =>
    line.each((one) => {
      taken.push(nameOf(one))
      return false
    })
  for (let i = 0; i < 3; i += 1) takeOne()
  deepEqual(taken, ['site-busy.example 0', 'site-quiet.example 0', 'site-busy.example 1'])
})
