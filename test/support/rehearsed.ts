/**
 * Thirty rehearsed nights, lived through once a test process: the catalogue's web on real sockets,
 * an embedded PostgreSQL, body files, and the very functions of the `rehearse` verb. People act in
 * between, projections are rebuilt, and after one night everything is closed and opened again.
 */
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { PROJECTIONS } from '../../projections/index.ts'
import type { AccessLine } from '../../scripts/rehearsal/access-log.ts'
import { CATALOGUE } from '../../scripts/rehearsal/catalogue/index.ts'
import { networkHosts } from '../../scripts/rehearsal/networks.ts'
import { allowAll, type Publisher, publisher } from '../../scripts/rehearsal/publisher.ts'
import { redirect, type Reply } from '../../scripts/rehearsal/reply.ts'
import { type RehearsalWeb, startRehearsalWeb } from '../../scripts/rehearsal/web.ts'
import { recordAct } from '../../src/cli/acts/record.ts'
import type { Io } from '../../src/cli/command.ts'
import { programmeOf } from '../../src/cli/programme.ts'
import { rehearsalOf, rehearseNight } from '../../src/cli/rehearsal.ts'
import { compose, type Opened } from '../../src/compose.ts'
import { type Config, configOf } from '../../src/config.ts'
import { present } from '../../src/kernel/assert.ts'
import type { Instant } from '../../src/kernel/instant.ts'
import { siteOfHost } from '../../src/kernel/site.ts'
import type { Recorded } from '../../src/ledger/entry.ts'
import type { Policy } from '../../src/programmes/policy.ts'
import { catchUp } from '../../src/shell/projecting/catch-up.ts'
import { rebuild } from '../../src/shell/projecting/rebuild.ts'
import type { RunReport } from '../../src/shell/run.ts'
import { right } from './either.ts'
import { durability, type Durability } from './rehearsal-durability.ts'

export const NIGHTS = 30
export const SEED = 1
export const DAY_MS = 86_400_000
const BEFORE_THE_FIRST = '2031-01-01T00:30:00Z'
const FIRST_NIGHT = Date.parse('2031-01-01T01:00:00Z')

/** The night of the rehearsal, from 1, that a moment falls into. */
export const nightOf = (moment: number): number => Math.floor((moment - FIRST_NIGHT) / DAY_MS) + 1

/** What people do, each after the end of that night; `duringNight` between two requests of it. */
export const ACTS = {
  /** Excluded, dropped by its network, named again by the other one, readmitted. */
  leaver: { host: 'asks-to-leave.example', excludedAfter: 8, readmittedAfter: 20 },
  /** Excluded while the first request of its night is open. */
  abrupt: { host: 'asks-at-once.example', duringNight: 10 },
  /** Down on nights 2–5, so stopped; a person resumes it. */
  resumed: { host: 'down-four.example', after: 12 },
} as const
/** Projections are caught up after these nights, rebuilt after one, and all is reopened after one. */
const CAUGHT_UP_AFTER: readonly number[] = [5, 11, 19]
export const REBUILT_AFTER = 14
export const REOPENED_AFTER = 16

export type Rehearsed = {
  readonly data: string
  readonly opened: Opened
  readonly policy: Policy
  readonly web: Pick<RehearsalWeb, 'log' | 'connections' | 'secrets'>
  readonly hosts: readonly Publisher[]
  readonly recorded: readonly Recorded[]
  /** One a night. */
  readonly reports: readonly RunReport[]
  /** Requests that left before their RequestSent was durable. */
  readonly unwritten: readonly string[]
  /** How many lines the access log had before and after the projections were rebuilt. */
  readonly linesAroundRebuild: readonly [number, number]
  /** What the server of that line replied; undefined where it never came to a reply. */
  readonly replyTo: (line: AccessLine) => Reply
}

const nobody: Io = {
  out: async () => {},
  err: () => {},
  in: (async function* () {})(),
  isTerminal: false,
  columns: 100,
  environment: {},
  stop: new AbortController().signal,
  exitWith: () => {},
}

const leaver = publisher({
  host: ACTS.leaver.host,
  about: 'Works. Dropped by adnet-one after night 11, named by adnet-two from night 14 on.',
  listed: [
    { network: 'adnet-one', to: 11 },
    { network: 'adnet-two', from: 14 },
  ],
})

/** Calls `act` once, when its robots.txt is asked for on its night. */
const abrupt = (act: () => void): Publisher => {
  let acted = false
  return publisher({
    host: ACTS.abrupt.host,
    about: 'Works.',
    robots: (asked) => {
      if (asked.night === ACTS.abrupt.duringNight && !acted) {
        acted = true
        act()
      }
      return allowAll(asked)
    },
  })
}

type Stage = { readonly config: Config; readonly opened: Opened; readonly durability: Durability }

const openStage = async (data: string): Promise<Stage> => {
  const config = configOf({ data, clock: `simulated:${BEFORE_THE_FIRST}` }, {})
  const composed = await compose(config)
  const watched = durability(composed.ledger)
  return { config, opened: { ...composed, ledger: watched.ledger }, durability: watched }
}

const act = (
  { opened, config }: Stage,
  type: 'SiteExcluded' | 'SiteReadmitted' | 'SiteResumed',
  host: string,
): Promise<void> =>
  recordAct(nobody, opened, config, {
    type,
    v: 1,
    site: siteOfHost(host),
    by: 'A. Person',
    note: null,
  })

const betweenNights = async (stage: Stage, night: number): Promise<void> => {
  const { leaver, resumed } = ACTS
  if (night === leaver.excludedAfter) await act(stage, 'SiteExcluded', leaver.host)
  if (night === leaver.readmittedAfter) await act(stage, 'SiteReadmitted', leaver.host)
  if (night === resumed.after) await act(stage, 'SiteResumed', resumed.host)
  if (CAUGHT_UP_AFTER.includes(night))
    for (const projection of PROJECTIONS) right(await catchUp(stage.opened)(projection)())
}

const live = async (data: string): Promise<Rehearsed> => {
  let stage = await openStage(data)
  const acting: Promise<void>[] = []
  // Time stands still until the act is durable: what follows it is decided with it.
  const exclude = (): void =>
    void acting.push(stage.opened.clock.track(() => act(stage, 'SiteExcluded', ACTS.abrupt.host)))
  const publishers = [...CATALOGUE, leaver, abrupt(exclude)]
  const now = (): Instant => stage.opened.clock.now()
  const web = await startRehearsalWeb({
    clock: { ...stage.opened.clock, now },
    seed: SEED,
    publishers,
  })
  let rehearsal = await rehearsalOf(web, 'plain-reckoner')
  const reports: RunReport[] = []
  const unwritten: string[] = []
  let linesAroundRebuild: readonly [number, number] = [0, 0]
  for (let night = 1; night <= NIGHTS; night += 1) {
    const fetch = stage.durability.watch(rehearsal.fetch, unwritten)
    reports.push(await rehearseNight({ io: nobody, ...stage }, { ...rehearsal, fetch }, night - 1))
    await betweenNights(stage, night)
    if (night === REBUILT_AFTER) {
      const before = web.log().length
      for (const projection of PROJECTIONS) right(await rebuild(stage.opened)(projection)())
      linesAroundRebuild = [before, web.log().length]
    }
    if (night === REOPENED_AFTER) {
      await stage.opened.close()
      stage = await openStage(data)
      const { policyText } = rehearsal.programme
      rehearsal = { ...rehearsal, programme: programmeOf('policy', `${policyText}\n`) }
    }
  }
  await Promise.all(acting)
  const { opened } = stage
  closing.push(web.close, opened.close)
  const hosts = [...publishers, ...networkHosts(publishers)]
  return {
    data,
    opened,
    policy: rehearsal.programme.policy,
    web,
    hosts,
    recorded: await allRecorded(opened),
    reports,
    unwritten,
    linesAroundRebuild,
    replyTo: replying(hosts),
  }
}

/** A server's reply depends on nothing but what it was asked, so it can be made again. */
const replying = (hosts: readonly Publisher[]): Rehearsed['replyTo'] => {
  const byHost = new Map(hosts.map((host) => [host.host, host]))
  return ({ host, path, scheme, at }) =>
    scheme === 'http'
      ? redirect(301, `https://${host}${path}`)
      : present(byHost.get(host), host).answer({
          host,
          path,
          night: nightOf(at),
          now: at,
          seed: SEED,
        })
}

const PAGE = 5_000

export const allRecorded = async ({ ledger }: Pick<Opened, 'ledger'>) => {
  const all: Recorded[] = []
  for (;;) {
    const page = right(await ledger.readAll({ after: all.length, limit: PAGE })())
    all.push(...page)
    if (page.length < PAGE) return all
  }
}

const closing: (() => Promise<void>)[] = []
let lived: Promise<Rehearsed> | undefined

/** The rehearsal, begun by the first who asks; gone when the tests of the file are over. */
export const rehearsed = (): Promise<Rehearsed> => (lived ??= begin())

const begin = async (): Promise<Rehearsed> => {
  const data = await realpath(await mkdtemp(join(tmpdir(), 'rehearsed-')))
  closing.push(() => rm(data, { recursive: true, force: true, maxRetries: 5 }))
  return live(data)
}

after(async () => {
  for (const close of closing.toReversed()) await close()
})
