/**
 * kill -9 of the crawler, of the database or of both at random moments of rehearsed nights, each night
 * started again until it is done. KILLS (6) is the number of kills, KILL_SEED repeats the choices;
 * how they fall into the crawler's work is the machine's.
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  assertNoFaults,
  type Campaign,
  type Crawler,
  dueIn,
  type Ended,
  hosts,
  killDatabase,
  newCampaign,
  unequalProjections,
  unreadableBodies,
  wholeLedger,
} from '../support/campaign.ts'
import { type Due, exchangesOf } from '../support/campaign-checks.ts'
import { onLinux } from '../support/embedded-server.ts'
import type { Recorded } from '../../src/ledger/entry.ts'

const kills = Number(process.env['KILLS'] ?? 6)
const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000)

/** Park and Miller's generator: numbers from 0 to 1, the same for the same seed. */
const randomFrom = (seed: number): (() => number) => {
  let state = (seed % 2_147_483_646) + 1
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
}

/** Some of everything: steady and changing sites, refusals, outages, redirects inside and out. */
const PUBLISHERS = hosts(`
  steady-press.example plain-daily.test no-rules.example shouted-name.example
  by-subdomain.example in-both-lists.example both-roles.example middleman.example
  leaves-the-list.example joins-late.example shuts-the-door.example blocks-us.example
  crawl-delay-30.example crawl-delay-60.example robots-429.example robots-500.example
  robots-loop.example robots-away.example robots-elsewhere.example refused.example
  reset.example down-four.example tls-expired.example cut-short.example reset-midway.example
  ads-429.example ads-silent.example ads-gzip.example ads-301.example www.ads-301.example
  ads-loop.example hosted-ads.example third-party.example ads-hosted.example
  ads-two-out.example home-www.example www.home-www.example home-captcha-403.example
  home-429.example
`)

const FIRST_NIGHT = Date.UTC(2031, 0, 1)
const DAY_MS = 86_400_000
const nightName = (index: number): string =>
  new Date(FIRST_NIGHT + index * DAY_MS).toISOString().slice(0, 10)
const indexOf = (night: string): number => (Date.parse(night) - FIRST_NIGHT) / DAY_MS

/** About so many things the servers notice in one whole night. */
const SIGNS = 400
/** Longer than a crawler takes until it asks for something. */
const START_UP_MS = 1_200
const ALL_DONE = /sites (\d+)\/\1 /

/** Waits for a moment of the crawler's life: starting, asking, between sources and sites, closing. */
const someMoment = async (
  campaign: Campaign,
  crawler: Crawler,
  random: () => number,
): Promise<void> => {
  const kind = random()
  if (kind < 0.25) return sleep(random() * START_UP_MS)
  if (kind < 0.7) {
    await campaign.signs(1 + Math.floor(SIGNS * random() ** 3))
    // Half of them at the very moment a server notices something.
    return random() < 0.5 ? undefined : sleep(random() * 30)
  }
  if (kind < 0.85) {
    await crawler.said(/sources 2\/2/)
    return sleep(random() * 300)
  }
  await crawler.said(ALL_DONE)
  return sleep(random() * 400)
}

const WHOM = ['crawler', 'crawler', 'crawler', 'crawler', 'crawler', 'both', 'database'] as const
type Whom = (typeof WHOM)[number]

const strike = async (campaign: Campaign, crawler: Crawler, whom: Whom): Promise<void> => {
  if (whom !== 'database') crawler.kill('SIGKILL')
  if (whom !== 'crawler') await killDatabase(campaign)
}

const runAndStrike = async (
  campaign: Campaign,
  crawler: Crawler,
  random: () => number,
): Promise<{ readonly ended: Ended; readonly whom: Whom }> => {
  const whom = WHOM[Math.floor(random() * WHOM.length)] ?? 'crawler'
  await Promise.race([someMoment(campaign, crawler, random), crawler.ended])
  await strike(campaign, crawler, whom)
  return { ended: await crawler.ended, whom }
}

/** Where in its life each killed crawler was, by what it left in the ledger. */
const phasesOf = (recorded: readonly Recorded[], killed: readonly number[]) => {
  const pids = new Map(
    recorded.flatMap(({ run, event }) =>
      event.type === 'RunStarted' ? [[Number(event.process.split('/')[2]), run] as const] : [],
    ),
  )
  const phases = { starting: 0, working: 0, done: 0 }
  for (const pid of killed) {
    const run = pids.get(pid)
    const end = recorded.find(({ run: of, event }) => of === run && event.type === 'RunEnded')
    if (run === undefined) phases.starting += 1
    else if (end?.event.type === 'RunEnded' && end.event.status === 'abandoned') phases.working += 1
    else phases.done += 1
  }
  return phases
}

test(
  `PR5 PR6: kill -9 at ${kills} random moments: nothing unrecorded, lost, doubled or stuck`,
  { skip: onLinux ? false : 'needs /proc' },
  async (t) => {
    t.diagnostic(`KILL_SEED=${seed}`)
    const random = randomFrom(seed)
    const campaign = await newCampaign(t, PUBLISHERS)
    const programme = await campaign.programme({})
    const killed: number[] = []
    const whoms: Record<string, number> = {}
    const due: Due[] = []
    let runs = 0
    for (let night = 0; killed.length < kills; night += 1) {
      campaign.web.startNight(night)
      const name = nightName(night)
      for (let code: number | null = null; code !== 0;) {
        const crawler = campaign.start(programme, `simulated:${name}T01:00:00Z`)
        runs += 1
        const { ended, whom } =
          killed.length < kills
            ? await runAndStrike(campaign, crawler, random)
            : { ended: await crawler.ended, whom: 'nobody' }
        code = ended.code
        if (code === 0) continue
        // Without its database it ends by itself, and says why.
        assert.ok(code === null || (code === 4 && whom === 'database'), ended.err)
        killed.push(crawler.pid)
        whoms[whom] = (whoms[whom] ?? 0) + 1
      }
      await campaign.open(async (opened) => {
        const recorded = await wholeLedger(opened)
        due.push(dueIn(campaign, programme, recorded, { name, indexOf }))
        assertNoFaults({ recorded, seen: campaign.seen(), due, oneClock: false })
      })
    }
    await campaign.open(async (opened) => {
      const recorded = await wholeLedger(opened)
      assert.deepEqual(await unreadableBodies(opened, recorded), [])
      assert.deepEqual(await unequalProjections(opened), [])
      tell(t, { recorded, killed, whoms, runs, nights: due.length })
    })
  },
)

type Story = {
  readonly recorded: readonly Recorded[]
  readonly killed: readonly number[]
  readonly whoms: Readonly<Record<string, number>>
  readonly runs: number
  readonly nights: number
}

const tell = (t: TestContext, { recorded, killed, whoms, runs, nights }: Story): void => {
  const exchanges = exchangesOf(recorded)
  const abandoned = exchanges.filter(({ closings }) =>
    closings.some(({ event }) => event.type === 'RequestAbandoned'),
  )
  const counts = { nights, runs, requests: exchanges.length, abandoned: abandoned.length }
  t.diagnostic(JSON.stringify({ ...counts, events: recorded.length }))
  const phases = phasesOf(recorded, killed)
  t.diagnostic(`killed: ${JSON.stringify({ ...whoms, ...phases })}`)
  // A long campaign that never caught a crawler at work has shown nothing.
  if (killed.length < 50) return
  assert.ok(abandoned.length > 0 && phases.starting > 0 && phases.working > 0 && phases.done > 0)
}
