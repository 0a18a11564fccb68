/**
 * The rules are bound to promises of all three pages: the same history, said to be another
 * programme's, is judged by that page's ids; and the rules that only other pages need.
 */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { before, test } from 'node:test'
import { RULES } from '../../../src/audit/promises/index.ts'
import type { PromiseId } from '../../../src/audit/catalogue.ts'
import { present } from '../../../src/kernel/assert.ts'
import type { Position } from '../../../src/kernel/position.ts'
import type { Recorded } from '../../../src/ledger/entry.ts'
import type { LedgerEvent } from '../../../src/ledger/event.ts'
import { fullHistory } from '../../support/audit-history.ts'
import { Planter } from '../../support/audit-planter.ts'
import { type AuditWorld, breachesOf, promisesOf } from '../../support/audit-world.ts'
import { policy } from '../../support/site.ts'

let world: AuditWorld
let past: readonly Recorded[]
before(async () => {
  world = await fullHistory()
  past = await world.events()
})

/** The same events, told of another programme under the same policy. */
const toldOf = (recorded: readonly Recorded[], programme: string): readonly Recorded[] =>
  recorded.map((one) => ({ ...one, event: renamed(one.event, programme) }))

const renamed = (event: LedgerEvent, programme: string): LedgerEvent => {
  if (!('programme' in event)) return event
  if (event.type !== 'ProgrammeAdopted') return { ...event, programme }
  const renamedPolicy = event.policy.replace(`"${policy.name}"`, `"${programme}"`)
  return { ...event, programme, policy: renamedPolicy }
}

/**
 * What nights over publishers do not meet with: pages, conditional requests, runs by hand, marks, and
 * a list that is due anew each night. Where robots.txt answered 4xx everything was asked (RC18).
 */
const notMet: ReadonlySet<string> = new Set(
  'PK2 PK4 PK7 PK12 RC1 RC9 RC10 RC18 RC23 RC28'.split(' '),
)

const RECORDS = 'public-records-check'
const SITE = 'https://plain.example'

for (const [programme, family] of [
  ['pta-karo', 'PK'],
  [RECORDS, 'RC'],
  ['a-fourth', 'PR'],
] as const)
  test(`${programme} is held to the promises of ${family}`, async () => {
    const results = await promisesOf(toldOf(past, programme), world)
    deepEqual(breachesOf(results), [])
    const own = results.filter((one) => one.programme === programme)
    ok(own.every(({ promise }) => promise.startsWith(family)))
    const judged = own.filter(({ state }) => state === 'kept').map(({ promise }) => promise)
    const bound = own.filter(({ looksAt, promise }) => looksAt.length > 0 && !notMet.has(promise))
    deepEqual(
      judged,
      bound.map(({ promise }) => promise),
    )
    const idle = own.filter(({ looksAt }) => looksAt.length === 0)
    ok(idle.every(({ why, state }) => why !== '' && state === 'not-applicable'))
    const absent = results.filter((one) => one.programme === 'plain-reckoner')
    ok(absent.every(({ why }) => why === 'the ledger has no run of that programme'))
  })

test('a breach is named under each promise of the page that the rule judges', async () => {
  const planter = new Planter(past, world)
  planter.ask('robots', `${SITE}/robots.txt`)
  const { request } = planter.ask('robots', 'https://www.plain.example/robots.txt')
  const pace = present(
    RULES.find(({ promises }) => promises.includes('PR6')),
    'a rule',
  )
  const idsOf = (family: string): readonly PromiseId[] =>
    pace.promises.filter((id) => id.startsWith(family))
  for (const [programme, family] of [
    [RECORDS, 'RC'],
    ['pta-karo', 'PK'],
  ] as const) {
    const found = breachesOf(await promisesOf(toldOf(planter.recorded, programme), world))
    deepEqual(
      found,
      idsOf(family).map((id) => `${id}@${request}`),
    )
  }
})

const breaks = (
  name: string,
  plant: (planter: Planter) => readonly (readonly [string, Position])[],
): void => {
  test(name, async () => {
    const planter = new Planter(past, world)
    const expected = plant(planter).map(([promise, position]) => `${promise}@${position}`)
    const found = breachesOf(await promisesOf(toldOf(planter.recorded, RECORDS), world))
    deepEqual([...found].toSorted(), expected.toSorted())
  })
}

breaks('RC12 an answer that was waited for too long', (p) => {
  const { request } = p.ask('robots', `${SITE}/robots.txt`)
  const timing = { connectMs: 1, firstByteMs: 1, totalMs: policy.limits.totalMs + 2_001 }
  return [['RC12', p.answer(request, 200, '', { timing })]]
})
breaks('RC12 more bytes than are read', (p) => {
  const { request } = p.ask('robots', `${SITE}/robots.txt`)
  const bytes = policy.fetch.robots.maxBytes + 1
  const body = {
    kept: true,
    alg: 'sha256-salt32',
    commit: p.keep('x'),
    bytes,
    truncated: true,
  } as const
  return [['RC12', p.answer(request, 200, '', { body })]]
})
breaks('RC14 robots.txt twice in a night', (p) => {
  p.robots(SITE)
  return [['RC14', p.ask('robots', `${SITE}/robots.txt`).request]]
})
breaks('RC18 a robots.txt that is not there, taken for a no', (p) => {
  p.robots(SITE, '', { status: 404 })
  return [['RC18', p.withhold('homepage', `${SITE}/`)]]
})
breaks('RC2 a request under another name', (p) => {
  const headers: [string, string][] = [['user-agent', 'curl/8']]
  return [['RC2', p.ask('robots', `${SITE}/robots.txt`, {}, { sent: { headers } }).request]]
})

test('under a policy that cannot be read, requests are unjudged, and neither kept nor broken', async () => {
  const unreadable = past.map((one) => ({
    ...one,
    event:
      one.event.type === 'ProgrammeAdopted'
        ? { ...one.event, policy: one.event.policy.replace('"title"', '"titel"') }
        : one.event,
  }))
  const results = await promisesOf(unreadable, world)
  deepEqual(breachesOf(results), [])
  const pause = present(
    results.find(({ promise }) => promise === 'PR6'),
    'PR6',
  )
  const requests = past.filter(({ event }) => event.type === 'RequestSent').length
  deepEqual([pause.state, pause.checked, pause.unjudged], ['not-applicable', 0, requests])
  equal(pause.why.includes('policy'), true)
})
