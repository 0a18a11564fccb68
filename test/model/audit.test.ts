/**
 * Random webs, deaths and acts through the real shell: whatever happens, what the crawler leaves is
 * complete and breaks no promise, as the auditor sees it, who shares nothing with the decider.
 */
import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { firstReader } from '../../src/robots/reader.ts'
import {
  type Answered,
  type AuditScript,
  auditWorld,
  completenessOf,
  differencesOf,
  moved,
  NETWORK,
  page,
  promisesOf,
  sellers,
  text,
} from '../support/audit-world.ts'
import { fc } from '../support/property.ts'

const SITES = ['a.example', 'b.example', 'c.example']
const HOSTS = SITES.flatMap((site) => [site, `www.${site}`])
const FILES = ['/robots.txt', '/ads.txt', '/', '/en/']
const ADDRESSES = HOSTS.flatMap((host) => FILES.map((path) => `https://${host}${path}`))

type Scripted = Answered | 'refused'

/** A page whose headers give away what may not be kept. */
const talkative: Answered = {
  ...page,
  headers: [...(page.headers ?? []), ['ETag', '"x"'], ['Set-Cookie', 'a=b'], ['Link', '</a>']],
}

const anyAnswer: fc.Arbitrary<Scripted> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(text('User-agent: *\nDisallow: /private')) },
  { weight: 1, arbitrary: fc.constant(text('User-agent: *\nDisallow: /')) },
  { weight: 2, arbitrary: fc.constant(talkative) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(1, 20, 30, 31, 90)
      .map((delay) => text(`User-agent: *\nCrawl-delay: ${delay}`)),
  },
  { weight: 2, arbitrary: fc.constantFrom(404, 403, 500, 503).map((status) => ({ status })) },
  { weight: 2, arbitrary: fc.constant('refused' as const) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(429, 503, 200), fc.constantFrom('5', '100', '200000'))
      .map(([status, after]): Scripted => ({ status, headers: [['Retry-After', after]] })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(...ADDRESSES), fc.constantFrom(301, 302, 308))
      .map(([to, status]) => moved(to, status)),
  },
)

const anyWeb: fc.Arbitrary<AuditScript> = fc
  .tuple(...ADDRESSES.map(() => anyAnswer))
  .map((answers) =>
    Object.fromEntries(ADDRESSES.map((address, i) => [address, answers[i] ?? 'refused'])),
  )

/** Long enough that a site can fail four times in a row (PR7). */
type Outage = { readonly site: string; readonly from: number; readonly nights: number }
const anyOutage: fc.Arbitrary<Outage> = fc.record({
  site: fc.constantFrom(...SITES),
  from: fc.integer({ min: 0, max: 1 }),
  nights: fc.integer({ min: 3, max: 6 }),
})
const isDown = (outages: readonly Outage[], night: number, address: string): boolean =>
  outages.some(
    ({ site, from, nights }) =>
      new URL(address).hostname.endsWith(site) && night >= from && night < from + nights,
  )

type Act = {
  readonly type: 'SiteExcluded' | 'SiteReadmitted' | 'SiteResumed'
  readonly site: string
}
const anyAct: fc.Arbitrary<Act> = fc.record({
  type: fc.constantFrom('SiteExcluded', 'SiteReadmitted', 'SiteResumed'),
  site: fc.constantFrom(...SITES),
})

const anyNight = fc.record({
  web: anyWeb,
  named: fc.subarray(SITES, { minLength: 1 }),
  dieAt: fc.option(fc.integer({ min: 1, max: 14 }), { freq: 3 }),
  acts: fc.array(anyAct, { maxLength: 2 }),
})

test('PR1–PR16, CL1: random nights keep every promise, and nothing of them is missing', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyNight, { minLength: 1, maxLength: 7 }),
      fc.array(anyOutage, { maxLength: 2 }),
      async (nights, outages) => {
        const world = await auditWorld({})
        for (const [i, { web, named, dieAt, acts }] of nights.entries()) {
          Object.assign(world.script, web, { [NETWORK]: sellers(...named) })
          for (const address of ADDRESSES.filter((one) => isDown(outages, i, one)))
            world.script[address] = 'refused'
          if (dieAt !== null) await world.night(`run-${i}-dying`, dieAt)
          equal(await world.night(`run-${i}`), 'ended')
          for (const [n, { type, site }] of acts.entries())
            await world.act(type, site, `act-${i}-${n}`)
          await world.nextNight()
        }
        const recorded = await world.events()
        const results = await promisesOf(recorded, world)
        const says = results.flatMap(({ promise, breaches }) =>
          breaches.map((one) => `${promise} ${one.position} ${one.says}`),
        )
        deepEqual(says, [])
        deepEqual(completenessOf(recorded).list, [])
        deepEqual((await differencesOf(recorded, world, firstReader)).list, [])
      },
    ),
  )
})
