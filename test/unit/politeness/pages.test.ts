/** The decisions about pages: PtaKaroBot's and public-records-check's promises, one by one. */
import { deepEqual, equal } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { instant, type Instant, later } from '../../../src/kernel/instant.ts'
import type { Header, Purpose } from '../../../src/kernel/words.ts'
import type { LedgerEvent } from '../../../src/ledger/event.ts'
import type { FailureReason } from '../../../src/ledger/exchange.ts'
import { nightAt } from '../../../src/plan/night.ts'
import {
  type Ask,
  type AskDecision,
  type Circumstances,
  decideAsk,
} from '../../../src/politeness/decide.ts'
import { type ExchangeEnd, nextAllowed } from '../../../src/politeness/next-allowed.ts'
import { mayRetry, saidNo } from '../../../src/politeness/retry.ts'
import { isFresh } from '../../../src/politeness/robots-copy.ts'
import { newSource, sourceDuty } from '../../../src/politeness/source-state.ts'
import { conditionalHeaders, foldValidators } from '../../../src/politeness/validator.ts'
import { parsePolicy } from '../../../src/programmes/policy-file.ts'
import type { Policy } from '../../../src/programmes/policy.ts'
import { readRobots } from '../../../src/robots/read.ts'
import { right } from '../../support/either.ts'
import {
  at,
  failed,
  history,
  nextOf,
  received,
  robotsReadOf,
  sent,
  SITE,
  url,
} from '../../support/site.ts'

const shipped = (name: string): Policy => {
  const file = new URL(`../../../src/programmes/${name}/policy.json`, import.meta.url)
  return right(parsePolicy(name, readFileSync(file, 'utf8')))
}
const karo = shipped('pta-karo')
const checker = shipped('public-records-check')

/** An hour into the nights of both. */
const KARO_NOW = at('2026-11-30T22:30:00Z')
const CHECKER_NOW = at('2026-11-30T07:00:00Z')
const nowOf = (policy: Policy): Instant => (policy === karo ? KARO_NOW : CHECKER_NOW)
const nightOf = (policy: Policy) => nightAt(policy.night, nowOf(policy))

const PAGE = 'https://news.example/permits/new'
const ROBOTS = 'https://news.example/robots.txt'

const asking = (policy: Policy, purpose: Purpose, change: object = {}) => {
  const address = purpose === 'robots' ? ROBOTS : PAGE
  const own = { programme: policy.name, night: nightOf(policy).name, source: 'permits' }
  return { ...sent(address, purpose, own), ...change } as ReturnType<typeof sent>
}

type Change = Partial<Omit<Circumstances, 'robots'>> & {
  readonly ask?: Partial<Ask>
  /** The text of robots.txt. */
  readonly robots?: string
}

const decide = (
  policy: Policy,
  events: readonly (readonly [Instant, LedgerEvent])[],
  change: Change = {},
): AskDecision => {
  const { ask, robots = '', ...circumstances } = change
  const address = url(PAGE)
  const read = robotsReadOf({ programme: policy.name, night: nightOf(policy).name })
  return decideAsk(
    {
      subject: SITE,
      purpose: 'page',
      target: address,
      url: address,
      hop: 0,
      source: 'permits',
      ...ask,
    },
    {
      policy,
      night: nightOf(policy),
      run: 'run-1',
      kind: 'night',
      now: nowOf(policy),
      scope: null,
      state: history(...events),
      robots: { read, file: readRobots(Buffer.from(robots)) },
      ...circumstances,
    },
  )
}
const verdict = (decision: AskDecision): string =>
  decision.tag === 'withhold' ? decision.reason : decision.tag

const ending = (policy: Policy, change: Partial<ExchangeEnd>): ExchangeEnd => ({
  endedAt: nowOf(policy),
  attempt: 1,
  status: 200,
  failure: null,
  refused: false,
  retryAfterMs: null,
  crawlDelayMs: null,
  paceMs: 0,
  alwaysClosed: false,
  ...change,
})
const after = (policy: Policy, change: Partial<ExchangeEnd>) =>
  nextAllowed(policy, nightOf(policy), ending(policy, change))
const waitMs = (policy: Policy, change: Partial<ExchangeEnd>): number =>
  after(policy, change).at - nowOf(policy)
const no = (reason: FailureReason): Partial<ExchangeEnd> => ({ status: null, failure: reason })

const person = { v: 1, site: SITE, by: 'A. Person', note: null } as const
const notRead = {
  type: 'SourceNotRead',
  v: 1,
  programme: checker.name,
  source: 'permits',
  site: SITE,
  by: 'A. Person',
  reason: 'it says no',
} as const

describe('pace', () => {
  test('PK9 three seconds, and the Crawl-delay where it is longer', () => {
    equal(waitMs(karo, {}), 3_000)
    equal(waitMs(karo, { crawlDelayMs: 10_000 }), 10_000)
    equal(waitMs(karo, { crawlDelayMs: 1_000 }), 3_000)
  })
  test('PK9 a Crawl-delay of 120 seconds is waited, a longer one ends the job', () => {
    const read = (crawlDelayMs: number) =>
      robotsReadOf({ programme: karo.name, night: nightOf(karo).name, crawlDelayMs })
    equal(verdict(decide(karo, [[at('2026-11-30T21:00:00Z'), read(120_000)]])), 'send')
    equal(verdict(decide(karo, [[KARO_NOW, read(120_001)]])), 'crawl-delay-too-long')
  })
  test('RC8 two seconds from the end of one request, a longer Crawl-delay instead', () => {
    equal(waitMs(checker, {}), 2_000)
    equal(waitMs(checker, { crawlDelayMs: 30_000 }), 30_000)
  })
  test('PK16 RC25 a person’s slower pace counts from the last request at once; 0 ends it', () => {
    const request = asking(checker, 'robots')
    const past = [
      [CHECKER_NOW, request],
      [CHECKER_NOW, received(request, 1, 200, nextOf(later(CHECKER_NOW, 2_000)))],
    ] as const
    const paced = (seconds: number) => ({ type: 'SitePaced', ...person, seconds }) as const
    const now = later(CHECKER_NOW, 30_000)
    const slow = decide(checker, [...past, [CHECKER_NOW, paced(60)]], { now })
    deepEqual(slow, { tag: 'wait', until: later(CHECKER_NOW, 60_000) })
    const quick = decide(checker, [...past, [CHECKER_NOW, paced(1)]], { now })
    equal(verdict(quick), 'send', 'never shorter than the programme’s own')
    const ended = [...past, [CHECKER_NOW, paced(60)], [CHECKER_NOW, paced(0)]] as const
    equal(verdict(decide(checker, ended, { now })), 'send')
  })
})

describe('retries', () => {
  const tried = (
    policy: Policy,
    attempt: number,
    status: number,
    retryAfterMs: number | null = null,
  ) => {
    const request = asking(policy, 'page', { attempt })
    const next = nextOf(nowOf(policy), { retryAfterMs })
    const past = [
      [nowOf(policy), request],
      [nowOf(policy), received(request, 1, status, next)],
    ] as const
    return decide(policy, past, { now: later(nowOf(policy), 90_000) })
  }
  test('PK10 RC13 a 429 or 503 is tried at most twice more', () => {
    for (const policy of [karo, checker]) {
      for (const status of [429, 503, 500]) {
        for (const attempt of [1, 2]) {
          const decision = tried(policy, attempt, status)
          deepEqual(
            [decision.tag, decision.tag === 'send' && decision.attempt],
            ['send', attempt + 1],
          )
        }
        equal(verdict(tried(policy, 3, status)), 'already')
      }
    }
  })
  test('RC13 no other error is tried again; PK10 a connection that failed is', () => {
    for (const status of [400, 403, 404, 410]) {
      equal(verdict(tried(checker, 1, status)), 'already')
      equal(verdict(tried(karo, 1, status)), 'already')
    }
    const end = (reason: FailureReason) => ending(karo, no(reason))
    for (const reason of ['reset', 'timeout', 'connect-refused', 'dns', 'cut-short'] as const) {
      equal(mayRetry(karo, end(reason)), true, reason)
      equal(mayRetry(checker, end(reason)), false, reason)
    }
    for (const reason of ['tls', 'address-refused', 'interrupted', 'bad-response'] as const)
      equal(mayRetry(karo, end(reason)), false, reason)
  })
  test('PK10 RC13 Retry-After is waited up to 60 seconds; more ends the trying', () => {
    for (const policy of [karo, checker]) {
      equal(waitMs(policy, { status: 429, retryAfterMs: 60_000 }), 60_000)
      equal(after(policy, { status: 429, retryAfterMs: 60_000 }).cooldownUntil, null)
      equal(
        after(policy, { status: 429, retryAfterMs: 60_001 }).cooldownUntil,
        nightOf(policy).endsAt,
      )
      equal(verdict(tried(policy, 1, 429, 60_001)), 'already')
    }
  })
  test('RC13 without Retry-After five seconds, then twenty', () => {
    equal(waitMs(checker, { status: 503 }), 5_000)
    equal(waitMs(checker, { status: 503, attempt: 2 }), 20_000)
    equal(waitMs(checker, { status: 503, attempt: 3 }), 2_000)
    equal(waitMs(checker, { status: 503, retryAfterMs: 1_000 }), 2_000, 'the pace still holds')
  })
  test('PK10 a 429 or 503 that stays ends the night for the website, until 02:30 in Karachi', () => {
    for (const status of [429, 503]) {
      const next = after(karo, { status, attempt: 3 })
      equal(next.cooldownUntil, at('2026-12-01T21:30:00Z'))
    }
  })
  test('PK10 a longer Retry-After is honoured in full, across nights', () => {
    const week = 7 * 86_400_000
    equal(after(karo, { status: 429, retryAfterMs: week }).at, later(KARO_NOW, week))
  })
  test('a try that a crash cut off may have arrived: it is not made again', () => {
    const request = asking(checker, 'page')
    equal(verdict(decide(checker, [[at('2026-11-30T06:30:00Z'), request]])), 'already')
  })
})

describe('a no', () => {
  test('PK11 RC20 a 401, a 403 or a bot check ends the night for every programme', () => {
    for (const policy of [karo, checker])
      equal(after(policy, { status: 403, refused: true }).cooldownUntil, nightOf(policy).endsAt)
    const refused = nextOf(nightOf(karo).endsAt, {
      cooldownUntil: nightOf(karo).endsAt,
      cooldownBecause: 'refused with status 403',
    })
    const request = asking(karo, 'page')
    const past = [
      [KARO_NOW, request],
      [KARO_NOW, received(request, 1, 403, refused)],
    ] as const
    const other = { now: later(KARO_NOW, 3_600_000), night: nightAt(checker.night, KARO_NOW) }
    equal(verdict(decide(checker, past, other)), 'cooldown')
    // PK15, RC22: the next night it is asked once more.
    const next = nightAt(karo.night, nightOf(karo).endsAt)
    equal(verdict(decide(karo, past, { now: next.startsAt, night: next, run: 'run-2' })), 'send')
  })
  test('RC20 a 429 alone is patience first; with a bot check it is a no at once', () => {
    const plain = { kind: 'status', signature: 'status-429-v1', evidence: 'status 429' } as const
    equal(saidNo(429, plain), false)
    equal(saidNo(429, { ...plain, kind: 'captcha' }), true)
    equal(saidNo(403, { ...plain, signature: 'status-403-v1' }), true)
    equal(saidNo(200, null), false)
  })
  test('RC20 a failed TLS, and connections closed on every attempt', () => {
    const night = nightOf(checker).endsAt
    equal(after(checker, no('tls')).cooldownUntil, night)
    equal(after(checker, { ...no('reset'), alwaysClosed: true }).cooldownUntil, night)
    equal(after(checker, { ...no('reset'), alwaysClosed: false }).cooldownUntil, null)
    equal(after(checker, no('timeout')).cooldownUntil, null)
  })
  test('RC20 attempts remember whether each was closed', () => {
    const closedThen = (first: number | 'reset') => {
      const one = asking(karo, 'page')
      const two = asking(karo, 'page', { attempt: 2 })
      const end =
        first === 'reset'
          ? failed(one, 1, 'reset', nextOf(KARO_NOW))
          : received(one, 1, first, nextOf(KARO_NOW))
      const state = history(
        [KARO_NOW, one],
        [KARO_NOW, end],
        [KARO_NOW, two],
        [KARO_NOW, failed(two, 3, 'reset', nextOf(KARO_NOW))],
      )
      return state.programmes.get(karo.name)?.asked.get(url(PAGE))?.at(-1)?.alwaysClosed
    }
    equal(closedThen('reset'), true)
    equal(closedThen(503), false)
  })
})

describe('what may be asked at all', () => {
  test('PK1 PK2 PK3 only listed sites and those allowed for this run', () => {
    equal(verdict(decide(karo, [], { scope: new Set() })), 'out-of-scope')
    equal(verdict(decide(karo, [], { scope: new Set([SITE]) })), 'send')
    const robots = { purpose: 'robots', url: url(ROBOTS), target: url(ROBOTS) } as const
    equal(verdict(decide(karo, [], { scope: new Set(), ask: robots })), 'out-of-scope')
    equal(verdict(decide(karo, [], { scope: new Set(), ask: { ...robots, hop: 1 } })), 'send')
  })
  test('PK8 RC16 RC24 the group for the agent, or else *, decides', () => {
    const both = 'User-agent: *\nDisallow: /\n\nUser-agent: ptakarobot\nDisallow: /checkout/'
    equal(verdict(decide(karo, [], { robots: both })), 'send')
    equal(verdict(decide(checker, [], { robots: both })), 'robots-disallow')
  })
  test('RC25 a path left alone, on every host of the site, until a person readmits it', () => {
    const left = { type: 'PathExcluded', ...person, path: '/permits/*w$' } as const
    const readmitted = { type: 'PathReadmitted', ...person, path: '/permits/*w$' } as const
    equal(verdict(decide(checker, [[CHECKER_NOW, left]])), 'left-alone')
    const other = url('https://www.news.example/permits/new')
    equal(verdict(decide(checker, [[CHECKER_NOW, left]], { ask: { url: other } })), 'left-alone')
    const longer = url(`${PAGE}er`)
    equal(verdict(decide(checker, [[CHECKER_NOW, left]], { ask: { url: longer } })), 'send')
    equal(
      verdict(
        decide(checker, [
          [CHECKER_NOW, left],
          [CHECKER_NOW, readmitted],
        ]),
      ),
      'send',
    )
  })
  test('RC9 one file of a source a night beside robots.txt; its redirects and retries are part of it', () => {
    const robots = asking(checker, 'robots')
    const request = asking(checker, 'page', { url: url('https://news.example/old') })
    const past = [
      [at('2026-11-30T06:30:00Z'), robots],
      [at('2026-11-30T06:30:00Z'), received(robots, 1, 200, nextOf(CHECKER_NOW))],
      [at('2026-11-30T06:31:00Z'), request],
      [at('2026-11-30T06:31:00Z'), received(request, 3, 200, nextOf(CHECKER_NOW))],
    ] as const
    equal(verdict(decide(checker, past.slice(0, 2))), 'send')
    equal(verdict(decide(checker, past)), 'budget')
    equal(verdict(decide(checker, past, { ask: { hop: 1 } })), 'send')
    equal(verdict(decide(checker, past, { ask: { source: 'bids' } })), 'send')
    equal(verdict(decide(karo, past)), 'send')
  })
  test('RC11 not past the night’s limit, and no wait that would end past it', () => {
    const { startsAt, endsAt } = nightOf(checker)
    const limit = later(startsAt, 300 * 60_000)
    equal(verdict(decide(checker, [], { now: instant(limit - 1) })), 'send')
    equal(verdict(decide(checker, [], { now: limit })), 'night-limit')
    const request = asking(checker, 'robots')
    const past = [
      [CHECKER_NOW, request],
      [CHECKER_NOW, received(request, 1, 200, nextOf(limit))],
    ] as const
    equal(verdict(decide(checker, past)), 'night-limit')
    equal(verdict(decide(karo, [], { now: endsAt, night: nightOf(checker) })), 'night-limit')
  })
})

describe('robots.txt', () => {
  const copy = (hoursOld: number, run: string, access: 'rules' | 'unreachable' = 'rules') => ({
    read: robotsReadOf({ access, night: '2026-11-29' }),
    run,
    at: instant(KARO_NOW - hoursOld * 3_600_000),
  })
  const occasion = (policy: Policy, kind: 'night' | 'hand') => ({
    policy,
    night: nightOf(policy),
    run: 'run-1',
    kind,
    now: KARO_NOW,
  })
  test('PK6 a copy counts for the job that read it, and for no other', () => {
    equal(isFresh(copy(0, 'run-1'), occasion(karo, 'night')), true)
    equal(isFresh(copy(0, 'run-2'), occasion(karo, 'night')), false)
  })
  test('PK7 by hand a copy of the last 24 hours, never an older one, nor one that failed', () => {
    equal(isFresh(copy(23.9, 'run-2'), occasion(karo, 'hand')), true)
    equal(isFresh(copy(24, 'run-2'), occasion(karo, 'hand')), false)
    equal(isFresh(copy(1, 'run-2', 'unreachable'), occasion(karo, 'hand')), false)
  })
  test('RC14 a copy counts for the night, whichever run read it', () => {
    const tonight = { ...copy(0, 'run-2'), read: robotsReadOf({ night: nightOf(checker).name }) }
    equal(isFresh(tonight, occasion(checker, 'night')), true)
    equal(isFresh(copy(0, 'run-1'), occasion(checker, 'night')), false)
  })
})

describe('a source not read', () => {
  const duty = (count: number, lastNight: string | null, night: string) =>
    sourceDuty(
      checker,
      { name: night },
      {
        ...newSource,
        notRead: { by: 'A. Person', reason: 'it says no' },
        looks: { count, lastNight },
      },
    )
  test('RC23 three nights, then once a week', () => {
    equal(duty(0, null, '2026-12-01'), 'look')
    equal(duty(1, '2026-12-01', '2026-12-02'), 'look')
    equal(duty(2, '2026-12-02', '2026-12-03'), 'look')
    equal(duty(3, '2026-12-03', '2026-12-09'), 'rest')
    equal(duty(3, '2026-12-03', '2026-12-10'), 'look')
    equal(duty(4, '2026-12-10', '2026-12-16'), 'rest')
    equal(
      sourceDuty(karo, { name: '2026-12-01' }, { ...newSource, notRead: { by: 'P', reason: 'r' } }),
      'rest',
    )
  })
  test('RC23 only a look, only while it is not read, and a person reads it again', () => {
    const past = [[CHECKER_NOW, notRead]] as const
    equal(verdict(decide(checker, past)), 'not-read')
    equal(verdict(decide(checker, past, { ask: { purpose: 'probe' } })), 'send')
    equal(verdict(decide(checker, past, { ask: { source: 'bids' } })), 'send')
    const { reason: _, ...who } = notRead
    const reinstated = { ...who, type: 'SourceReinstated', note: null } as const
    equal(verdict(decide(checker, [...past, [CHECKER_NOW, reinstated]])), 'send')
  })
  test('RC23 a look obeys robots.txt', () => {
    const closed = { ask: { purpose: 'probe' }, robots: 'User-agent: *\nDisallow: /' } as const
    equal(verdict(decide(checker, [[CHECKER_NOW, notRead]], closed)), 'robots-disallow')
  })
})

describe('conditional requests', () => {
  const answered = (headers: readonly Header[], change = {}) => {
    const request = asking(karo, 'page')
    const body = {
      kept: true,
      alg: 'sha256-salt32',
      commit: 'a'.repeat(64),
      bytes: 3,
      truncated: false,
    }
    return {
      ...received(request, 1, 200, nextOf(KARO_NOW)),
      headers,
      body,
      ...change,
    } as ReturnType<typeof received>
  }
  const asks = (headers: readonly Header[], change = {}) =>
    conditionalHeaders(foldValidators(new Map(), answered(headers, change)).get(url(PAGE)))
  test('PK12 RC10 with the ETag and the Last-Modified of the last visit, as they came', () => {
    const date = 'Sun, 29 Nov 2026 02:31:00 GMT'
    deepEqual(
      asks([
        ['ETag', 'W/"a-1"'],
        ['Last-Modified', date],
      ]),
      [
        ['if-none-match', 'W/"a-1"'],
        ['if-modified-since', date],
      ],
    )
    deepEqual(asks([]), [])
  })
  test('PK12 what is not exactly a validator never goes back out', () => {
    for (const etag of ['unquoted', '"a"b"', '"a\r\nX: y"', `"${'x'.repeat(600)}"`, ''])
      deepEqual(asks([['ETag', etag]]), [], etag)
    deepEqual(
      asks([
        ['ETag', '"a"'],
        ['ETag', '"b"'],
      ]),
      [],
      'two that differ',
    )
    for (const date of ['yesterday', '2026-11-29', 'Sun, 29 Nov 2026 02:31:00 GMT; x'])
      deepEqual(asks([['Last-Modified', date]]), [], date)
  })
  test('PK12 a page that was cut, or not kept, is asked for in full', () => {
    const body = {
      kept: true,
      alg: 'sha256-salt32',
      commit: 'a'.repeat(64),
      bytes: 3,
      truncated: true,
    }
    deepEqual(asks([['ETag', '"a"']], { body }), [])
    deepEqual(asks([['ETag', '"a"']], { body: { kept: false, reason: 'discarded-by-policy' } }), [])
  })
})
