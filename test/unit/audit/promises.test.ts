/**
 * Every rule: a history that keeps its promise, and planted breaches of every kind. Of each plant
 * the audit names just the promises it breaks, at just its position.
 */
import { fetchRule } from '../../../src/programmes/policy.ts'
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { PROMISES } from '../../../src/audit/catalogue.ts'
import { RULES } from '../../../src/audit/promises/index.ts'
import { type Digest, sha256Hex } from '../../../src/kernel/digest.ts'
import { formatInstant, instant } from '../../../src/kernel/instant.ts'
import type { Position } from '../../../src/kernel/position.ts'
import type { Recorded } from '../../../src/ledger/entry.ts'
import { programmeStream, siteStream } from '../../../src/ledger/stream.ts'
import { present } from '../../../src/kernel/assert.ts'
import { siteOf } from '../../../src/kernel/url.ts'
import { fullHistory } from '../../support/audit-history.ts'
import { Planter } from '../../support/audit-planter.ts'
import { type AuditWorld, breachesOf, promisesOf } from '../../support/audit-world.ts'
import { nextOf, policy, policyText, url } from '../../support/site.ts'

let world: AuditWorld
let past: readonly Recorded[]
before(async () => {
  world = await fullHistory()
  past = await world.events()
})

const PLAIN = 'https://plain.example'
const SHUT_FILE = 'User-agent: PlainReckonerBot\nDisallow: /\n'

/** Plants behind the good history; the breaches that the audit then names. */
const planted = async (plant: (planter: Planter) => void): Promise<readonly string[]> => {
  const planter = new Planter(past, world)
  plant(planter)
  return breachesOf(await promisesOf(planter.recorded, world))
}

/** Each plant gives the breaches it expects. */
const breaks = (
  name: string,
  plant: (planter: Planter) => readonly (readonly [string, Position])[],
): void => {
  test(name, async () => {
    let expected: readonly string[] = []
    const found = await planted((planter) => {
      expected = plant(planter).map(([promise, position]) => `${promise}@${position}`)
    })
    ok(expected.length > 0)
    deepEqual([...found].toSorted(), expected.toSorted())
  })
}

const keeps = (name: string, plant: (planter: Planter) => void): void => {
  test(name, async () => {
    deepEqual(await planted(plant), [])
  })
}

test('a history of everything a crawl meets keeps every promise, and each is judged', async () => {
  const results = await promisesOf(past, world)
  deepEqual(breachesOf(results), [])
  const states = new Map(results.map(({ promise, state }) => [promise, state]))
  for (const { id } of PROMISES.PR.slice(0, 16)) equal(states.get(id), 'kept', id)
  equal(states.get('CL1'), 'kept')
  equal(states.get('PR17'), 'not-applicable')
  for (const result of results) {
    equal(result.unjudged, 0, result.promise)
    equal(result.why === '', result.state !== 'not-applicable', result.promise)
    equal(result.checked > 0, result.state !== 'not-applicable', result.promise)
  }
})

keeps('what the planter plants is good', (p) => {
  p.robots(PLAIN, 'User-agent: *\nDisallow: /private\n')
  p.answer(p.ask('ads-txt', `${PLAIN}/ads.txt`).request)
  p.answer(p.ask('homepage', `${PLAIN}/`).request)
  p.robots('https://shut.example', SHUT_FILE)
  p.answer(p.ask('ads-txt', 'https://shut.example/ads.txt').request)
  p.withhold('homepage', 'https://shut.example/')
  p.fail(p.ask('robots', 'https://dark.example/robots.txt').request)
  p.read('https://dark.example', null, { access: 'unreachable' })
})

describe('PR1 paths and redirects', () => {
  breaks('a path below the root', (p) => {
    p.robots(PLAIN)
    const { request } = p.ask('homepage', `${PLAIN}/about`)
    return [['PR1', request]]
  })
  breaks('another path for ads.txt', (p) => {
    p.robots(PLAIN)
    return [['PR1', p.ask('ads-txt', `${PLAIN}/app-ads.txt`).request]]
  })
  breaks('an address that is not the one the fetch is for', (p) => {
    p.robots(PLAIN)
    const ads = `${PLAIN}/ads.txt`
    const { request } = p.ask('ads-txt', `${PLAIN}/other.txt`, { target: ads })
    return [['PR1', request]]
  })
  breaks('plain http, which no source asked for', (p) => {
    p.robots('http://plain.example')
    return [['PR1', p.ask('homepage', 'http://plain.example/').request]]
  })
  breaks('a sellers.json that is on no list', (p) => {
    p.robots('https://adnet.example')
    return [['PR1', p.ask('sellers-json', 'https://adnet.example/other.json').request]]
  })
  breaks('a hop to which nothing redirected', (p) => {
    p.robots(PLAIN)
    const first = p.ask('ads-txt', `${PLAIN}/ads.txt`).request
    p.answer(first)
    const of = { hop: 1, via: first, target: `${PLAIN}/ads.txt` }
    return [['PR1', p.ask('ads-txt', `${PLAIN}/moved.txt`, of).request]]
  })
  breaks('a homepage that led below the root', (p) => {
    p.robots(PLAIN)
    const first = p.ask('homepage', `${PLAIN}/`).request
    const decided = p.redirect(first, `${PLAIN}/en/`)
    const of = { hop: 1, via: first, target: `${PLAIN}/` }
    const { request } = p.ask('homepage', `${PLAIN}/en/`, of)
    return [
      ['PR1', decided],
      ['PR1', request],
    ]
  })
  breaks('a redirect from https to http', (p) => {
    p.robots(PLAIN)
    const first = p.ask('ads-txt', `${PLAIN}/ads.txt`).request
    return [['PR1', p.redirect(first, 'http://plain.example/ads.txt')]]
  })
  breaks('a second step outside the site', (p) => {
    p.robots(PLAIN)
    p.robots('https://hosted.example', '', { subject: 'plain.example' })
    const first = p.ask('ads-txt', `${PLAIN}/ads.txt`).request
    p.redirect(first, 'https://hosted.example/a')
    const of = { subject: 'plain.example', hop: 1, via: first, target: `${PLAIN}/ads.txt` }
    const second = p.ask('ads-txt', 'https://hosted.example/a', of).request
    return [['PR1', p.redirect(second, 'https://hosted.example/b')]]
  })
  breaks('a redirect that names another address', (p) => {
    p.robots(PLAIN)
    const first = p.ask('ads-txt', `${PLAIN}/ads.txt`).request
    return [['PR1', p.redirect(first, '/b', { to: url(`${PLAIN}/c`), location: '/b' })]]
  })
  breaks('one redirect too many', (p) => {
    p.robots(PLAIN)
    const first = p.ask('ads-txt', `${PLAIN}/ads.txt`).request
    const over = fetchRule(policy, 'ads-txt').maxRedirects + 1
    return [['PR1', p.redirect(first, `${PLAIN}/b`, { hop: over })]]
  })
})

describe('PR2 robots.txt first', () => {
  breaks('a file before robots.txt', (p) => [['PR2', p.ask('ads-txt', `${PLAIN}/ads.txt`).request]])
  breaks('a page by the robots.txt of the night before', (p) => {
    p.robots(PLAIN)
    p.wait(86_400_000).start('run-later')
    const { request } = p.ask('homepage', `${PLAIN}/`)
    return [['PR2', request]]
  })
  breaks('a decision that rests on the robots.txt of another port', (p) => {
    const other = p.robots(`${PLAIN}:8443`)
    p.robots(PLAIN)
    const { request } = p.ask('homepage', `${PLAIN}/`, {}, { decided: { robots: other } })
    return [['PR2', request]]
  })
  breaks('rules read from an address that is not the robots.txt of the origin', (p) => {
    const { request } = p.ask('robots', 'https://www.plain.example/robots.txt')
    p.answer(request)
    return [['PR2', p.read(PLAIN, request)]]
  })
  keeps('rules behind a redirect of robots.txt', (p) => {
    const first = p.ask('robots', `${PLAIN}/robots.txt`).request
    p.redirect(first, 'https://www.plain.example/robots.txt')
    const of = { hop: 1, via: first, target: `${PLAIN}/robots.txt` }
    const { request } = p.ask('robots', 'https://www.plain.example/robots.txt', of)
    p.answer(request)
    p.read(PLAIN, request)
  })
})

describe('PR3, PR14 what robots.txt permits', () => {
  breaks('a homepage that a rule disallows', (p) => {
    p.robots(PLAIN, 'User-agent: *\nDisallow: /$\n')
    const { request } = p.ask('homepage', `${PLAIN}/`)
    return [
      ['PR3', request],
      ['PR14', request],
    ]
  })
  breaks('a sellers.json that a rule disallows', (p) => {
    p.robots('https://adnet.example', 'User-agent: *\nDisallow: /sellers\n')
    return [['PR3', p.ask('sellers-json', 'https://adnet.example/sellers.json').request]]
  })
  breaks('a page that was decided not to be asked', (p) => {
    p.robots(PLAIN)
    const decided = { verdict: 'deny' } as const
    return [['PR3', p.ask('homepage', `${PLAIN}/`, {}, { decided }).request]]
  })
  breaks('a decision for another agent', (p) => {
    p.robots(PLAIN)
    const decided = { token: 'OtherBot' }
    return [['PR3', p.ask('homepage', `${PLAIN}/`, {}, { decided }).request]]
  })
  breaks('a request under another name', (p) => {
    p.robots(PLAIN)
    const sent = { headers: [['user-agent', 'Mozilla/5.0'] as [string, string]] }
    return [['PR3', p.ask('homepage', `${PLAIN}/`, {}, { sent }).request]]
  })
  test('a kept file that is gone is told: not judged, and not kept', async () => {
    const planter = new Planter(past, world)
    planter.robots(PLAIN, 'User-agent: *\nDisallow: /gone\n')
    const read = present(planter.recorded.at(-1), 'read')
    const { request } = planter.ask('homepage', `${PLAIN}/`)
    ok(read.event.type === 'RobotsRead' && read.event.commit !== null)
    const body = present(world.stored.get(read.event.commit), 'kept')
    world.stored.delete(read.event.commit)
    const results = await promisesOf(planter.recorded, world)
    world.stored.set(read.event.commit, body)
    deepEqual(breachesOf(results), [`PR11@${read.position}`])
    equal(results.find(({ promise }) => promise === 'PR3')?.unjudged, 1)
    ok(request > read.position)
  })
})

describe('PR4 exempt files', () => {
  breaks('ads.txt withheld for a Disallow', (p) => {
    p.robots(PLAIN, 'User-agent: *\nDisallow: /\n')
    const withheld = p.withhold('ads-txt', `${PLAIN}/ads.txt`)
    const decision = present(p.recorded.at(-2), 'decision').position
    return [
      ['PR4', decision],
      ['PR4', withheld],
    ]
  })
  breaks('a homepage taken for exempt', (p) => {
    p.robots(PLAIN)
    const { decision } = p.ask('homepage', `${PLAIN}/`, {}, { decided: { basis: 'exempt' } })
    return [['PR4', decision]]
  })
})

describe('PR5 once a night', () => {
  breaks('twice in a night', (p) => {
    p.robots(PLAIN)
    p.answer(p.ask('ads-txt', `${PLAIN}/ads.txt`).request)
    return [['PR5', p.ask('ads-txt', `${PLAIN}/ads.txt`).request]]
  })
  breaks('robots.txt, too', (p) => {
    p.robots(PLAIN)
    return [['PR5', p.ask('robots', `${PLAIN}/robots.txt`).request]]
  })
  breaks('a second attempt', (p) => [
    ['PR5', p.ask('robots', `${PLAIN}/robots.txt`, {}, { sent: { attempt: 2 } }).request],
  ])
  const again = (name: string, afterMs: number, expected: readonly string[]): void => {
    test(name, async () => {
      let request: Position | undefined
      const found = await planted((p) => {
        p.wait(10 * 3_600_000)
        p.answer(p.ask('robots', `${PLAIN}/robots.txt`).request)
        const sentAt = p.now
        p.wait(sentAt + afterMs - 10_000 - p.now).start('run-later')
        request = p.ask('robots', `${PLAIN}/robots.txt`).request
      })
      deepEqual(
        found,
        expected.map((promise) => `${promise}@${request}`),
      )
    })
  }
  const least = policy.once.hoursAtLeast * 3_600_000
  again('in the next night, a millisecond under 20 hours', least - 1, ['PR5'])
  again('in the next night, after 20 hours', least, [])
  breaks('a run that calls its night by another name', (p) => [
    ['PR5', p.start('run-misnamed', { night: '2031-06-01' })],
  ])
  breaks('a request of another night than its run', (p) => {
    const sent = { night: '2031-06-01' }
    return [['PR5', p.ask('robots', `${PLAIN}/robots.txt`, {}, { sent }).request]]
  })
})

describe('PR6 one at a time, with a pause', () => {
  breaks('a second request in flight', (p) => {
    p.ask('robots', `${PLAIN}/robots.txt`)
    return [['PR6', p.ask('robots', 'https://www.plain.example/robots.txt').request]]
  })
  const paused = (name: string, afterMs: number, count: number): void => {
    test(name, async () => {
      let request: Position | undefined
      const found = await planted((p) => {
        p.answer(p.ask('robots', `${PLAIN}/robots.txt`).request)
        p.wait(afterMs - 10_000)
        request = p.ask('robots', 'https://www.plain.example/robots.txt').request
      })
      deepEqual(found, count === 0 ? [] : [`PR6@${request}`])
    })
  }
  paused('a millisecond too early', policy.pauseSeconds * 1_000 - 1, 1)
  paused('just in time', policy.pauseSeconds * 1_000, 0)
  breaks('a pause that counts from before the request', (p) => {
    const first = p.ask('robots', `${PLAIN}/robots.txt`).request
    p.wait(3_000).answer(first, 200, '', { next: nextOf(instant(p.now - 3_001 + 5_000)) })
    p.wait(2_000 - 10_000)
    return [['PR6', p.ask('robots', 'https://www.plain.example/robots.txt').request]]
  })
})

describe('PR7 failures in a row', () => {
  const HOSTS = ['', 'a.', 'b.', 'c.', 'd.'].map(
    (host) => `https://${host}plain.example/robots.txt`,
  )
  const failed = (p: Planter, count: number): readonly Position[] =>
    HOSTS.slice(0, count).map((address) => {
      const { request } = p.ask('robots', address)
      p.fail(request)
      return request
    })
  const stop = (p: Planter, requests: readonly Position[]): Position => {
    const site = siteOf(url(PLAIN))
    const { name: programme } = policy
    const strikes = requests.length
    return p.append(
      { type: 'SiteStopped', v: 1, programme, site, strikes, requests },
      siteStream(site),
    )
  }
  breaks('a fifth request, stopped or not', (p) => {
    failed(p, 4)
    return [['PR7', p.ask('robots', HOSTS[4] ?? '').request]]
  })
  breaks('a request after the stop', (p) => {
    stop(p, failed(p, 4))
    return [['PR7', p.ask('robots', HOSTS[4] ?? '').request]]
  })
  breaks('a stop after three failures', (p) => [['PR7', stop(p, failed(p, 3))]])
  breaks('a stop for other requests', (p) => {
    failed(p, 4)
    const others = past.filter(({ event }) => event.type === 'RequestSent').slice(0, 4)
    return [
      [
        'PR7',
        stop(
          p,
          others.map(({ position }) => position),
        ),
      ],
    ]
  })
  keeps('a request after a person resumed the site', (p) => {
    stop(p, failed(p, 4))
    p.act('SiteResumed', 'plain.example')
    p.ask('robots', HOSTS[4] ?? '')
  })
  keeps('three failures, an answer, one more', (p) => {
    failed(p, 3)
    p.answer(p.ask('robots', HOSTS[3] ?? '').request, 404)
    p.fail(p.ask('robots', HOSTS[4] ?? '').request)
    p.ask('robots', 'https://e.plain.example/robots.txt')
  })
  breaks('answers of 5xx count', (p) => {
    for (const address of HOSTS.slice(0, 4)) p.answer(p.ask('robots', address).request, 500)
    return [['PR7', p.ask('robots', HOSTS[4] ?? '').request]]
  })
})

describe('PR8 Crawl-delay', () => {
  const delayed = (seconds: number): string => `User-agent: *\nCrawl-delay: ${seconds}\n`
  const change = (seconds: number) => ({ change: { crawlDelayMs: seconds * 1_000 } })
  breaks('a millisecond too early', (p) => {
    p.robots(PLAIN, delayed(20), change(20)) // 10 s pass by themselves
    p.wait(9_999)
    return [['PR8', p.ask('ads-txt', `${PLAIN}/ads.txt`).request]]
  })
  keeps('waited in full', (p) => {
    p.robots(PLAIN, delayed(20), change(20))
    p.wait(10_000).ask('ads-txt', `${PLAIN}/ads.txt`)
  })
  breaks('a site that wants more than is waited', (p) => {
    p.robots(PLAIN, delayed(31), change(31))
    return [['PR8', p.wait(60_000).ask('ads-txt', `${PLAIN}/ads.txt`).request]]
  })
  breaks('a delay that was misread', (p) => {
    p.robots(PLAIN, delayed(20))
    const read = present(p.recorded.at(-1), 'read').position
    return [
      ['PR8', read],
      ['PR8', p.ask('ads-txt', `${PLAIN}/ads.txt`).request],
    ]
  })
  breaks('a delay of another origin of the site', (p) => {
    p.robots(PLAIN)
    p.robots('https://www.plain.example', delayed(20), change(20))
    return [['PR8', p.ask('ads-txt', `${PLAIN}/ads.txt`).request]]
  })
  breaks('a delay read behind a redirect to another site', (p) => {
    const first = p.ask('robots', `${PLAIN}/robots.txt`).request
    p.redirect(first, 'https://hosted.example/robots.txt')
    const of = { subject: 'plain.example', hop: 1, via: first, target: `${PLAIN}/robots.txt` }
    p.wait(-10_000)
    const { request } = p.ask('robots', 'https://hosted.example/robots.txt', of)
    p.answer(request, 200, delayed(20))
    p.read(PLAIN, request, { crawlDelayMs: 20_000 })
    return [['PR8', p.ask('ads-txt', `${PLAIN}/ads.txt`).request]]
  })
})

describe('PR9 backing off', () => {
  const after = (
    name: string,
    status: number,
    headers: readonly (readonly [string, string])[],
    more: object = {},
  ) =>
    breaks(`a request after ${name}`, (p) => {
      p.robots(PLAIN)
      const { request } = p.ask('ads-txt', `${PLAIN}/ads.txt`)
      p.answer(request, status, '', { headers: headers.map(([a, b]) => [a, b]), ...more })
      return [['PR9', p.ask('homepage', `${PLAIN}/`).request]]
    })
  after('429', 429, [])
  after('503 with Retry-After', 503, [['Retry-After', '1']])
  after('a long Retry-After', 200, [['Retry-After', '31']])
  after('a short Retry-After that is not over', 200, [['retry-after', '20']])
  after('a refusal', 403, [], {
    refusal: { kind: 'status', signature: 'status-403-v1', evidence: '' },
  })
  const nextNight = (name: string, seconds: number, count: number): void => {
    test(name, async () => {
      let request: Position | undefined
      const found = await planted((p) => {
        const first = p.ask('robots', `${PLAIN}/robots.txt`).request
        p.answer(first, 429, '', { headers: [['Retry-After', String(seconds)]] })
        p.wait(86_400_000 - 10_000).start('run-next')
        request = p.ask('robots', `${PLAIN}/robots.txt`).request
      })
      deepEqual(found, count === 0 ? [] : [`PR9@${request}`])
    })
  }
  nextNight('the next night may ask', 60, 0)
  nextNight('not if Retry-After is longer', 86_401, 1)
  keeps('a 503 without a word is no instruction', (p) => {
    p.robots(PLAIN)
    p.answer(p.ask('ads-txt', `${PLAIN}/ads.txt`).request, 503)
    p.ask('homepage', `${PLAIN}/`)
  })
})

describe('PR10 robots.txt that could not be reached', () => {
  breaks('ads.txt after a failure', (p) => {
    p.fail(p.ask('robots', `${PLAIN}/robots.txt`).request)
    p.read(PLAIN, null, { access: 'unreachable' })
    return [['PR10', p.ask('ads-txt', `${PLAIN}/ads.txt`).request]]
  })
  for (const [status, access] of [
    [503, 'unavailable'],
    [429, 'unavailable'],
    [206, 'rules'],
    [404, 'rules'],
  ] as const) {
    const stricter = status === 404
    const name = `an answer of ${status} taken for ${access}`
    const plant = (p: Planter): readonly (readonly [string, Position])[] => {
      const { request } = p.ask('robots', `${PLAIN}/robots.txt`)
      p.answer(request, status)
      return [['PR10', p.read(PLAIN, request, { access, commit: null })]]
    }
    if (stricter) keeps(name, plant)
    else breaks(name, plant)
  }
})

const answeredWith = (commit: Digest) =>
  ({
    type: 'FetchConcluded',
    v: 1,
    outcome: 'answered',
    because: '',
    hops: 0,
    redirects: [],
    reused: false,
    status: 200,
    headers: [],
    commit,
    truncated: false,
  }) as const

describe('PR11, PR12, PR13 what is kept and sent', () => {
  breaks('a robots.txt that was not kept', (p) => {
    const { request } = p.ask('robots', `${PLAIN}/robots.txt`)
    const body = { kept: false, reason: 'discarded-by-policy' } as const
    return [['PR11', p.answer(request, 200, '', { body })]]
  })
  breaks('an ads.txt that was cut short of its limit', (p) => {
    p.robots(PLAIN)
    const { request } = p.ask('ads-txt', `${PLAIN}/ads.txt`)
    const commit = p.keep('cut')
    const body = { kept: true, alg: 'sha256-salt32', commit, bytes: 3, truncated: true } as const
    return [['PR11', p.answer(request, 200, '', { body })]]
  })
  const homepage = (p: Planter): Position => {
    p.robots(PLAIN)
    return p.ask('homepage', `${PLAIN}/`).request
  }
  breaks('a homepage that was kept', (p) => {
    const commit = p.keep('<p>')
    const body = { kept: true, alg: 'sha256-salt32', commit, bytes: 3, truncated: false } as const
    return [['PR12', p.answer(homepage(p), 200, '', { body })]]
  })
  for (const status of [200, 404])
    (status === 200 ? breaks : keeps)(`a homepage that ads.txt led to, answered ${status}`, (p) => {
      p.robots(PLAIN)
      const first = p.ask('ads-txt', `${PLAIN}/ads.txt`).request
      p.redirect(first, `${PLAIN}/`)
      const of = { hop: 1, via: first, target: `${PLAIN}/ads.txt` }
      const { request } = p.ask('ads-txt', `${PLAIN}/`, of)
      return [['PR12', p.answer(request, status, '<p>')]]
    })
  breaks('a conclusion about a homepage that names a body', (p) => {
    const request = homepage(p)
    p.answer(request)
    const about = { programme: policy.name, subject: siteOf(url(PLAIN)), night: p.night, request }
    const page = { purpose: 'homepage', target: url(`${PLAIN}/`), url: url(`${PLAIN}/`) } as const
    const commit = p.keep('<p>')
    const event = { ...about, ...page, ...answeredWith(commit) }
    const position = p.append(event, siteStream(siteOf(url(PLAIN))))
    return [
      ['CL1', position],
      ['PR12', position],
    ]
  })
  for (const name of ['ETag', 'Content-Length', 'Digest', 'Link'])
    breaks(`the ${name} of a homepage`, (p) => [
      ['PR12', p.answer(homepage(p), 200, '', { headers: [[name, 'x']] })],
    ])
  breaks('more than host names of a homepage', (p) => {
    const request = homepage(p)
    p.answer(request)
    const site = siteOf(url(PLAIN))
    const seen = { manager: null, exchange: [], hosts: ['a headline'], hostsOmitted: 0 }
    const about = { programme: policy.name, subject: site, request, night: p.night, reader: 'x@1' }
    const event = { type: 'NetworkObserved', v: 1, read: 'read', ...about, ...seen } as const
    return [['PR12', p.append(event, siteStream(site))]]
  })
  for (const name of ['Cookie', 'Authorization', 'Referer', 'Content-Type'])
    breaks(`a request with ${name}`, (p) => {
      const headers: [string, string][] = [
        ['user-agent', policy.userAgent],
        [name, 'x'],
      ]
      return [['PR13', p.ask('robots', `${PLAIN}/robots.txt`, {}, { sent: { headers } }).request]]
    })
  breaks('the value of a cookie', (p) => {
    const { request } = p.ask('robots', `${PLAIN}/robots.txt`)
    return [['PR13', p.answer(request, 200, '', { headers: [['Set-Cookie', 'id=1']] })]]
  })
})

describe('PR15 exclusion', () => {
  breaks('a request to any host of an excluded site', (p) => {
    p.act('SiteExcluded', 'plain.example')
    return [['PR15', p.ask('robots', 'https://www.plain.example/robots.txt').request]]
  })
  breaks('a listing of an excluded site', (p) => {
    p.act('SiteExcluded', 'plain.example')
    const listed = present(
      past.find(({ event }) => event.type === 'SiteListed' && event.site === 'plain.example'),
      'a listing',
    )
    // The file it rests on is still among the newest ones of its network.
    return [['PR15', p.append(listed.event, listed.stream)]]
  })
  breaks('an exclusion that a run lifted', (p) => {
    p.act('SiteExcluded', 'plain.example')
    return [['PR15', p.act('SiteReadmitted', 'plain.example', p.run)]]
  })
  keeps('a readmission by a person', (p) => {
    p.act('SiteExcluded', 'plain.example')
    p.act('SiteReadmitted', 'plain.example')
    p.ask('robots', 'https://www.plain.example/robots.txt')
  })
})

describe('PR16 traced to seller entries', () => {
  breaks('a site that nobody named', (p) => [
    ['PR16', p.ask('robots', 'https://unnamed.example/robots.txt').request],
  ])
  const listing = (p: Planter, change: object): Position => {
    const listed = present(
      past.find(({ event }) => event.type === 'SiteListed' && event.site === 'plain.example'),
      'a listing',
    )
    ok(listed.event.type === 'SiteListed')
    const [naming] = listed.event.namedBy
    return p.append(
      { ...listed.event, namedBy: [{ ...present(naming, 'a naming'), ...change }] },
      listed.stream,
    )
  }
  breaks('a listing for an entry about another domain', (p) => [
    ['PR16', listing(p, { domain: 'other.example' })],
  ])
  breaks('a listing for a source that is on no list', (p) => [
    ['PR16', listing(p, { source: 'nobody' })],
  ])
  breaks('a listing for a request that was no sellers.json', (p) => [
    ['PR16', listing(p, { request: p.ask('robots', `${PLAIN}/robots.txt`).request })],
  ])
})

test('PR1, PR16: a source list holds for as long as no other is adopted, whatever other programmes do', async () => {
  const planter = new Planter(past, world)
  const { event } = present(
    past.find((one) => one.event.type === 'SourceListAdopted'),
    'a list',
  )
  ok(event.type === 'SourceListAdopted')
  for (let i = 0; i < 20; i += 1) {
    const other = { ...event, programme: 'other', digest: sha256Hex(String(i)) }
    planter.append(other, programmeStream('other'))
  }
  planter.start('run-after')
  planter.robots('https://adnet.example')
  planter.ask('sellers-json', 'https://adnet.example/sellers.json')
  deepEqual(breachesOf(await promisesOf(planter.recorded, world)), [])
  const foreign = planter.ask('sellers-json', 'https://plain.example/sellers.json').request
  const found = breachesOf(await promisesOf(planter.recorded, world))
  ok(found.includes(`PR1@${foreign}`))
})

describe('CL1 each step before the next', () => {
  breaks('a request without a decision about it', (p) => {
    const decided = { url: url(`${PLAIN}/else`) }
    return [['CL1', p.ask('robots', `${PLAIN}/robots.txt`, {}, { decided }).request]]
  })
  breaks('a request on an old decision', (p) => {
    const { decision, request } = p.ask('robots', `${PLAIN}/robots.txt`)
    p.answer(request)
    p.wait(86_400_000).start('run-later')
    return [['CL1', p.ask('robots', `${PLAIN}/robots.txt`, {}, { sent: { decision } }).request]]
  })
  breaks('a second end', (p) => {
    const { request } = p.ask('robots', `${PLAIN}/robots.txt`)
    p.answer(request)
    return [['CL1', p.answer(request)]]
  })
  breaks('an end of another address', (p) => {
    const { request } = p.ask('robots', `${PLAIN}/robots.txt`)
    return [['CL1', p.answer(request, 404, '', { url: url(`${PLAIN}/else`) })]]
  })
  breaks('an end of no request', (p) => {
    const { decision, request } = p.ask('robots', `${PLAIN}/robots.txt`)
    return [['CL1', p.answer(request, 404, '', { request: decision })]]
  })
  breaks('a redirect about which nothing was decided', (p) => {
    const { request } = p.ask('robots', `${PLAIN}/robots.txt`)
    p.answer(request, 302)
    p.append(p.decided('robots', `${PLAIN}/robots.txt`), siteStream(siteOf(url(PLAIN))))
    return [['CL1', present(p.recorded.at(-1), 'the decision').position]]
  })
  breaks('a redirect that no answer had sent', (p) => {
    const { request } = p.ask('robots', `${PLAIN}/robots.txt`)
    const decided = p.redirect(request, `${PLAIN}/b`, { from: url(`${PLAIN}/c`) })
    return [['CL1', decided]]
  })
  breaks('a withholding against its decision', (p) => {
    p.robots(PLAIN)
    return [
      ['CL1', p.withhold('homepage', `${PLAIN}/`, {}, { verdict: 'allow', basis: 'no-rule' })],
    ]
  })
  breaks('a conclusion about a request that is open', (p) => {
    const { request } = p.ask('robots', `${PLAIN}/robots.txt`)
    return [['CL1', p.read(PLAIN, request, { access: 'unreachable' })]]
  })
  breaks('a conclusion with other bytes', (p) => {
    const { request } = p.ask('robots', `${PLAIN}/robots.txt`)
    p.answer(request, 200, 'User-agent: *\n')
    return [['CL1', p.read(PLAIN, request, { commit: p.keep('') })]]
  })
  breaks('a request after the end of its run', (p) => {
    p.run = 'run-7'
    return [
      ['CL1', p.ask('robots', `${PLAIN}/robots.txt`, {}, {}).request],
      ['PR5', present(p.recorded.at(-1), 'request').position],
    ]
  })
})

test('parameters are those of the adopted policy, in force when the event was written', async () => {
  const planter = new Planter(past, world)
  const changed = policyText.replace('"pauseSeconds": 5', '"pauseSeconds": 11')
  ok(changed !== policyText)
  const { event } = present(
    past.find((one) => one.event.type === 'ProgrammeAdopted'),
    'adopted',
  )
  ok(event.type === 'ProgrammeAdopted')
  const stream = programmeStream(policy.name)
  const adopted = planter.append({ ...event, policy: changed }, stream)
  planter.start('run-patient', { adopted })
  planter.robots(PLAIN)
  const { request } = planter.ask('ads-txt', `${PLAIN}/ads.txt`)
  deepEqual(breachesOf(await promisesOf(planter.recorded, world)), [`PR6@${request}`])
})

test('only what lies in the window counts; what lies before it is its past', async () => {
  const planter = new Planter(past, world)
  planter.robots(PLAIN)
  const early = planter.ask('homepage', `${PLAIN}/about`).request
  planter.wait(1).answer(early)
  const since = planter.now
  const late = planter.wait(1).ask('robots', `${PLAIN}/robots.txt`).request
  const window = { since, programme: undefined }
  deepEqual(breachesOf(await promisesOf(planter.recorded, world, window)), [`PR5@${late}`])
  const other = { since: undefined, programme: 'pta-karo' }
  deepEqual(breachesOf(await promisesOf(planter.recorded, world, other)), [])
})

test('a breach is told in one sentence that names the address and the numbers', async () => {
  const planter = new Planter(past, world)
  planter.answer(planter.ask('robots', `${PLAIN}/robots.txt`).request)
  planter.wait(4_999 - 10_000)
  const { request } = planter.ask('robots', 'https://www.plain.example/robots.txt')
  const results = await promisesOf(planter.recorded, world)
  const [breach] = results.find(({ promise }) => promise === 'PR6')?.breaches ?? []
  equal(breach?.position, request)
  equal(formatInstant(present(breach, 'a breach').at), formatInstant(planter.now))
  match(breach?.says ?? '', /^https:\/\/www\.plain\.example\/robots\.txt .*4999 ms.*5000 ms/)
})

test('every id of a page stands in the catalogue once, and every rule judges ids of it', () => {
  const ids = Object.values(PROMISES)
    .flat()
    .map(({ id }) => id)
  equal(new Set(ids).size, 17 + 16 + 28 + 6)
  for (const { promises, looksAt } of RULES) {
    ok(looksAt.length > 10 && promises.length > 0)
    for (const id of promises) ok(ids.includes(id), id)
  }
  const judged = new Set(RULES.flatMap(({ promises }) => promises))
  for (const { id, unjudged } of PROMISES.PR) equal(judged.has(id), unjudged === undefined, id)
})
