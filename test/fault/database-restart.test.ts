/**
 * The embedded database ends, or one of its processes does, while a night runs. That all of it is
 * killed at once is one of the blows of kill.test.ts.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { serverProcesses } from '../../src/adapters/postgres/embedded/process.ts'
import {
  assertNoFaults,
  type Campaign,
  dueIn,
  hosts,
  newCampaign,
  unequalProjections,
  wholeLedger,
} from '../support/campaign.ts'
import { clusterOf, kill, onLinux, postmasterPid } from '../support/embedded-server.ts'

const onlyLinux = { skip: onLinux ? false : 'needs /proc' }
const NIGHT = '2031-01-01'
const CLOCK = `simulated:${NIGHT}T01:00:00Z`
/** About so many things the servers notice before the night is half over. */
const UNDER_WAY = 40

const PUBLISHERS = hosts(`
  steady-press.example plain-daily.test no-rules.example by-subdomain.example both-roles.example
  hosted-ads.example ads-hosted.example crawl-delay-30.example refused.example ads-loop.example
`)

/** An orderly, quick end, as of a machine that is shut down. */
const stop = async ({ dataDir }: Campaign): Promise<void> => {
  const postmaster = await postmasterPid(dataDir)
  assert.ok(postmaster !== undefined)
  kill(postmaster, 'SIGINT')
}

/** PostgreSQL then ends all sessions, recovers and goes on by itself. */
const crashOne = async ({ dataDir }: Campaign): Promise<void> => {
  const processes = await serverProcesses(clusterOf(dataDir))
  const titles = await Promise.all(
    processes.map(async (pid) => [pid, await readFile(`/proc/${pid}/cmdline`, 'utf8')] as const),
  )
  const [session] = titles.find(([, title]) => / \[local\] /.test(title)) ?? []
  assert.ok(session !== undefined, 'a session of the server')
  kill(session)
}

for (const [what, happen, mayGoOn] of [
  ['is stopped', stop, false],
  ['loses a process and recovers', crashOne, true],
] as const) {
  test(
    `the database ${what} while a night runs: one clear line, and the next run finishes the night`,
    onlyLinux,
    async (t) => {
      const campaign = await newCampaign(t, PUBLISHERS)
      const programme = await campaign.programme({})
      const crawler = campaign.start(programme, CLOCK)
      await campaign.signs(UNDER_WAY)
      const at = performance.now()
      await happen(campaign)
      const { code, err } = await crawler.ended
      t.diagnostic(`ended with ${code} after ${Math.round(performance.now() - at)} ms`)
      if (!mayGoOn || code !== 0) {
        assert.equal(code, 4, err)
        const said = err.split('\n').filter((line) => line.startsWith('crawl-ledger: '))
        assert.equal(said.length, 1, err)
        assert.match(said[0] ?? '', /^crawl-ledger: the database .+: /)
        t.diagnostic(said[0] ?? '')
        assert.doesNotMatch(err, /\n {4}at /, 'no stack trace')
      }
      const again = await campaign.start(programme, CLOCK).ended
      assert.equal(again.code, 0, again.err)
      await campaign.open(async (opened) => {
        const recorded = await wholeLedger(opened)
        const due = [dueIn(campaign, programme, recorded, { name: NIGHT, indexOf: () => 0 })]
        assertNoFaults({ recorded, seen: campaign.seen(), due, oneClock: false })
        assert.deepEqual(await unequalProjections(opened), [])
      })
    },
  )
}
