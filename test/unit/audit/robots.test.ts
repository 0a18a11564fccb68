/**
 * Counterfactual replay: another reader over the very bytes, and what it would have decided. The
 * faults of November 2026 fall out of it, each with its cause (RC27).
 */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { fileKinds } from '../../../src/audit/file-kind.ts'
import type { Position } from '../../../src/kernel/position.ts'
import type { Recorded } from '../../../src/ledger/entry.ts'
import { firstReader, type RobotsReader } from '../../../src/robots/reader.ts'
import { secondReader } from '../../../src/robots/second-reader.ts'
import { fullHistory } from '../../support/audit-history.ts'
import { Planter } from '../../support/audit-planter.ts'
import {
  type AuditWorld,
  breachesOf,
  differencesOf,
  promisesOf,
} from '../../support/audit-world.ts'

let world: AuditWorld
let past: readonly Recorded[]
before(async () => {
  world = await fullHistory()
  past = await world.events()
})

const compared = (recorded: readonly Recorded[], reader = firstReader) =>
  differencesOf(recorded, world, reader)

/** `position cause` of each difference. */
const shortly = async (planter: Planter, reader?: RobotsReader): Promise<readonly string[]> =>
  (await compared(planter.recorded, reader)).list.map(
    ({ position, cause }) => `${position} ${cause}`,
  )

const SITE = 'https://plain.example'
/** Each of them disallows the root, and a careless reader sees no rule. */
const MISREAD = {
  'blank-line-in-group': 'User-agent: *\n\nDisallow: /\n',
  'byte-order-mark': '\u00ef\u00bb\u00bfUser-agent: *\nDisallow: /\n',
  'one-line': 'User-agent: * Disallow: /\n',
} as const

/** A page asked by a decision to allow, as a faulty reader made it. */
const asked = (p: Planter, origin: string, body: string): Position => {
  p.robots(origin, body)
  return p.ask('homepage', `${origin}/`, {}, { decided: { basis: 'no-group' } }).request
}

test('a good history reads the same again, by the reader that decided', async () => {
  const { list, totals } = await compared(past)
  deepEqual(list, [])
  const { judged, wouldRefuse, wouldAllow, declined, gone } = totals
  deepEqual([wouldRefuse, wouldAllow, declined, gone], [0, 0, 0, 0])
  const byRules = past.filter(
    ({ event }) =>
      event.type === 'RobotsDecided' && ['rule', 'no-rule', 'no-group'].includes(event.basis),
  )
  ok(judged > 20)
  equal(judged, byRules.length)
})

describe('RC27 the faults of November 2026', () => {
  for (const [kind, body] of Object.entries(MISREAD))
    test(`a misread file: ${kind}`, async () => {
      const planter = new Planter(past, world)
      const request = asked(planter, SITE, body)
      const { list, totals } = await compared(planter.recorded)
      equal(list.length, 1)
      const [found] = list
      deepEqual(
        [found?.position, found?.sent, found?.cause, found?.decided.verdict, found?.other.verdict],
        [request, true, 'misread-file', 'allow', 'deny'],
      )
      ok(
        found?.kinds.some((one) => one === kind),
        found?.kinds.join(),
      )
      ok((found?.other.line ?? 0) > 0)
      equal(totals.wouldRefuse, 1)
      equal(totals.causes['misread-file'], 1)
    })

  test('a redirect to another host whose file was not read', async () => {
    const planter = new Planter(past, world)
    const own = planter.robots(SITE)
    const first = planter.ask('homepage', `${SITE}/`).request
    planter.redirect(first, 'https://www.plain.example/')
    const of = { hop: 1, via: first, target: `${SITE}/` }
    const decided = { robots: own, access: 'rules' } as const
    const { request } = planter.ask('homepage', 'https://www.plain.example/', of, { decided })
    const { list, totals } = await compared(planter.recorded)
    deepEqual(
      list.map(({ position, cause, other }) => [position, cause, other.verdict]),
      [[request, 'redirect-to-unread-host', 'unread']],
    )
    equal(totals.causes['redirect-to-unread-host'], 1)
  })

  test('the same with no decision by any file', async () => {
    const planter = new Planter(past, world)
    planter.robots(SITE)
    const first = planter.ask('homepage', `${SITE}/`).request
    planter.redirect(first, 'https://www.plain.example/')
    const of = { hop: 1, via: first, target: `${SITE}/` }
    const { request } = planter.ask('homepage', 'https://www.plain.example/', of)
    deepEqual(await shortly(planter), [`${request} redirect-to-unread-host`])
  })

  test('a file read from the wrong port', async () => {
    const planter = new Planter(past, world)
    const other = planter.robots(`${SITE}:8443`)
    const decided = { robots: other, access: 'rules' } as const
    const { request } = planter.ask('homepage', `${SITE}/`, {}, { decided })
    deepEqual(await shortly(planter), [`${request} file-of-another-port`])
  })

  test('the file of the wrong port, while the right one disallows', async () => {
    const planter = new Planter(past, world)
    const other = planter.robots(`${SITE}:8443`)
    planter.robots(SITE, 'User-agent: *\nDisallow: /\n')
    const { request } = planter.ask('homepage', `${SITE}/`, {}, { decided: { robots: other } })
    const { list } = await compared(planter.recorded)
    deepEqual(
      list.map(({ position, cause, other: { verdict, line } }) => [position, cause, verdict, line]),
      [[request, 'file-of-another-port', 'deny', 2]],
    )
  })

  test('the file of another host, without a redirect', async () => {
    const planter = new Planter(past, world)
    const other = planter.robots('https://shut.example')
    const decided = { robots: other, access: 'rules' } as const
    const { request } = planter.ask('homepage', `${SITE}/`, {}, { decided })
    deepEqual(await shortly(planter), [`${request} file-of-another-host`])
  })

  test('twenty requests, by cause; and the promises they broke', async () => {
    const planter = new Planter(past, world)
    const requests: Position[] = []
    for (const [i, body] of Object.values(MISREAD).entries())
      for (let n = 0; n < 5; n += 1)
        requests.push(asked(planter, `https://h${i}-${n}.plain.example`, body))
    for (let n = 0; n < 4; n += 1) {
      const from = `https://from-${n}.plain.example`
      const to = `https://to-${n}.plain.example`
      const own = planter.robots(from)
      const first = planter.ask('homepage', `${from}/`).request
      planter.redirect(first, `${to}/`)
      const decided = { robots: own, access: 'rules' } as const
      const of = { hop: 1, via: first, target: `${from}/` }
      requests.push(planter.ask('homepage', `${to}/`, of, { decided }).request)
    }
    const other = planter.robots(`${SITE}:8443`)
    const decided = { robots: other, access: 'rules' } as const
    requests.push(planter.ask('homepage', `${SITE}/`, {}, { decided }).request)
    const { list, totals } = await compared(planter.recorded)
    deepEqual(
      list.map(({ position }) => position),
      requests,
    )
    equal(totals.wouldRefuse, 20)
    deepEqual(totals.causes, {
      'misread-file': 15,
      'redirect-to-unread-host': 4,
      'file-of-another-port': 1,
      'file-of-another-host': 0,
    })
    const broken = breachesOf(await promisesOf(planter.recorded, world))
    for (const request of requests)
      ok(broken.includes(`PR2@${request}`) || broken.includes(`PR3@${request}`), `${request}`)
  })
})

test('a request withheld that the other reader would have allowed', async () => {
  // A Crawl-delay between two User-agent lines: robots-parser takes it for the end of the group.
  const body = 'User-agent: PlainReckonerBot\nCrawl-delay: 1\nUser-agent: x\nDisallow: /\n'
  const planter = new Planter(past, world)
  planter.robots(SITE, body)
  const withheld = planter.withhold('homepage', `${SITE}/`)
  deepEqual((await compared(planter.recorded)).list, [])
  const { list, totals } = await compared(planter.recorded, secondReader)
  deepEqual(
    list.map(({ position, sent, other }) => [position, sent, other.verdict]),
    [[withheld, false, 'allow']],
  )
  ok(list[0]?.kinds.some((kind) => kind === 'other-record-in-group'))
  deepEqual([totals.wouldAllow, totals.wouldRefuse], [1, 0])
})

test('what the reader cannot take, or the store no longer has, is counted and not judged', async () => {
  const long = `User-agent: *\nDisallow: /${'*a'.repeat(20_000)}\n`
  const planter = new Planter(past, world)
  planter.robots(SITE, long)
  planter.ask('homepage', `${SITE}/`)
  const declined = await compared(planter.recorded, secondReader)
  equal(declined.totals.declined, 1)
  const before = (await compared(past)).totals.judged
  const kept = new Map(world.stored)
  world.stored.clear()
  const gone = await compared(past)
  for (const [commit, body] of kept) world.stored.set(commit, body)
  deepEqual([gone.totals.judged, gone.totals.gone], [0, before])
})

test('exempt files, and files that are not there, rest on no rule', async () => {
  const planter = new Planter(past, world)
  planter.robots(SITE, 'User-agent: *\nDisallow: /\n')
  planter.ask('ads-txt', `${SITE}/ads.txt`)
  planter.robots('https://www.plain.example', '', { status: 404 })
  planter.ask('homepage', 'https://www.plain.example/', {}, { decided: { basis: 'unavailable' } })
  deepEqual(await shortly(planter), [])
})

test('the window and the programme', async () => {
  const planter = new Planter(past, world)
  asked(planter, SITE, MISREAD['one-line'])
  const run = (window: { since: Recorded['ts'] | undefined; programme: string | undefined }) =>
    differencesOf(planter.recorded, world, firstReader, window)
  const since = planter.now
  equal((await run({ since, programme: undefined })).list.length, 1)
  planter.wait(1)
  equal((await run({ since: planter.now, programme: undefined })).totals.judged, 0)
  equal((await run({ since: undefined, programme: 'pta-karo' })).totals.judged, 0)
})

test('what in a file readers read in different ways', () => {
  const kinds = (text: string) => fileKinds(Buffer.from(text, 'latin1'))
  deepEqual(kinds('User-agent: *\nDisallow: /\n\nUser-agent: a\nDisallow: /b\n'), [])
  deepEqual(kinds('User-agent: *\nSitemap: https://x.example/s\nDisallow: /\n'), [
    'other-record-in-group',
  ])
  deepEqual(kinds('User-agent: *\nDisallow: /a\n\nDisallow: /b\n'), ['blank-line-in-group'])
  deepEqual(kinds('User-agent: *\nDisallow: /%7Ea\n'), ['percent-encoding'])
  ok(kinds('Disallow: /\n').includes('rule-outside-group'))
})
