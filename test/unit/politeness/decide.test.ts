import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { later } from '../../../src/kernel/instant.ts'
import type { Purpose } from '../../../src/kernel/words.ts'
import { type AskDecision, decideAsk, longestCrawlDelayMs } from '../../../src/politeness/decide.ts'
import type { SiteState } from '../../../src/politeness/site-state.ts'
import { readRobots } from '../../../src/robots/read.ts'
import type { RobotsKnowledge } from '../../../src/robots/ruling.ts'
import {
  at,
  failed,
  history,
  NIGHT,
  NOW,
  nextOf,
  occasion,
  policy,
  received,
  robotsReadOf,
  sent,
  SITE,
  url,
} from '../../support/site.ts'

const ADDRESS = {
  robots: 'https://news.example/robots.txt',
  'ads-txt': 'https://news.example/ads.txt',
  homepage: 'https://news.example/',
  'sellers-json': 'https://news.example/sellers.json',
  page: 'https://news.example/permits/new',
  probe: 'https://news.example/permits/new',
} as const

const rules = (text: string, change = {}): RobotsKnowledge => ({
  read: robotsReadOf(change),
  file: readRobots(Buffer.from(text)),
})
const open = rules('')

const decide = (
  purpose: Purpose,
  state: SiteState = history(),
  robots: RobotsKnowledge | undefined = open,
  now = NOW,
): AskDecision => {
  const address = url(ADDRESS[purpose])
  const ask = { subject: SITE, purpose, target: address, url: address, hop: 0, source: null }
  return decideAsk(ask, { ...occasion({ now }), scope: null, state, robots })
}
const reasonOf = (decision: AskDecision): string =>
  decision.tag === 'withhold' ? decision.reason : decision.tag

describe('decideAsk', () => {
  test('PR2 without a reading of robots.txt this night nothing but robots.txt is asked', () => {
    for (const purpose of ['ads-txt', 'homepage', 'sellers-json'] as const) {
      const address = url(ADDRESS[purpose])
      const decision = decideAsk(
        { subject: SITE, purpose, target: address, url: address, hop: 0, source: null },
        { ...occasion(), scope: null, state: history(), robots: undefined },
      )
      assert.equal(reasonOf(decision), 'robots-unreachable')
    }
    assert.equal(reasonOf(decide('robots')), 'send')
  })

  test('PR3 the homepage is asked only where robots.txt allows it to this agent', () => {
    assert.equal(
      reasonOf(decide('homepage', history(), rules('User-agent: *\nDisallow: /x'))),
      'send',
    )
    assert.equal(
      reasonOf(decide('homepage', history(), rules('User-agent: *\nDisallow: /'))),
      'robots-disallow',
    )
    const own = rules('User-agent: *\nDisallow: /\n\nUser-agent: plainreckonerbot\nAllow: /')
    assert.equal(reasonOf(decide('homepage', history(), own)), 'send')
    assert.equal(
      reasonOf(decide('homepage', history(), rules('User-agent: *\nDisallow: /$'))),
      'robots-disallow',
    )
  })

  test('PR4 robots.txt and ads.txt are read even where everything is disallowed', () => {
    const closed = rules('User-agent: PlainReckonerBot\nDisallow: /')
    assert.equal(reasonOf(decide('robots', history(), closed)), 'send')
    const decision = decide('ads-txt', history(), closed)
    assert.equal(decision.tag, 'send')
    assert.equal(decision.tag === 'send' && decision.ruling.basis, 'exempt')
    assert.equal(reasonOf(decide('sellers-json', history(), closed)), 'robots-disallow')
  })

  test('PR5 a file asked this night is not asked again', () => {
    const request = sent(ADDRESS['ads-txt'], 'ads-txt')
    const state = history([NOW, request], [NOW, received(request, 1, 200, nextOf(NOW))])
    assert.equal(reasonOf(decide('ads-txt', state, open, later(NOW, 3_600_000))), 'already')
    assert.equal(reasonOf(decide('homepage', state, open, later(NOW, 3_600_000))), 'send')
  })

  test('PR5 a file asked late in the last night is not asked again within twenty hours', () => {
    const request = sent(ADDRESS['ads-txt'], 'ads-txt', { night: '2026-11-29' })
    const asked = at('2026-11-30T00:59:00Z')
    const state = history([asked, request], [asked, received(request, 1, 200, nextOf(asked))])
    assert.equal(reasonOf(decide('ads-txt', state)), 'already')
    assert.equal(reasonOf(decide('ads-txt', state, open, later(asked, 20 * 3_600_000))), 'send')
  })

  test('PR6 the pause since the last request is waited, whoever made it', () => {
    const request = sent(ADDRESS.robots, 'robots', { programme: 'another-programme' })
    const resumed = later(NOW, 5_000)
    const state = history([NOW, request], [NOW, received(request, 1, 200, nextOf(resumed))])
    assert.deepEqual(decide('ads-txt', state), { tag: 'wait', until: resumed })
    assert.equal(reasonOf(decide('ads-txt', state, open, resumed)), 'send')
  })

  test('PR7 a stopped site is not asked, until a person resumes it', () => {
    const stopped = {
      type: 'SiteStopped',
      v: 1,
      programme: policy.name,
      site: SITE,
      strikes: 4,
      requests: [],
    } as const
    assert.equal(reasonOf(decide('robots', history([NOW, stopped]))), 'stopped-after-failures')
    const resumed = { type: 'SiteResumed', v: 1, site: SITE, by: 'A. Person', note: null } as const
    assert.equal(reasonOf(decide('robots', history([NOW, stopped], [NOW, resumed]))), 'send')
  })

  test('PR8 a Crawl-delay over thirty seconds: nothing after robots.txt, ads.txt included', () => {
    const slow = { crawlDelayMs: 31_000 }
    const state = history([NOW, robotsReadOf(slow)])
    for (const purpose of ['ads-txt', 'homepage'] as const) {
      const decision = decide(purpose, state, rules('User-agent: *\nCrawl-delay: 31', slow))
      assert.equal(reasonOf(decision), 'crawl-delay-too-long')
    }
    const thirty = { crawlDelayMs: 30_000 }
    const bearable = history([NOW, robotsReadOf(thirty)])
    assert.equal(reasonOf(decide('ads-txt', bearable, rules('', thirty))), 'send')
    assert.equal(longestCrawlDelayMs({ ...occasion(), state: bearable }), 30_000)
  })

  test('PR9 after a 429 the site is left alone until its cooldown ends', () => {
    const request = sent(ADDRESS['ads-txt'], 'ads-txt')
    const cooled = nextOf(NIGHT.endsAt, {
      cooldownUntil: NIGHT.endsAt,
      cooldownBecause: 'status 429',
    })
    const state = history([NOW, request], [NOW, received(request, 1, 429, cooled)])
    const decision = decide('homepage', state)
    assert.equal(reasonOf(decision), 'cooldown')
    assert.equal(decision.tag === 'withhold' && decision.until, NIGHT.endsAt)
  })

  test('PR10 robots.txt unreachable: nothing else, ads.txt included', () => {
    const unreachable: RobotsKnowledge = {
      read: robotsReadOf({ access: 'unreachable', because: 'status 503' }),
      file: null,
    }
    for (const purpose of ['ads-txt', 'homepage', 'sellers-json'] as const) {
      assert.equal(reasonOf(decide(purpose, history(), unreachable)), 'robots-unreachable')
    }
  })

  test('RFC9309_2.3.1.3 robots.txt 404 allows', () => {
    const missing: RobotsKnowledge = {
      read: robotsReadOf({ access: 'unavailable', because: 'status 404' }),
      file: null,
    }
    assert.equal(reasonOf(decide('homepage', history(), missing)), 'send')
  })

  test('HOUSE_fail_closed rules that cannot be loaded any more deny the homepage', () => {
    const lost: RobotsKnowledge = { read: robotsReadOf(), file: null }
    assert.equal(reasonOf(decide('homepage', history(), lost)), 'robots-unreachable')
  })

  test('PR14 a group for the agent that disallows all stops page reading the same day', () => {
    const today = rules('User-agent: PlainReckonerBot\nDisallow: /')
    assert.equal(reasonOf(decide('homepage', history(), today)), 'robots-disallow')
  })

  test('PR15 an exclusion stands against everything but a person’s readmission', () => {
    const excluded = {
      type: 'SiteExcluded',
      v: 1,
      site: SITE,
      by: 'A. Person',
      note: null,
    } as const
    const listed = {
      type: 'SiteListed',
      v: 1,
      programme: policy.name,
      site: SITE,
      reader: 'sellers-json@1',
      namings: 1,
      namedBy: [],
    } as const
    const resumed = { type: 'SiteResumed', v: 1, site: SITE, by: 'A. Person', note: null } as const
    const readmitted = {
      type: 'SiteReadmitted',
      v: 1,
      site: SITE,
      by: 'A. Person',
      note: null,
    } as const
    const request = sent(ADDRESS.robots, 'robots')
    const busy = history(
      [NOW, excluded],
      [NOW, listed],
      [NOW, resumed],
      [NOW, request],
      [NOW, received(request, 4, 200, nextOf(NOW))],
    )
    assert.equal(reasonOf(decide('robots', busy)), 'excluded')
    assert.equal(reasonOf(decide('ads-txt', busy)), 'excluded')
    assert.equal(reasonOf(decide('robots', history([NOW, excluded], [NOW, readmitted]))), 'send')
  })
})

describe('strikes', () => {
  const failure = (reason: 'timeout' | 'connect-refused'): SiteState => {
    const request = sent(ADDRESS.robots, 'robots')
    return history([NOW, request], [NOW, failed(request, 1, reason, nextOf(NOW))])
  }
  test('PR7 a failure to connect and a time-out both count, an answer clears them', () => {
    assert.equal(failure('timeout').programmes.get(policy.name)?.failures.length, 1)
    assert.equal(failure('connect-refused').programmes.get(policy.name)?.failures.length, 1)
    const request = sent(ADDRESS.robots, 'robots')
    const then = history(
      [NOW, request],
      [NOW, failed(request, 1, 'timeout', nextOf(NOW))],
      [NOW, request],
      [NOW, received(request, 3, 404, nextOf(NOW))],
    )
    assert.deepEqual(then.programmes.get(policy.name)?.failures, [])
  })
})
