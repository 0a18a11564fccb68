/**
 * The rules of the two page programmes under their shipped policies: good nights keep every promise,
 * and of each planted breach the audit names just the promises it breaks, at just its position.
 */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { instant } from '../../../src/kernel/instant.ts'
import type { Position } from '../../../src/kernel/position.ts'
import { siteOfHost } from '../../../src/kernel/site.ts'
import type { Header } from '../../../src/kernel/words.ts'
import type { EventOf } from '../../../src/ledger/event.ts'
import { programmeStream, siteStream } from '../../../src/ledger/stream.ts'
import { nightAt } from '../../../src/plan/night.ts'
import type { Planter } from '../../support/audit-planter.ts'
import { type AuditWorld, auditWorld, breachesOf, promisesOf } from '../../support/audit-world.ts'
import { OFFICE, pagePlanter, SHOP } from '../../support/page-planter.ts'

let world: AuditWorld
before(async () => {
  world = await auditWorld({})
})

const PK = 'pta-karo'
const RC = 'public-records-check'
type Programme = Parameters<typeof pagePlanter>[1]
type Expected = readonly (readonly [ids: string, position: Position])[]
type Started = Partial<EventOf<'RunStarted'>>

/** Each plant gives the breaches it expects: none for a history that keeps every promise. */
const plants = (
  name: string,
  programme: Programme,
  plant: (planter: Planter) => Expected,
  run: Started = {},
): void => {
  test(name, async () => {
    const planter = pagePlanter(world, programme, run)
    const expected = plant(planter).flatMap(([ids, position]) =>
      ids.split(' ').map((id) => `${id}@${position}`),
    )
    const results = await promisesOf(planter.recorded, world)
    deepEqual([...breachesOf(results)].toSorted(), expected.toSorted())
    const judged = results.filter(({ promise }) => name.split(' ').includes(promise))
    ok(
      judged.every(({ checked }) => checked > 0),
      'the promise was judged',
    )
  })
}

const inNextNight = (p: Planter, timezone: string, start: string, run = 'run-next'): Planter => {
  p.now = instant(nightAt({ timezone, start }, p.now).endsAt + 3_600_000)
  p.start(run)
  return p
}
const nextInKarachi = (p: Planter): Planter => inNextNight(p, 'Asia/Karachi', '02:30')
const nextInOhio = (p: Planter, run = 'run-next'): Planter =>
  inNextNight(p, 'America/New_York', '01:00', run)

const of = (source: string): { readonly sent: { readonly source: string } } => ({
  sent: { source },
})
const page = (p: Planter, address = `${SHOP}/phones`, source = 'phones'): Position =>
  p.ask('page', address, {}, of(source)).request
const conclude = (
  p: Planter,
  request: Position,
  change: Partial<EventOf<'FetchConcluded'>> = {},
) => {
  const sent = p.recorded[request - 1]?.event
  if (sent?.type !== 'RequestSent') throw new Error('no request')
  const { programme, subject, purpose, target, night, url } = sent
  return p.append(
    {
      type: 'FetchConcluded',
      v: 1,
      programme,
      subject,
      purpose,
      target,
      night,
      outcome: 'answered',
      because: '',
      url,
      hops: 0,
      redirects: [],
      request,
      reused: false,
      status: 200,
      headers: [],
      commit: null,
      truncated: false,
      ...change,
    },
    siteStream(subject),
  )
}
const person = { v: 1, by: 'A. Person', note: null } as const
const shop = siteOfHost('shop.example')

/** A first try that a 503 ended, and the planter at the end of it. */
const busy = (p: Planter, headers: Header[] = [], status = 503): Planter => {
  p.robots(SHOP)
  p.answer(page(p), status, '', { headers })
  return p
}
const again = (p: Planter, attempt: number): Position =>
  p.ask('page', `${SHOP}/phones`, {}, { sent: { source: 'phones', attempt } }).request

describe('PtaKaroBot', () => {
  plants('PK1 PK3 PK6 PK8 PK9 PK14 a night of one job', PK, (p) => {
    p.robots(SHOP)
    const request = page(p)
    p.answer(request)
    conclude(p, request)
    return []
  })
  plants('PK4 PK13 a redirect that stays on the site', PK, (p) => {
    p.robots(SHOP)
    const first = page(p)
    p.redirect(first, `${SHOP}/phones/all`)
    const hop = { hop: 1, via: first, target: `${SHOP}/phones` }
    p.answer(p.ask('page', `${SHOP}/phones/all`, hop, of('phones')).request)
    return []
  })
  plants('PK1 PK3 a page off the source list', PK, (p) => {
    p.robots(SHOP)
    return [['PK1 PK3', page(p, `${SHOP}/cables`)]]
  })
  plants(
    'PK1 PK3 a page of another source than that of the job',
    PK,
    (p) => {
      p.robots(SHOP)
      return [['PK1 PK3', page(p, `${SHOP}/tablets`, 'tablets')]]
    },
    { job: 'phones' },
  )
  plants(
    'PK1 PK3 by hand, a website on no list',
    PK,
    (p) => {
      p.robots(OFFICE)
      const robots = p.ask('robots', 'https://elsewhere.example/robots.txt').request
      return [['PK1 PK3', robots]]
    },
    { kind: 'hand' },
  )
  plants(
    'PK2 by hand, a website allowed for the run',
    PK,
    (p) => {
      p.robots('https://elsewhere.example')
      p.answer(page(p, 'https://elsewhere.example/saved'))
      return []
    },
    { kind: 'hand', also: [siteOfHost('elsewhere.example')] },
  )
  plants(
    'PK2 more than one further website',
    PK,
    (p) => [['PK2', p.recorded.at(-1)?.position ?? p.robots(SHOP)]],
    {
      also: [siteOfHost('elsewhere.example'), siteOfHost('archive.example')],
    },
  )
  plants('PK4 PK13 a redirect off the site that is followed', PK, (p) => {
    p.robots(SHOP)
    p.robots(OFFICE)
    const first = page(p)
    const led = p.redirect(first, `${OFFICE}/records`)
    const { request } = p.ask(
      'page',
      `${OFFICE}/records`,
      { hop: 1, via: first, target: `${SHOP}/phones`, subject: 'shop.example' },
      of('phones'),
    )
    return [
      ['PK13', led],
      ['PK4', request],
    ]
  })
  plants('PK4 a fact from another site', PK, (p) => {
    p.robots(SHOP)
    const request = page(p)
    p.answer(request)
    const sent = p.recorded[request - 1]?.event
    const url = sent?.type === 'RequestSent' ? sent.url.replace('shop', 'office') : ''
    // The address is one of ours: only its host is another.
    return [['PK4', conclude(p, request, { url: url as EventOf<'FetchConcluded'>['url'] })]]
  })
  plants('PK6 a page by the robots.txt of another job', PK, (p) => {
    p.robots(SHOP)
    p.start('run-2', { job: 'tablets' })
    return [['PK6', page(p, `${SHOP}/tablets`, 'tablets')]]
  })
  plants('PK7 by hand, a copy of the last day', PK, (p) => {
    p.robots(SHOP)
    p.wait(24 * 3_600_000 - 20_000).start('run-hand', { kind: 'hand' })
    p.answer(page(p))
    return []
  })
  plants('PK7 by hand, a copy older than a day', PK, (p) => {
    p.robots(SHOP)
    p.wait(24 * 3_600_000).start('run-hand', { kind: 'hand' })
    return [['PK7', page(p)]]
  })
  plants('PK8 a page that the copy of the job disallows', PK, (p) => {
    p.robots(SHOP, 'User-agent: PtaKaroBot\nDisallow: /phones\n')
    return [['PK8', page(p)]]
  })
  plants('PK9 less than three seconds', PK, (p) => {
    p.robots(SHOP)
    p.wait(-8_000)
    return [['PK9', page(p)]]
  })
  plants('PK9 a Crawl-delay that another job of the night read', PK, (p) => {
    p.robots(SHOP, 'User-agent: *\nCrawl-delay: 15\n', { change: { crawlDelayMs: 15_000 } })
    p.start('run-2', { job: 'tablets' })
    return [['PK9', p.ask('robots', `${SHOP}/robots.txt`).request]]
  })
  plants('PK9 a page although the delay is over 120 seconds', PK, (p) => {
    p.robots(SHOP, 'User-agent: *\nCrawl-delay: 121\n', { change: { crawlDelayMs: 121_000 } })
    p.wait(130_000)
    return [['PK9', page(p)]]
  })
  plants('PK10 two more tries, waited for', PK, (p) => {
    busy(p)
    p.answer(again(p, 2), 503)
    p.wait(20_000).answer(again(p, 3))
    return []
  })
  plants('PK10 a third try more', PK, (p) => {
    busy(p)
    p.answer(again(p, 2), 500)
    p.answer(p.wait(20_000) && again(p, 3), 500)
    return [['PK10', again(p.wait(60_000), 4)]]
  })
  plants('PK10 a try before Retry-After is over', PK, (p) => {
    busy(p, [['Retry-After', '30']], 429)
    // Both what it asks for, and the wait before a try.
    return [['PK10 PK10', again(p, 2)]]
  })
  plants('PK10 a second try too soon', PK, (p) => {
    busy(p)
    p.answer(again(p, 2), 500)
    return [['PK10', again(p, 3)]]
  })
  plants('PK10 a try that is not counted', PK, (p) => {
    busy(p, [], 500)
    return [['PK10', again(p, 1)]]
  })
  plants('PK10 a try after what is not tried again', PK, (p) => {
    busy(p, [], 404)
    return [['PK10', again(p, 2)]]
  })
  plants('PK10 another page after a 503 that stayed', PK, (p) => {
    busy(p)
    p.answer(again(p, 2), 503)
    p.wait(20_000).answer(again(p, 3), 503)
    return [['PK10', page(p, `${SHOP}/phones/2`)]]
  })
  plants('PK10 a longer Retry-After is honoured across nights', PK, (p) => {
    busy(p, [['Retry-After', '259200']], 429)
    nextInKarachi(p)
    return [['PK10', p.ask('robots', `${SHOP}/robots.txt`).request]]
  })
  plants('PK11 another job asks after a 403', PK, (p) => {
    busy(p, [], 403)
    p.start('run-2', { job: 'tablets' })
    return [['PK11', p.ask('robots', `${SHOP}/robots.txt`).request]]
  })
  plants('PK11 after a bot check that was answered with 200', PK, (p) => {
    p.robots(SHOP)
    p.answer(page(p), 200, '', {
      refusal: { kind: 'captcha', signature: 'words-v1', evidence: 'are you a human' },
    })
    return [['PK11', page(p, `${SHOP}/phones/2`)]]
  })
  plants('PK11 PK15 the next night asks once more', PK, (p) => {
    busy(p, [], 403)
    nextInKarachi(p).robots(SHOP)
    p.answer(page(p), 403)
    return []
  })
  plants('PK15 a no that is over keeps the site away', PK, (p) => {
    busy(p, [], 403)
    const reason = { reason: 'cooldown', decision: null } as const
    p.withhold('page', `${SHOP}/phones/2`, reason)
    nextInKarachi(p)
    return [['PK15', p.withhold('page', `${SHOP}/phones`, reason)]]
  })
  const etag: Header[] = [['ETag', '"one"']]
  const asking = (p: Planter, value: string): Position =>
    p.ask(
      'page',
      `${SHOP}/phones`,
      {},
      {
        sent: {
          source: 'phones',
          headers: [
            ['user-agent', 'PtaKaroBot/1.0 (+mailto:hello@ptakaro.com)'],
            ['if-none-match', value],
          ],
        },
      },
    ).request
  plants('PK12 a 304 to the ETag of the last visit', PK, (p) => {
    busy(p, etag, 200)
    nextInKarachi(p).robots(SHOP)
    const request = asking(p, '"one"')
    p.answer(request, 304)
    conclude(p, request, { status: 304, commit: p.keep('') })
    return []
  })
  plants('PK12 no validator is sent', PK, (p) => {
    busy(p, etag, 200)
    nextInKarachi(p).robots(SHOP)
    return [['PK12', page(p)]]
  })
  plants('PK12 another validator than that of the last visit', PK, (p) => {
    busy(p, etag, 200)
    nextInKarachi(p).robots(SHOP)
    return [['PK12', asking(p, '"two"')]]
  })
  plants('PK12 a validator of nobody', PK, (p) => {
    p.robots(SHOP)
    return [['PK12', asking(p, '"one"')]]
  })
  plants('PK12 a 304 that is taken for another body', PK, (p) => {
    busy(p, etag, 200)
    nextInKarachi(p).robots(SHOP)
    const request = asking(p, '"one"')
    p.answer(request, 304)
    return [['PK12', conclude(p, request, { status: 304, commit: p.keep('another') })]]
  })
  plants('PK16 a pace and a path that an owner asked for', PK, (p) => {
    p.append({ type: 'SitePaced', ...person, site: shop, seconds: 12 }, siteStream(shop), 'an-act')
    p.append(
      { type: 'PathExcluded', ...person, site: shop, path: '/tab' },
      siteStream(shop),
      'an-act',
    )
    p.robots(SHOP)
    const tooSoon = page(p)
    p.answer(tooSoon)
    const left = page(p.wait(10_000), `${SHOP}/tablets`, 'tablets')
    p.answer(left)
    p.append(
      { type: 'PathReadmitted', ...person, site: shop, path: '/tab' },
      siteStream(shop),
      'an-act',
    )
    p.answer(page(p.wait(10_000), `${SHOP}/tablets`, 'tablets'))
    return [
      ['PK16', tooSoon],
      ['PK16', left],
    ]
  })
  plants('PK16 a site excluded by a person', PK, (p) => {
    p.act('SiteExcluded', 'shop.example')
    return [['PK16', p.ask('robots', `${SHOP}/robots.txt`).request]]
  })
})

describe('public-records-check', () => {
  plants('RC2 RC5 RC8 RC9 RC11 RC13 RC14 RC16 RC17 a night', RC, (p) => {
    p.robots(SHOP)
    p.answer(page(p), 503)
    p.answer(again(p, 2))
    return []
  })
  test('RC1 a source that is neither asked nor withheld, and nights without a run', async () => {
    const p = pagePlanter(world, RC)
    p.robots(SHOP)
    p.answer(page(p))
    p.withhold('page', `${SHOP}/tablets`, { reason: 'budget', decision: null })
    p.withhold('robots', `${OFFICE}/robots.txt`, { reason: 'excluded', decision: null })
    p.wait(86_400_000)
    nextInOhio(p)
    const results = await promisesOf(p.recorded, world)
    const found = results.flatMap(({ promise, breaches }) =>
      breaches.map(({ position, says }) => `${promise} ${position === p.recorded.length} ${says}`),
    )
    deepEqual(found, [
      `RC1 true in the night 2031-01-02 ${SHOP}/phones/2 was neither asked nor withheld`,
      'RC1 true no night was run between 2031-01-02 and 2031-01-04',
    ])
  })
  plants('RC9 a second file of a source in one night', RC, (p) => {
    p.robots(SHOP)
    p.answer(page(p))
    return [['RC9', page(p, `${SHOP}/phones/2`)]]
  })
  plants('RC10 a validator of nobody', RC, (p) => {
    p.robots(SHOP)
    const headers: Header[] = [
      ['user-agent', 'public-records-check/0.1 (+mailto:frankie@outpostagencies.com)'],
      ['if-modified-since', 'Wed, 01 Jan 2031 00:00:00 GMT'],
    ]
    return [['RC10', p.ask('page', `${SHOP}/phones`, {}, { sent: { headers } }).request]]
  })
  plants('RC11 a request after the limit of the night', RC, (p) => {
    p.wait(4 * 3_600_000)
    return [['RC11', p.ask('robots', `${SHOP}/robots.txt`).request]]
  })
  plants(
    'RC11 by hand after the limit, but in the night',
    RC,
    (p) => {
      p.wait(4 * 3_600_000)
      p.robots(SHOP)
      return []
    },
    { kind: 'hand' },
  )
  plants(
    'RC11 a run that goes on past its night',
    RC,
    (p) => {
      p.wait(24 * 3_600_000)
      return [['RC11', p.ask('robots', `${SHOP}/robots.txt`).request]]
    },
    { kind: 'hand' },
  )
  plants('RC13 a failed connection that is tried again', RC, (p) => {
    p.robots(SHOP)
    p.fail(page(p), 'timeout')
    return [['RC13', again(p, 2)]]
  })
  plants('RC13 RC20 a page after a 429 past its tries', RC, (p) => {
    busy(p, [], 429)
    p.answer(again(p, 2), 429)
    p.answer(again(p.wait(20_000), 3), 429)
    return [
      ['RC13 RC20', p.ask('robots', `${OFFICE.replace('office', 'www.shop')}/robots.txt`).request],
    ]
  })
  for (const reason of ['tls', 'reset'] as const)
    plants(`RC20 a page after a connection that ended with ${reason}`, RC, (p) => {
      p.robots(SHOP)
      p.fail(page(p), reason)
      return [['RC20', page(p, `${SHOP}/tablets`, 'tablets')]]
    })
  plants('RC20 RC22 the next night comes back', RC, (p) => {
    p.robots(SHOP)
    p.fail(page(p), 'tls')
    nightTold(p)
    nextInOhio(p).robots(SHOP)
    return []
  })
  plants('RC17 a sixth redirect', RC, (p) => {
    p.robots(SHOP)
    return [['RC17', p.redirect(page(p), '/elsewhere', { hop: 6 })]]
  })
  plants('RC17 a redirect to a host whose robots.txt was not read', RC, (p) => {
    p.robots(SHOP)
    const request = page(p)
    p.redirect(request, `${OFFICE}/records`)
    const hop = { hop: 1, via: request, target: `${SHOP}/phones`, subject: 'shop.example' }
    return [['RC17', p.ask('page', `${OFFICE}/records`, hop, of('phones')).request]]
  })
  plants('RC25 a path left alone', RC, (p) => {
    p.append({ type: 'PathExcluded', ...person, site: shop, path: '/' }, siteStream(shop), 'an-act')
    return [['RC25', p.ask('robots', `${SHOP}/robots.txt`).request]]
  })
  plants(
    'RC28 a visit by hand under another name',
    RC,
    (p) => {
      const headers: Header[] = [['user-agent', 'curl/8']]
      return [
        ['RC2 RC28', p.ask('robots', `${SHOP}/robots.txt`, {}, { sent: { headers } }).request],
      ]
    },
    { kind: 'hand' },
  )
  plants(
    'RC28 a visit by hand that keeps every rule',
    RC,
    (p) => {
      p.robots(SHOP)
      p.answer(page(p, `${SHOP}/found`))
      return []
    },
    { kind: 'hand' },
  )
})

/** What the night owes its other sources (RC1). */
const nightTold = (p: Planter): void => {
  for (const address of [
    `${SHOP}/phones`,
    `${SHOP}/phones/2`,
    `${SHOP}/tablets`,
    `${OFFICE}/records`,
  ])
    p.withhold('page', address, { reason: 'not-read', decision: null })
}

describe('RC23 a source that is not read', () => {
  const mark = (p: Planter, run = 'an-act'): Position =>
    p.append(
      {
        type: 'SourceNotRead',
        v: 1,
        by: 'A. Person',
        reason: 'it says no',
        programme: RC,
        site: siteOfHost('office.example'),
        source: 'office',
      },
      programmeStream(RC),
      run,
    )
  const look = (p: Planter): Position => {
    p.robots(OFFICE)
    const { request } = p.ask('probe', `${OFFICE}/records`, {}, of('office'))
    p.answer(request, 404)
    nightTold(p)
    return request
  }
  plants('RC23 three looks, and a fourth after a week', RC, (p) => {
    mark(p)
    for (let night = 1; night <= 10; night += 1) {
      if (night <= 3 || night === 10) look(p)
      else nightTold(p)
      nextInOhio(p, `run-night-${night}`)
    }
    return []
  })
  plants('RC23 a fourth look on the fourth night', RC, (p) => {
    mark(p)
    const last = [1, 2, 3, 4].map((night) => {
      const request = look(p)
      nextInOhio(p, `run-night-${night}`)
      return request
    })
    return [['RC23', last.at(-1) ?? mark(p)]]
  })
  plants('RC23 its robots.txt on a night without a look', RC, (p) => {
    mark(p)
    for (const night of [1, 2, 3]) {
      look(p)
      nextInOhio(p, `run-night-${night}`)
    }
    return [['RC23', p.ask('robots', `${OFFICE}/robots.txt`, {}, of('office')).request]]
  })
  plants('RC23 it is read all the same', RC, (p) => {
    mark(p)
    p.robots(OFFICE)
    return [['RC23', page(p, `${OFFICE}/records`, 'office')]]
  })
  plants('RC23 a look at a source that nobody marked', RC, (p) => {
    p.robots(OFFICE)
    return [['RC23', p.ask('probe', `${OFFICE}/records`, {}, of('office')).request]]
  })
  plants('RC23 a run marks it', RC, (p) => [['RC23', mark(p, p.run)]])
  plants('RC23 what was looked at is kept', RC, (p) => {
    mark(p)
    p.robots(OFFICE)
    const { request } = p.ask('probe', `${OFFICE}/records`, {}, of('office'))
    const commit = p.keep('records')
    const body = { kept: true, alg: 'sha256-salt32', commit, bytes: 7, truncated: false } as const
    return [['RC23', p.answer(request, 200, '', { body })]]
  })
})

test('PK1 PK3 a purpose that the policy has no rule for is a breach, and does not end the audit', async () => {
  const p = pagePlanter(world, PK)
  p.robots(SHOP)
  const { request } = p.ask(
    'robots',
    `${SHOP}/ads.txt`,
    {},
    { sent: { purpose: 'ads-txt' }, decided: { purpose: 'ads-txt' } },
  )
  const results = await promisesOf(p.recorded, world)
  const found = breachesOf(results)
  ok(found.includes(`PK1@${request}`) && found.includes(`PK3@${request}`))
  equal(
    found.every((one) => one.endsWith(`@${request}`)),
    true,
  )
})
