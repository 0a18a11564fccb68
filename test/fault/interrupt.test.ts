/** Ctrl-C while a night runs: once ends gently, twice at once; the next run finishes the night. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { publisher } from '../../scripts/rehearsal/publisher.ts'
import {
  assertNoFaults,
  type Campaign,
  dueIn,
  hosts,
  newCampaign,
  wholeLedger,
} from '../support/campaign.ts'
import { exchangesOf } from '../support/campaign-checks.ts'

const NIGHT = '2031-01-01'
const CLOCK = `simulated:${NIGHT}T01:00:00Z`
const INTERRUPTED = 5

const SILENT = 'holds-the-line.example'
const silent = publisher({
  host: SILENT,
  about: 'robots.txt: never answered.',
  robots: () => ({ tag: 'silence' }),
})

/** Ctrl-C while the silent site, the first on the list, is asked: most of the night is still to come. */
const interrupted = async (campaign: Campaign, times: 1 | 2, totalMs: number) => {
  const slow = { sitesAtOnce: 2, limits: { totalMs, connectMs: 1_000 } }
  const programme = await campaign.programme(slow)
  const crawler = campaign.start(programme, CLOCK)
  while (!campaign.web.log().some(({ host }) => host === SILENT)) await sleep(5)
  crawler.kill('SIGINT')
  if (times === 2) {
    await crawler.said(/press Ctrl-C again/)
    crawler.kill('SIGINT')
  }
  return crawler.ended
}

const PUBLISHERS = [
  silent,
  ...hosts('steady-press.example plain-daily.test no-rules.example by-subdomain.example'),
]

const assertFinished = async (campaign: Campaign) => {
  const programme = await campaign.programme({})
  const again = await campaign.start(programme, CLOCK).ended
  assert.equal(again.code, 0, again.err)
  const recorded = await campaign.open(wholeLedger)
  const due = [dueIn(campaign, programme, recorded, { name: NIGHT, indexOf: () => 0 })]
  assertNoFaults({ recorded, seen: campaign.seen(), due, oneClock: false })
}

test('SIGINT once: what is under way is finished and closed, the run ends as interrupted', async (t) => {
  const campaign = await newCampaign(t, PUBLISHERS)
  const { code, out, err } = await interrupted(campaign, 1, 1_500)
  assert.equal(code, INTERRUPTED, err)
  assert.match(out, /interrupted/)
  const recorded = await campaign.open(wholeLedger)
  const ends = recorded.flatMap(({ event }) => (event.type === 'RunEnded' ? [event.status] : []))
  assert.deepEqual(ends, ['interrupted'])
  const exchanges = exchangesOf(recorded)
  assertNoFaults({ recorded, seen: campaign.seen(), due: [], oneClock: false })
  // The silent one was waited for to its end, and nothing new was begun after it.
  const last = exchanges.find(({ sent }) => sent.event.url.includes(SILENT))
  assert.deepEqual(
    last?.closings.map(({ event }) => event.type),
    ['RequestFailed'],
  )
  assert.ok(exchanges.every(({ sent }) => !sent.event.url.endsWith('by-subdomain.example/')))
  await assertFinished(campaign)
})

test('SIGINT twice: it ends at once, and the next run closes what was open', async (t) => {
  const campaign = await newCampaign(t, PUBLISHERS)
  const { code, err } = await interrupted(campaign, 2, 600_000)
  assert.equal(code, INTERRUPTED, err)
  await assertFinished(campaign)
  const recorded = await campaign.open(wholeLedger)
  const silentOne = exchangesOf(recorded).find(({ sent }) => sent.event.url.includes(SILENT))
  assert.deepEqual(
    silentOne?.closings.map(({ event }) => event.type),
    ['RequestAbandoned'],
  )
})
