/** Histories of one site for tests: events with their envelope, in the order they happened. */
import { readFileSync } from 'node:fs'
import { assert } from '../../src/kernel/assert.ts'
import { E } from '../../src/kernel/fp.ts'
import { instant, type Instant } from '../../src/kernel/instant.ts'
import { position } from '../../src/kernel/position.ts'
import { siteOf, type HttpUrl, parseHttpUrl } from '../../src/kernel/url.ts'
import type { Purpose } from '../../src/kernel/words.ts'
import type { Recorded } from '../../src/ledger/entry.ts'
import type { EventOf, LedgerEvent } from '../../src/ledger/event.ts'
import type { NextAllowed } from '../../src/ledger/exchange.ts'
import { siteStream } from '../../src/ledger/stream.ts'
import { type NightSpan, nightAt } from '../../src/plan/night.ts'
import type { Occasion } from '../../src/politeness/robots-copy.ts'
import { foldSite, type SiteState, unknownSite } from '../../src/politeness/site-state.ts'
import { parsePolicy } from '../../src/programmes/policy-file.ts'
import type { Policy } from '../../src/programmes/policy.ts'

const policyFile = new URL('../../src/programmes/plain-reckoner/policy.json', import.meta.url)
export const policyText = readFileSync(policyFile, 'utf8')

const parsed = parsePolicy('policy.json', policyText)
assert(E.isRight(parsed), 'the shipped policy parses')
export const policy: Policy = parsed.right

export const at = (iso: string): Instant => instant(Date.parse(iso))

/** A night's crawl of the shipped policy, as decisions see it. */
export const occasion = (change: Partial<Occasion> = {}): Occasion => ({
  policy,
  night: NIGHT,
  run: 'run-1',
  kind: 'night',
  now: NOW,
  ...change,
})

/** 02:00 on a night that began at 01:00 UTC. */
export const NOW = at('2026-11-30T02:00:00Z')
export const NIGHT: NightSpan = nightAt(policy.night, NOW)

export const url = (text: string): HttpUrl => {
  const result = parseHttpUrl(text)
  assert(E.isRight(result), `a url: ${text}`)
  return result.right
}

export const SITE = siteOf(url('https://news.example/'))

export const nextOf = (moment: Instant, cooldown: Partial<NextAllowed> = {}): NextAllowed => ({
  at: moment,
  floorMs: 5_000,
  crawlDelayMs: null,
  retryAfterMs: null,
  cooldownUntil: null,
  cooldownBecause: null,
  ...cooldown,
})

/** A history: each event at its moment. Positions and versions count from 1. */
export const history = (...events: readonly (readonly [Instant, LedgerEvent])[]): SiteState =>
  events
    .map(([ts, event], index): Recorded => ({
      position: position(index + 1),
      stream: siteStream(SITE),
      version: index + 1,
      run: 'run-1',
      ts,
      event,
    }))
    .reduce(foldSite, unknownSite(SITE))

export const sent = (
  address: string,
  purpose: Purpose,
  change: Partial<EventOf<'RequestSent'>> = {},
): EventOf<'RequestSent'> => ({
  type: 'RequestSent',
  v: 2,
  programme: policy.name,
  subject: SITE,
  n: 1,
  url: url(address),
  target: url(address),
  purpose,
  night: NIGHT.name,
  attempt: 1,
  source: null,
  hop: 0,
  via: null,
  headers: [['user-agent', policy.userAgent]],
  fence: 1,
  decision: position(1),
  ...change,
})

const closing = (request: EventOf<'RequestSent'>, of: number, next: NextAllowed) => ({
  v: 1 as const,
  programme: request.programme,
  subject: request.subject,
  request: position(of),
  n: request.n,
  url: request.url,
  target: request.target,
  purpose: request.purpose,
  night: request.night,
  hop: request.hop,
  next,
})

const timing = { connectMs: 1, firstByteMs: 2, totalMs: 3 }

export const received = (
  request: EventOf<'RequestSent'>,
  of: number,
  status: number,
  next: NextAllowed,
): EventOf<'ResponseReceived'> => ({
  type: 'ResponseReceived',
  ...closing(request, of, next),
  status,
  headers: [],
  headersOmitted: 0,
  body: { kept: false, reason: 'discarded-by-policy' },
  refusal: null,
  remote: null,
  tls: null,
  timing,
})

export const failed = (
  request: EventOf<'RequestSent'>,
  of: number,
  reason: EventOf<'RequestFailed'>['reason'],
  next: NextAllowed,
): EventOf<'RequestFailed'> => ({
  type: 'RequestFailed',
  ...closing(request, of, next),
  reason,
  code: '',
  remote: null,
  timing,
})

export const robotsReadOf = (
  change: Partial<EventOf<'RobotsRead'>> = {},
): EventOf<'RobotsRead'> => ({
  type: 'RobotsRead',
  v: 1,
  programme: policy.name,
  subject: SITE,
  origin: new URL('https://news.example/').origin as EventOf<'RobotsRead'>['origin'],
  night: NIGHT.name,
  access: 'rules',
  because: 'status 200',
  request: position(1),
  commit: null,
  headers: [],
  truncated: false,
  crawlDelayMs: null,
  issues: 0,
  reader: 'rfc9309@1',
  ...change,
})
