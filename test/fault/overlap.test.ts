/** Crawlers at once over one data directory, on the system clock: one pace a site, whoever asks. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { publisher } from '../../scripts/rehearsal/publisher.ts'
import type { Recorded } from '../../src/ledger/entry.ts'
import type { Policy } from '../../src/programmes/policy.ts'
import {
  assertNoFaults,
  type Campaign,
  type Crawler,
  dueIn,
  hosts,
  newCampaign,
  type Programme,
  wholeLedger,
} from '../support/campaign.ts'
import { exchangesOf } from '../support/campaign-checks.ts'

/** The catalogue's second night, on which ads-silent.example is silent. */
const SECOND_NIGHT = 1

/** A night that began twelve hours ago: no test runs into the next one. */
const longBegun = (): Policy['night'] => ({
  timezone: 'UTC',
  start: new Date(Date.now() - 12 * 3_600_000).toISOString().slice(11, 16),
  limitMinutes: null,
})

const SECOND_BOT: Partial<Policy> = {
  name: 'second-bot',
  title: 'SecondBot',
  userAgent: 'SecondBot/1.0 (+mailto:contact@second-bot.example)',
  robotsToken: 'SecondBot',
}

const nightOf = (recorded: readonly Recorded[], { policy }: Programme): string => {
  const started = recorded.findLast(
    ({ event }) => event.type === 'RunStarted' && event.programme === policy.name,
  )
  assert.ok(started?.event.type === 'RunStarted')
  return started.event.night
}

const assertHolds = (
  campaign: Campaign,
  recorded: readonly Recorded[],
  programmes: readonly Programme[],
): void => {
  const due = programmes.map((programme) =>
    dueIn(campaign, programme, recorded, {
      name: nightOf(recorded, programme),
      indexOf: () => SECOND_NIGHT,
    }),
  )
  for (const { sites } of due) assert.ok(sites.length > 0)
  const seen = campaign.seen()
  assertNoFaults({ recorded, seen, due, oneClock: true })
}

const assertCompleted = async (...crawlers: readonly Crawler[]): Promise<void> => {
  for (const { code, err } of await Promise.all(crawlers.map(({ ended }) => ended)))
    assert.equal(code, 0, err)
}

test('PR5 PR6: two programmes, one of them twice, at once: one request open to a site, one pace, each file once', async (t) => {
  const campaign = await newCampaign(
    t,
    hosts(`
      steady-press.example plain-daily.test in-both-lists.example ads-silent.example
      hosted-ads.example ads-hosted.example ads-two-out.example third-party.example
    `),
  )
  campaign.web.startNight(SECOND_NIGHT)
  const changed = { pauseSeconds: 1, night: longBegun() }
  const first = await campaign.programme(changed)
  const second = await campaign.programme({ ...changed, ...SECOND_BOT })
  await assertCompleted(...[first, second, first].map((each) => campaign.start(each, 'system')))
  const recorded = await campaign.open(wholeLedger)
  assertHolds(campaign, recorded, [first, second])
  const ends = recorded.filter(({ event }) => event.type === 'RunEnded')
  const starts = recorded.filter(({ event }) => event.type === 'RunStarted')
  assert.equal(ends.length, 3)
  assert.ok(Math.max(...starts.map(({ ts }) => ts)) < Math.min(...ends.map(({ ts }) => ts)))
})

const SILENT = 'holds-the-line.example'
/** Longer than any of these tests: who asked stays with the request open until it is killed. */
const PATIENT = { totalMs: 600_000, connectMs: 10_000 }
/** Half the lease of a claim: who takes a site over sooner did not wait for the lease to run out. */
const HALF_LEASE_MS = 30_000

const isOpenTo = ({ web }: Campaign, path: string): boolean =>
  web.log().some((line) => line.host === SILENT && line.path === path && line.endedAt === null)

for (const [survivor, change] of [
  ['another programme', SECOND_BOT],
  ['the same programme', {}],
] as const) {
  test(`PR6: a crawler killed with a request open: ${survivor}, running meanwhile, takes the site over at once`, async (t) => {
    const silent = publisher({
      host: SILENT,
      about: 'ads.txt: never answered.',
      adsTxt: () => ({ tag: 'silence' }),
    })
    const campaign = await newCampaign(t, [silent, ...hosts('steady-press.example')])
    campaign.web.startNight(SECOND_NIGHT)
    const changed = { pauseSeconds: 1, night: longBegun() }
    const programme = await campaign.programme(changed)
    const patient = await campaign.programme({ ...changed, limits: PATIENT }, 'patient.json')
    const dying = campaign.start(patient, 'system')
    while (!isOpenTo(campaign, '/ads.txt')) await sleep(10)
    const other = await campaign.programme({ ...changed, ...change })
    const surviving = campaign.start(other, 'system')
    await surviving.said(/sources 2\/2/)
    // Time for the survivor to come to the open site, as a rule: what follows holds anyway.
    await sleep(1_000)
    assert.ok(isOpenTo(campaign, '/ads.txt'))
    const killedAt = Date.now()
    dying.kill('SIGKILL')
    await assertCompleted(surviving)
    // Whoever runs next closes the run of the dead one.
    await assertCompleted(campaign.start(programme, 'system'))
    const recorded = await campaign.open(wholeLedger)
    assertHolds(campaign, recorded, [programme, other])
    const abandoned = exchangesOf(recorded).filter(({ closings }) =>
      closings.some(({ event }) => event.type === 'RequestAbandoned'),
    )
    assert.equal(abandoned.length, 1)
    const [closing] = abandoned[0]?.closings ?? []
    assert.equal(abandoned[0]?.process, dying.pid)
    const startedBy = recorded.find(
      ({ event, run }) => event.type === 'RunStarted' && run === closing?.run,
    )?.event
    assert.ok(startedBy?.type === 'RunStarted' && closing !== undefined)
    assert.equal(Number(startedBy.process.split('/')[2]), surviving.pid)
    assert.ok(closing.ts - killedAt < HALF_LEASE_MS)
  })
}
