/**
 * The promises of PtaKaroBot and public-records-check about pages, after fourteen days: what the
 * servers' own access logs say, and that the ledger says the same.
 */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { AccessLine } from '../../scripts/rehearsal/access-log.ts'
import { compareWithLedger } from '../../scripts/rehearsal/compare.ts'
import { present } from '../../src/kernel/assert.ts'
import { siteOf } from '../../src/kernel/url.ts'
import { saidOf } from '../support/audit-world.ts'
import { DAYS, dayOf, type PageNights, pageNights } from '../support/page-nights.ts'
import { PolitenessRules } from '../support/politeness-rules.ts'
import { eventsOf, requestsOf } from '../support/rehearsal-requests.ts'

const PTA_KARO = 'PtaKaroBot'
const CHECKER = 'public-records-check/0.1'

let r: PageNights
before(async () => {
  r = await pageNights()
})

const header = (line: AccessLine, name: string): string | undefined =>
  line.headers.find(([key]) => key.toLowerCase() === name)?.[1]
const lines = (host: string, bot: string, day?: number): readonly AccessLine[] =>
  r.log.filter(
    (line) =>
      line.host === `${host}.example` &&
      header(line, 'user-agent')?.startsWith(bot) === true &&
      (day === undefined || dayOf(line.at) === day),
  )
const paths = (host: string, bot: string, day?: number): readonly string[] =>
  lines(host, bot, day).map(({ path }) => path)
const gaps = (asked: readonly AccessLine[]): readonly number[] =>
  asked.slice(1).map((line, i) => line.at - present(asked[i]?.endedAt, 'ended'))
const withheld = (host: string, programme: string, reason: string): readonly number[] =>
  eventsOf(r.recorded, 'RequestWithheld')
    .filter(({ event }) => event.programme === programme && event.reason === reason)
    .filter(({ event }) => siteOf(event.url) === `${host}.example`)
    .map(({ ts }) => dayOf(ts))

test('CL1 the servers saw exactly what the ledger says, in that order', () => {
  ok(r.log.length > 20 * DAYS)
  deepEqual(compareWithLedger({ log: r.log, requests: requestsOf(r.recorded) }), [])
})

test('no rule of politeness was broken, said a second time', () => {
  const rules = new PolitenessRules(r.programmes, r.textOf)
  for (const recorded of r.recorded) rules.see(recorded)
  deepEqual(
    rules.breaches.filter((breach) => !breach.includes('/by-hand')),
    [],
  )
})

test('the auditor finds every promise kept that the ledger can show', () => {
  deepEqual(saidOf(r.audited), [])
  const own = r.audited.filter(({ programme }) => programme !== 'plain-reckoner')
  deepEqual(
    own.flatMap(({ promise, unjudged }) => (unjudged > 0 ? [promise] : [])),
    [],
  )
  const idle = own.filter(({ state }) => state === 'not-applicable').map(({ promise }) => promise)
  // Facts, forms and copies of the ledger leave no event; a further website (PK2), a withholding where
  // robots.txt is not there (RC18) and a survey (RC28) did not occur.
  deepEqual(idle, 'PK2 PK5 RC3 RC4 RC6 RC18 RC27 RC28 CL2 CL3 CL4 CL5 CL6'.split(' '))
})

describe('PtaKaroBot', () => {
  test('PK6 robots.txt is read again in every job, before any page; a job for each source', () => {
    for (let day = 1; day <= DAYS; day += 1) {
      const asked = paths('shared', PTA_KARO, day)
      deepEqual([...asked].sort(), ['/one', '/robots.txt', '/robots.txt', '/two'])
      equal(asked[0], '/robots.txt')
    }
  })

  test('PK8 PK9 at least three seconds, and the Crawl-delay once robots.txt is read', () => {
    for (let day = 1; day <= DAYS; day += 1) {
      const slow = lines('slow', PTA_KARO, day)
      deepEqual(
        slow.map(({ path }) => path),
        ['/robots.txt', '/phones', '/tablets'],
      )
      ok(gaps(slow).every((gap) => gap >= 20_000))
      ok(gaps(lines('shared', PTA_KARO, day)).every((gap) => gap >= 3_000))
    }
  })

  test('PK9 a Crawl-delay over 120 seconds: robots.txt, and no page', () => {
    for (let day = 1; day <= DAYS; day += 1)
      deepEqual(paths('too-slow', PTA_KARO, day), ['/robots.txt'])
    equal(withheld('too-slow', 'pta-karo', 'crawl-delay-too-long').length, DAYS)
  })

  test('PK10 a 429 that asks for 30 seconds is waited for in full, then tried again', () => {
    for (let day = 1; day <= DAYS; day += 1) {
      const patient = lines('patient', PTA_KARO, day)
      deepEqual(
        patient.map(({ status }) => status),
        [200, 429, 200],
      )
      ok(present(gaps(patient)[1], 'a gap') >= 30_000)
    }
  })

  test('PK10 at most two retries; a 503 that stays ends the night, and the next one asks again', () => {
    for (let day = 1; day <= DAYS; day += 1) {
      const busy = lines('busy', PTA_KARO, day)
      deepEqual(
        busy.map(({ path }) => path),
        ['/robots.txt', '/phones', '/phones', '/phones'],
      )
      ok(present(gaps(busy)[1], 'first wait') >= 5_000)
      ok(present(gaps(busy)[2], 'second wait') >= 20_000)
      deepEqual(
        lines('flaky', PTA_KARO, day).map(({ status }) => status),
        [200, 503, 503, 200],
      )
    }
  })

  test('PK10 more than 60 seconds: not again this night, and a longer one in full across nights', () => {
    for (let day = 1; day <= DAYS; day += 1)
      deepEqual(paths('minute', PTA_KARO, day), ['/robots.txt', '/phones'])
    const days = new Set(lines('later', PTA_KARO).map(({ at }) => dayOf(at)))
    deepEqual([...days].sort((a, b) => a - b).slice(0, 4), [1, 2, 6, 7])
    const said = present(lines('later', PTA_KARO, 2).at(-1)?.endedAt, 'the 429')
    ok(present(lines('later', PTA_KARO, 6)[0], 'the return').at >= said + 259_200_000)
  })

  test('PK11 PK15 a refusal or a bot check ends the night; the next night asks once more', () => {
    for (const host of ['refuses', 'asks-human']) {
      for (let day = 1; day <= 2; day += 1)
        deepEqual(paths(host, PTA_KARO, day), ['/robots.txt', '/phones'])
    }
    deepEqual(
      lines('refuses', PTA_KARO, 3).map(({ status }) => status),
      [200, 200],
    )
  })

  test('PK12 an unchanged page answers 304 to the ETag of the last visit', () => {
    const [first, ...others] = lines('plain', PTA_KARO).filter(({ path }) => path === '/phones')
    equal(header(present(first, 'the first visit'), 'if-none-match'), undefined)
    equal(others.length, DAYS - 1)
    for (const line of others)
      deepEqual([header(line, 'if-none-match'), line.status], ['"records"', 304])
    const concluded = eventsOf(r.recorded, 'FetchConcluded')
      .map(({ event }) => event)
      .filter(({ target }) => target === 'https://plain.example/phones')
    equal(new Set(concluded.map(({ commit }) => commit)).size, 1, 'a 304 confirms the kept body')
    ok(concluded.slice(1).every(({ because }) => because === 'not-modified'))
  })

  test('PK3 PK4 PK13 a redirect off the site or down to http is not followed', () => {
    equal(lines('elsewhere', PTA_KARO).length, 0)
    ok(lines('downgrades', PTA_KARO).every(({ scheme }) => scheme === 'https'))
  })

  test('PK14 one agent, and nothing that could get around a refusal', () => {
    for (const line of r.log) {
      for (const name of ['cookie', 'authorization', 'referer', 'via', 'forwarded'])
        equal(header(line, name), undefined)
    }
  })

  test('PK16 RC25 a slower pace holds at once; a path left alone is never asked again', () => {
    for (let day = 4; day <= DAYS; day += 1) {
      const owner = lines('owner', PTA_KARO, day)
      deepEqual(
        owner.map(({ path }) => path),
        ['/robots.txt', '/one', '/two'],
      )
      ok(gaps(owner).every((gap) => gap >= 45_000))
    }
    ok(paths('owner', PTA_KARO, 1).includes('/left/alone'))
  })

  test('PK1 PK2 PK7 by hand: a copy of the last day will do, an older one is read anew, and nothing off the list', () => {
    const { soon, late, off } = r.byHand
    equal(soon.outcome?.event.type === 'FetchConcluded' && soon.outcome.event.status, 304)
    equal(soon.requests, 1)
    deepEqual([late.requests, late.outcome?.event.type], [2, 'FetchConcluded'])
    equal(off.requests, 0)
    ok(off.outcome?.event.type === 'RequestWithheld' && off.outcome.event.reason === 'out-of-scope')
  })
})

describe('public-records-check', () => {
  test('RC2 every request names the one agent', () => {
    const own = r.log.filter((line) => header(line, 'user-agent')?.startsWith(CHECKER))
    ok(own.length > 5 * DAYS)
    const agents = new Set(own.map((line) => header(line, 'user-agent')))
    deepEqual([...agents], ['public-records-check/0.1 (+mailto:frankie@outpostagencies.com)'])
  })

  test('RC8 RC9 RC14 a night costs robots.txt and one page, two seconds apart', () => {
    for (let day = 1; day <= DAYS; day += 1) {
      deepEqual(paths('plain', CHECKER, day), ['/robots.txt', '/records'])
      ok(gaps(lines('plain', CHECKER, day)).every((gap) => gap >= 2_000))
    }
  })

  test('RC10 an unchanged page answers 304 to the ETag of the last visit', () => {
    const [first, ...others] = lines('plain', CHECKER).filter(({ path }) => path === '/records')
    // The web's first day answers 200 with an ETag.
    equal(header(present(first, 'the first visit'), 'if-none-match'), undefined)
    ok(others.every((line) => header(line, 'if-none-match') === '"records"' && line.status === 304))
  })

  test('RC13 after a 503 two more tries, after 5 and 20 seconds, and it is no no', () => {
    for (let day = 1; day <= DAYS; day += 1) {
      const tired = lines('tired', CHECKER, day)
      deepEqual(
        tired.map(({ status }) => status),
        [200, 503, 503, 503],
      )
      const [, second = 0, third = 0] = gaps(tired)
      ok(second >= 5_000 && second < 20_000 && third >= 20_000)
    }
    equal(withheld('tired', 'public-records-check', 'cooldown').length, 0)
  })

  test('PK10 RC20 a cooldown that one bot met with holds for the other', () => {
    // PtaKaroBot's 503s ended the site's night at 02:30 in Karachi, and it lasts to the next one.
    equal(lines('busy', CHECKER).length, 0)
    equal(withheld('busy', 'public-records-check', 'cooldown').length, DAYS)
  })

  test('RC16 never a path that robots.txt disallows', () => {
    for (let day = 1; day <= DAYS; day += 1)
      deepEqual(
        paths('denies', CHECKER, day).filter((path) => path !== '/robots.txt'),
        [],
      )
  })

  test('RC17 a redirect to another host: its robots.txt first, and its no counts', () => {
    for (let day = 1; day <= DAYS; day += 1) {
      deepEqual(paths('moved', CHECKER, day), ['/robots.txt', '/records'])
      deepEqual(paths('elsewhere', CHECKER, day), ['/robots.txt', '/records'])
    }
    equal(paths('denies', CHECKER).includes('/records'), false)
  })

  test('RC19 a robots.txt that answers 503 keeps it off the site that night', () => {
    for (const bot of [PTA_KARO, CHECKER]) {
      ok(paths('robots-down', bot).every((path) => path === '/robots.txt'))
    }
  })

  test('RC20 RC22 a closed connection and a failed TLS are a no, and the next night comes back', () => {
    const failed = eventsOf(r.recorded, 'RequestFailed').filter(
      ({ event }) => event.programme === 'public-records-check',
    )
    const tls = failed.filter(({ event }) => event.reason === 'tls')
    equal(tls.length, DAYS)
    ok(tls.every(({ event }) => event.next.cooldownBecause === 'no secure connection'))
    const cuts = failed.filter(({ event }) => event.url === 'https://cuts.example/records')
    equal(cuts.length, DAYS)
    ok(
      cuts.every(
        ({ event }) => event.next.cooldownBecause === 'connection closed on every attempt',
      ),
    )
    // RC13: no other error is tried again; PtaKaroBot tries a failed connection twice more.
    equal(lines('cuts', PTA_KARO, 1).filter(({ path }) => path === '/phones').length, 3)
  })

  test('RC23 a source not read: looks on three nights, then weekly, and nothing else from its site', () => {
    const days = [...new Set(lines('said-no', CHECKER).map(({ at }) => dayOf(at)))]
    deepEqual(days, [1, 2, 3, 4, 5, 12])
    const probes = eventsOf(r.recorded, 'RequestSent').filter(
      ({ event }) => event.purpose === 'probe',
    )
    deepEqual(
      probes.map(({ ts }) => dayOf(ts)),
      [3, 4, 5, 12],
    )
    const kept = eventsOf(r.recorded, 'ResponseReceived').filter(
      ({ event }) => event.purpose === 'probe' && event.body.kept,
    )
    equal(kept.length, 0, 'a look takes no records')
  })
})
