/**
 * One fetch the whole way a request goes, over the real fetcher and a simulated clock: decisions,
 * RequestSent, the exchange with a server on loopback, closing event, conclusion.
 */
import assert from 'node:assert/strict'
import { httpFetcher } from '../../src/adapters/http/fetcher.ts'
import type { ResolveMap } from '../../src/adapters/http/resolve.ts'
import type { HttpUrl } from '../../src/kernel/url.ts'
import type { Purpose } from '../../src/kernel/words.ts'
import type { Recorded } from '../../src/ledger/entry.ts'
import type { EventOf, LedgerEvent } from '../../src/ledger/event.ts'
import type { Crawl } from '../../src/shell/crawl.ts'
import { fetchFile } from '../../src/shell/fetch-file.ts'
import { type Script, scriptedWorld } from './scripted.ts'
import { policy, SITE } from './site.ts'

export type WholeWay = {
  readonly purpose: Purpose
  readonly target: HttpUrl
  readonly resolve: ResolveMap
  /** Answers of addresses that no server is asked for. */
  readonly script?: Script
  readonly authorities?: readonly string[]
  readonly limits?: Partial<Crawl['policy']['limits']>
}

/** Everything the ledger holds afterwards. */
export const fetchWholeWay = async (way: WholeWay): Promise<readonly Recorded[]> => {
  const script = way.script ?? {}
  const world = scriptedWorld(script)
  const crawl = world.crawl()
  const real = httpFetcher({ resolve: way.resolve, authorities: way.authorities ?? [] })
  const { purpose, target } = way
  const over: Crawl = {
    ...crawl,
    policy: { ...policy, limits: { totalMs: 30_000, connectMs: 30_000, ...way.limits } },
    ports: {
      ...crawl.ports,
      fetch: (request, signal) =>
        request.url in script ? crawl.ports.fetch(request, signal) : real(request, signal),
    },
  }
  await world.clock.track(() => fetchFile(over, { subject: SITE, source: null, purpose, target }))
  await world.close()
  return world.events()
}

const CLOSING = new Set(['ResponseReceived', 'RequestFailed', 'RequestAbandoned'])
type Closing = EventOf<'ResponseReceived' | 'RequestFailed' | 'RequestAbandoned'>
const isClosing = (event: LedgerEvent): event is Closing => CLOSING.has(event.type)

/** The closing event of each request, in order; a test failure unless every request has exactly one. */
export const closingsOf = (events: readonly Recorded[]): readonly Closing[] => {
  const sent = events.filter(({ event }) => event.type === 'RequestSent')
  const closings = events.map(({ event }) => event).filter(isClosing)
  assert.deepEqual(
    closings.map(({ request }) => request),
    sent.map(({ position }) => position),
    'one closing event for each request, in order',
  )
  return closings
}

/** The one conclusion of the fetch for `purpose`; a test failure unless there is exactly one. */
export const conclusionOf = (
  events: readonly Recorded[],
  purpose: Purpose,
): EventOf<'RobotsRead' | 'FetchConcluded'> => {
  const told = events.flatMap(({ event }) =>
    (purpose === 'robots' && event.type === 'RobotsRead') ||
    (event.type === 'FetchConcluded' && event.purpose === purpose)
      ? [event]
      : [],
  )
  const [only, ...more] = told
  assert.ok(only !== undefined && more.length === 0, `${told.length} conclusions`)
  return only
}
