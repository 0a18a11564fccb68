/** The ledger against a list in memory that does the same things in the simplest way. */
import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { siteOfHost, type Site } from '../../src/kernel/site.ts'
import type { AppendFailure, Guard } from '../../src/ledger/port.ts'
import type { Claim } from '../../src/politeness/port.ts'
import { right } from '../support/either.ts'
import { appendOf, implementations, noteOf, type Party, RUN, streamOf } from '../support/ledgers.ts'
import { fc } from '../support/property.ts'

type Event = { readonly stream: string; readonly version: number; readonly note: string }

/** All the ledger is: a list of events, and for each site the newest fence and whether it is held. */
type Model = {
  readonly events: Event[]
  readonly claims: Map<Site, { fence: number; held: boolean }>
}

type Real = { readonly parties: readonly Party[] }

const versionOf = ({ events }: Model, stream: string): number =>
  events.filter((event) => event.stream === stream).length

const partyOf = ({ parties }: Real, n: number): Party => {
  const party = parties[n % parties.length]
  if (party === undefined) throw new Error('no party')
  return party
}

type Step = { readonly party: number }
type Expect = 'Appended' | AppendFailure['tag']

class Append implements fc.AsyncCommand<Model, Real> {
  readonly step: Step & {
    readonly stream: string
    /** How far off the version expected is. */
    readonly off: number
    readonly count: number
    readonly guard: { readonly site: Site; readonly off: number } | null
  }
  constructor(step: Append['step']) {
    this.step = step
  }
  check = (): boolean => true

  expected(model: Model, version: number, guard: Guard | undefined): Expect {
    const claim = guard === undefined ? undefined : model.claims.get(guard.site)
    const holds = guard === undefined || (claim?.held === true && claim.fence === guard.fence)
    if (!holds) return 'FenceLost'
    return version === versionOf(model, this.step.stream) ? 'Appended' : 'Conflict'
  }

  async run(model: Model, real: Real): Promise<void> {
    const { stream, off, count, guard: asked, party } = this.step
    const version = Math.max(0, versionOf(model, stream) + off)
    const fence = asked === null ? 0 : (model.claims.get(asked.site)?.fence ?? 1) + asked.off
    const guard = asked === null || fence < 1 ? undefined : { site: asked.site, fence }
    const notes = Array.from({ length: count }, (_, i) => `note ${model.events.length + i}`)
    const answer = await partyOf(real, party).ledger.append(
      RUN,
      appendOf(stream, version, ...notes),
      guard,
    )()
    const outcome = answer._tag === 'Right' ? 'Appended' : answer.left.tag
    deepEqual(outcome, this.expected(model, version, guard))
    if (answer._tag === 'Left') return
    deepEqual(
      answer.right.positions,
      notes.map((_, i) => model.events.length + i + 1),
    )
    notes.forEach((note, i) => model.events.push({ stream, version: version + i + 1, note }))
  }
  toString = (): string => `append ${JSON.stringify(this.step)}`
}

class Read implements fc.AsyncCommand<Model, Real> {
  readonly step: Step & { readonly after: number; readonly limit: number; readonly stream: string }
  constructor(step: Read['step']) {
    this.step = step
  }
  check = (): boolean => true

  async run({ events }: Model, real: Real): Promise<void> {
    const { after, limit, stream, party } = this.step
    const { ledger } = partyOf(real, party)
    const page = right(await ledger.readAll({ after, limit })())
    const wanted = events.map((event, i) => ({ ...event, position: i + 1 }))
    deepEqual(
      page.map(noteOf),
      wanted.slice(after, after + limit).map(({ note }) => note),
    )
    const own = wanted.filter((event) => event.stream === stream)
    const picked = right(await ledger.readAll({ after, limit, stream: streamOf(stream) })())
    deepEqual(
      picked.map(({ position }) => position),
      own
        .filter(({ position }) => position > after)
        .slice(0, limit)
        .map(({ position }) => position),
    )
    const read = right(await ledger.readStream(streamOf(stream), after)())
    deepEqual(
      read.map(noteOf),
      own.slice(after).map(({ note }) => note),
    )
    deepEqual(right(await ledger.head()()).position, events.length)
  }
  toString = (): string => `read ${JSON.stringify(this.step)}`
}

class Take implements fc.AsyncCommand<Model, Real> {
  readonly step: Step & { readonly site: Site }
  constructor(step: Take['step']) {
    this.step = step
  }
  check = (): boolean => true

  async run({ claims }: Model, real: Real): Promise<void> {
    const { site, party } = this.step
    const before = claims.get(site)
    const claim = right(await partyOf(real, party).claims.claim(site)())
    const expected: Claim | undefined =
      before?.held === true ? undefined : { site, fence: (before?.fence ?? 0) + 1 }
    deepEqual(claim, expected)
    if (claim !== undefined) claims.set(site, { fence: claim.fence, held: true })
  }
  toString = (): string => `take ${JSON.stringify(this.step)}`
}

class Release implements fc.AsyncCommand<Model, Real> {
  readonly step: { readonly site: Site; readonly off: number }
  constructor(step: Release['step']) {
    this.step = step
  }
  check = ({ claims }: Model): boolean => claims.has(this.step.site)

  async run({ claims }: Model, real: Real): Promise<void> {
    const { site, off } = this.step
    const claim = claims.get(site)
    if (claim === undefined) return
    // One of them holds it; from any other the release is nothing.
    for (const party of real.parties)
      right(await party.claims.release({ site, fence: claim.fence + off })())
    if (off === 0) claim.held = false
  }
  toString = (): string => `release ${JSON.stringify(this.step)}`
}

const anyParty = fc.nat({ max: 1 })
const anyStream = fc.constantFrom('a', 'b', 'c')
const anySite = fc.constantFrom(siteOfHost('news.example'), siteOfHost('shop.example'))
const anyOff = fc.oneof(
  { weight: 5, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: -2, max: 2 }) },
)

const commands = [
  fc
    .record({
      party: anyParty,
      stream: anyStream,
      off: anyOff,
      count: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 4 })),
      guard: fc.option(fc.record({ site: anySite, off: anyOff })),
    })
    .map((step) => new Append(step)),
  fc
    .record({
      party: anyParty,
      after: fc.nat({ max: 30 }),
      limit: fc.integer({ min: 1, max: 9 }),
      stream: anyStream,
    })
    .map((step) => new Read(step)),
  fc.record({ party: anyParty, site: anySite }).map((step) => new Take(step)),
  fc.record({ site: anySite, off: anyOff }).map((step) => new Release(step)),
]

const RUNS = Number(process.env['FC_RUNS'] ?? 12)

for (const { name, newStore } of implementations)
  describe(`ledger and claims against a list: ${name}`, () => {
    test('any sequence of appends, reads, claims and releases of two processes', async () => {
      const store = await newStore()
      const parties = [await store.join(), await store.join()]
      // One store for all runs: each run begins where the one before left the model.
      const model: Model = { events: [], claims: new Map() }
      await fc.assert(
        fc.asyncProperty(
          fc.commands(commands, { maxCommands: 60, size: 'max' }),
          async (sequence) => {
            await fc.asyncModelRun(() => ({ model, real: { parties } }), sequence)
          },
        ),
        { numRuns: RUNS, endOnFailure: true },
      )
      await store.close()
    })
  })
