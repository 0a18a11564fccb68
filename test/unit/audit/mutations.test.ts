/**
 * A good history altered in one place: whatever is dropped, moved in time, turned round or swapped,
 * the auditor names the promise it breaks at the place where it is broken.
 */
import { fetchRule } from '../../../src/programmes/policy.ts'
import { deepEqual, ok } from 'node:assert/strict'
import { before, test } from 'node:test'
import { present } from '../../../src/kernel/assert.ts'
import { instant } from '../../../src/kernel/instant.ts'
import { type Position, position } from '../../../src/kernel/position.ts'
import { originOf, siteOf } from '../../../src/kernel/url.ts'
import type { Recorded } from '../../../src/ledger/entry.ts'
import type { EventType, LedgerEvent } from '../../../src/ledger/event.ts'
import { fullHistory } from '../../support/audit-history.ts'
import {
  type AuditWorld,
  breachesOf,
  completenessOf,
  promisesOf,
} from '../../support/audit-world.ts'
import { policy, url } from '../../support/site.ts'

let world: AuditWorld
let good: readonly Recorded[]
before(async () => {
  world = await fullHistory()
  good = await world.events()
})

/** One alteration of the history, and a breach it must lead to; undefined where it does not apply. */
type Mutation = (one: Recorded, index: number) => Altered | undefined
type Altered = { readonly recorded: readonly Recorded[]; readonly breach: string }

const replaced = (index: number, change: (one: Recorded) => Recorded): readonly Recorded[] =>
  good.map((one, i) => (i === index ? change(one) : one))
const withEvent = (index: number, event: LedgerEvent): readonly Recorded[] =>
  replaced(index, (one) => ({ ...one, event }))
const without = (index: number): readonly Recorded[] => good.filter((_, i) => i !== index)

const is = <T extends EventType>(one: Recorded, type: T): one is Recorded<T> =>
  one.event.type === type
const isClosing = ({ event }: Recorded): boolean =>
  ['ResponseReceived', 'RequestFailed', 'RequestAbandoned'].includes(event.type)

/** The first event behind `index` that passes. */
const next = (index: number, wanted: (one: Recorded) => boolean): Recorded | undefined =>
  good.find((one, i) => i > index && wanted(one))

const sentTo = (site: string) => (one: Recorded) =>
  is(one, 'RequestSent') && siteOf(one.event.url) === site

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'PR6: a request moved to a millisecond before its pause is over': (one, index) => {
    if (!is(one, 'RequestSent')) return undefined
    const last = good.findLast(
      (earlier, i) => i < index && isClosing(earlier) && earlier.stream === one.stream,
    )
    if (last === undefined || !('next' in last.event) || last.event.next.cooldownUntil !== null)
      return undefined
    const { next } = last.event
    const end = next.at - Math.max(next.floorMs, next.crawlDelayMs ?? 0, next.retryAfterMs ?? 0)
    const ts = instant(end + policy.pauseSeconds * 1_000 - 1)
    return { recorded: replaced(index, (sent) => ({ ...sent, ts })), breach: `PR6@${one.position}` }
  },
  'PR6: an end that is missing leaves the next request in flight with another': (one, index) => {
    const after = isClosing(one)
      ? next(index, ({ stream, event }) => stream === one.stream && event.type === 'RequestSent')
      : undefined
    return after && { recorded: without(index), breach: `PR6@${after.position}` }
  },
  'CL1: a decision that is missing': (one, index) => {
    const sent = next(index, (e) => is(e, 'RequestSent') && e.event.decision === one.position)
    return sent && { recorded: without(index), breach: `CL1@${sent.position}` }
  },
  'PR3 or PR4: a verdict turned to deny before a request': (one, index) => {
    if (!is(one, 'RobotsDecided')) return undefined
    const { event, position: decision } = one
    const sent = good.find((e) => is(e, 'RequestSent') && e.event.decision === decision)
    if (sent === undefined || fetchRule(policy, event.purpose).exemptFromRobots) return undefined
    return {
      recorded: withEvent(index, { ...event, verdict: 'deny' }),
      breach: `PR3@${sent.position}`,
    }
  },
  'CL1: a verdict turned to allow before a withholding': (one, index) => {
    if (!is(one, 'RobotsDecided') || one.event.verdict === 'allow') return undefined
    const withheld = good.find((e) => is(e, 'RequestWithheld') && e.event.decision === one.position)
    if (!withheld || !is(withheld, 'RequestWithheld')) return undefined
    const { reason } = withheld.event
    if (reason !== 'robots-disallow' && reason !== 'robots-unreachable') return undefined
    return {
      recorded: withEvent(index, { ...one.event, verdict: 'allow' }),
      breach: `CL1@${withheld.position}`,
    }
  },
  'PR4: an exemption that is taken away': (one, index) =>
    is(one, 'RobotsDecided') && one.event.basis === 'exempt'
      ? {
          recorded: withEvent(index, { ...one.event, basis: 'rule', verdict: 'deny' }),
          breach: `PR4@${one.position}`,
        }
      : undefined,
  'PR1: a request for another address': (one, index) => {
    if (!is(one, 'RequestSent')) return undefined
    const swapped = url(`${originOf(one.event.url)}/wp-login.php`)
    return {
      recorded: withEvent(index, { ...one.event, url: swapped }),
      breach: `PR1@${one.position}`,
    }
  },
  'PR2: a reading of robots.txt that is missing': (one, index) => {
    if (!is(one, 'RobotsRead')) return undefined
    const { origin, night } = one.event
    const sent = next(
      index,
      (e) =>
        is(e, 'RequestSent') &&
        e.event.purpose !== 'robots' &&
        e.event.night === night &&
        originOf(e.event.url) === origin,
    )
    return sent && { recorded: without(index), breach: `PR2@${sent.position}` }
  },
  'PR5: a request of the next night called one of this night': (one, index) => {
    if (!is(one, 'RequestSent')) return undefined
    const { event } = one
    const before = good.findLast(
      (e, i) => i < index && is(e, 'RequestSent') && e.event.url === event.url,
    )
    if (!before || !is(before, 'RequestSent')) return undefined
    return {
      recorded: withEvent(index, { ...event, night: before.event.night }),
      breach: `PR5@${one.position}`,
    }
  },
  'PR7: a stop and its resumption that are missing': (one) => {
    if (!is(one, 'SiteResumed')) return undefined
    const sent = next(one.position, sentTo(one.event.site))
    return sent && { recorded: without(one.position - 1), breach: `PR7@${sent.position}` }
  },
  'PR8: a Crawl-delay that is not waited for': (one, index) => {
    if (
      !is(one, 'RequestSent') ||
      siteOf(one.event.url) !== 'slow.example' ||
      one.event.purpose === 'robots'
    )
      return undefined
    const ts = instant(one.ts - 1)
    return { recorded: replaced(index, (sent) => ({ ...sent, ts })), breach: `PR8@${one.position}` }
  },
  'PR9: a 429 behind which the crawl goes on': (one, index) => {
    if (!is(one, 'ResponseReceived')) return undefined
    const { night, url: asked } = one.event
    const sent = next(
      index,
      (e) => sentTo(siteOf(asked))(e) && is(e, 'RequestSent') && e.event.night === night,
    )
    return (
      sent && {
        recorded: withEvent(index, { ...one.event, status: 429 }),
        breach: `PR9@${sent.position}`,
      }
    )
  },
  'PR10: a robots.txt that could not be reached, behind which the crawl goes on': (one, index) => {
    if (!is(one, 'RobotsRead') || one.event.access === 'unreachable') return undefined
    const { origin, night } = one.event
    const sent = next(
      index,
      (e) =>
        is(e, 'RequestSent') &&
        e.event.purpose !== 'robots' &&
        e.event.night === night &&
        originOf(e.event.url) === origin,
    )
    const event = { ...one.event, access: 'unreachable' as const }
    return sent && { recorded: withEvent(index, event), breach: `PR10@${sent.position}` }
  },
  'PR11, PR12: a body that is there or not, the wrong way': (one, index) => {
    if (!is(one, 'ResponseReceived')) return undefined
    const { body, purpose } = one.event
    const commit = world.stored.keys().next().value
    if (body.kept)
      return {
        recorded: withEvent(index, {
          ...one.event,
          body: { kept: false, reason: 'discarded-by-policy' },
        }),
        breach: `PR11@${one.position}`,
      }
    ok(purpose === 'homepage' && commit !== undefined)
    const other = { kept: true, alg: 'sha256-salt32', commit, bytes: 1, truncated: false } as const
    return {
      recorded: withEvent(index, { ...one.event, body: other }),
      breach: `PR12@${one.position}`,
    }
  },
  'PR13: a request with a cookie': (one, index) =>
    is(one, 'RequestSent')
      ? {
          recorded: withEvent(index, {
            ...one.event,
            headers: [...one.event.headers, ['Cookie', 'a=b']],
          }),
          breach: `PR13@${one.position}`,
        }
      : undefined,
  'PR15: a readmission that is missing': (one, index) => {
    if (!is(one, 'SiteReadmitted')) return undefined
    const sent = next(index, sentTo(one.event.site))
    return sent && { recorded: without(index), breach: `PR15@${sent.position}` }
  },
  'PR16: a listing that is missing': (one, index) => {
    if (!is(one, 'SiteListed')) return undefined
    const { site } = one.event
    const sent = next(index, (e) => is(e, 'RequestSent') && e.event.subject === site)
    return sent && { recorded: without(index), breach: `PR16@${sent.position}` }
  },
  'CL1: an end of another request': (one, index) => {
    if (!is(one, 'ResponseReceived')) return undefined
    const before: Position = position(one.event.request === 1 ? 2 : 1)
    return {
      recorded: withEvent(index, { ...one.event, request: before }),
      breach: `CL1@${one.position}`,
    }
  },
  'PR1: a redirect that was not followed, and a request that followed it': (one, index) => {
    if (!is(one, 'RedirectDecided') || one.event.verdict !== 'follow') return undefined
    const { request } = one.event
    const sent = next(index, (e) => is(e, 'RequestSent') && e.event.via === request)
    const event = { ...one.event, verdict: 'refuse' as const, reason: 'loop' as const }
    return sent && { recorded: withEvent(index, event), breach: `PR1@${sent.position}` }
  },
}

/** So many places of each kind, spread over the history: more with FC_RUNS. */
const PLACES = Math.max(1, Math.round(Number(process.env['FC_RUNS'] ?? 100) / 12))

const spread = <A>(all: readonly A[]): readonly A[] =>
  all.filter((_, i) => i % Math.ceil(all.length / PLACES) === 0)

for (const [name, mutate] of Object.entries(MUTATIONS))
  test(`found wherever it is done: ${name}`, async () => {
    const altered = spread(good.flatMap((one, index) => mutate(one, index) ?? []))
    ok(altered.length > 0, 'it applies somewhere')
    const missed: string[] = []
    for (const { recorded, breach } of altered) {
      const found = breachesOf(await promisesOf(recorded, world))
      if (!found.includes(breach)) missed.push(`${breach}, found ${found.join(' ')}`)
    }
    deepEqual(missed, [])
  })

test('an entry that stands twice is found by what it doubles', async () => {
  const index = good.findIndex((one) => is(one, 'RequestSent'))
  const sent = present(good[index], 'a request')
  const twice = [...good.slice(0, index + 1), sent, ...good.slice(index + 1)]
  const found = breachesOf(await promisesOf(twice, world))
  for (const promise of ['PR5', 'PR6'])
    ok(found.includes(`${promise}@${sent.position}`), found.join(' '))
  ok(completenessOf(twice).faults > 0)
})
