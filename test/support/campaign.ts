/**
 * Crawlers as processes of their own against the rehearsal web in this one: started as a person
 * starts them, killed when and how a test says, and afterwards the whole ledger and the servers'
 * access log as evidence for `campaign-checks.ts`.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { PROJECTIONS } from '../../projections/index.ts'
import { CATALOGUE } from '../../scripts/rehearsal/catalogue/index.ts'
import { rehearsalPolicy } from '../../scripts/rehearsal/policy.ts'
import type { Publisher } from '../../scripts/rehearsal/publisher.ts'
import { type RehearsalWeb, startRehearsalWeb } from '../../scripts/rehearsal/web.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { compose, type Opened } from '../../src/compose.ts'
import { configOf } from '../../src/config.ts'
import { E } from '../../src/kernel/fp.ts'
import { siteOfDomain, type Site } from '../../src/kernel/site.ts'
import { parseHttpUrl } from '../../src/kernel/url.ts'
import { parsePolicy } from '../../src/programmes/policy-file.ts'
import type { Policy } from '../../src/programmes/policy.ts'
import type { Recorded } from '../../src/ledger/entry.ts'
import { catchUp } from '../../src/shell/projecting/catch-up.ts'
import { rebuild } from '../../src/shell/projecting/rebuild.ts'
import { type Due, type Evidence, faultsOf, type Seen } from './campaign-checks.ts'
import { right } from './either.ts'
import { killServer, newDataDir } from './embedded-server.ts'
import { contentsOf } from './projecting.ts'
import { policyText } from './site.ts'

/** A programme of the campaign: its policy, and the file it stands in. */
export type Programme = { readonly policy: Policy; readonly file: string }

export type Ended = {
  /** null: killed. */
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export type Crawler = {
  readonly pid: number
  readonly kill: (signal: NodeJS.Signals) => void
  /** Resolves when standard error matches, or when the crawler has ended. */
  readonly said: (text: RegExp) => Promise<void>
  readonly ended: Promise<Ended>
}

export type Campaign = {
  readonly web: RehearsalWeb
  readonly dataDir: string
  readonly publishers: readonly Publisher[]
  /** Writes the policy of plain-reckoner, changed, into a file of its own. */
  readonly programme: (change: Partial<Policy>, file?: string) => Promise<Programme>
  /** `run` with the rehearsal's sources; `clock` as the command line takes it. */
  readonly start: (programme: Programme, clock: string) => Crawler
  /** Resolves at once when the servers have noticed so many more things; each request is a few. */
  readonly signs: (count: number) => Promise<void>
  /** The access log, each line with the crawlers that can have made the request. */
  readonly seen: () => readonly Seen[]
  /** Opens the data directory in this process, as a command does. */
  readonly open: <A>(task: (opened: Opened) => Promise<A>) => Promise<A>
}

const CLI = join(import.meta.dirname, '..', '..', 'src', 'cli.ts')

type Life = {
  readonly pid: number
  readonly userAgent: string
  readonly from: number
  /** The number of lines when it had ended; undefined while it runs. */
  to: number | undefined
}

/** Publishers of the catalogue by their host names, blanks or line breaks between them. */
export const hosts = (names: string): readonly Publisher[] =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => {
      const found = CATALOGUE.find(({ host }) => host === name)
      assert.ok(found !== undefined, `the catalogue has no ${name}`)
      return found
    })

export const newCampaign = async (
  t: TestContext,
  publishers: readonly Publisher[],
): Promise<Campaign> => {
  const dataDir = await newDataDir(t)
  const files = join(dirname(dataDir), 'files')
  await mkdir(files)
  const { clock, signs } = noticing()
  const web = await startRehearsalWeb({ clock, seed: 1, publishers })
  t.after(web.close)
  const given = await writeGiven(files, web)
  const lives: Life[] = []
  const start = (programme: Programme, clock: string): Crawler => {
    const words = ['run', programme.file, '--clock', clock, '--data', dataDir, ...given]
    const child = spawn(process.execPath, [CLI, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
    const { userAgent } = programme.policy
    const life: Life = { pid: pidOf(child), userAgent, from: web.log().length, to: undefined }
    lives.push(life)
    const crawler = crawlerOf(child, async () => {
      // What it sent last may still lie in a socket of this process.
      await sleep(20)
      life.to = web.log().length
    })
    t.after(async () => {
      crawler.kill('SIGKILL')
      await crawler.ended
    })
    return crawler
  }
  return {
    web,
    dataDir,
    publishers,
    programme: (change, file) => writeProgramme(files, change, file),
    start,
    signs,
    seen: () => seenBy(web, lives),
    open: async (task) => openIn(dataDir, task),
  }
}

/** The system clock, and a promise that resolves when it has been read so many times more. */
const noticing = () => {
  const clock = systemClock()
  let count = 0
  let waiting: readonly { readonly at: number; readonly tell: () => void }[] = []
  const now: typeof clock.now = () => {
    count += 1
    for (const { at, tell } of waiting) if (at === count) tell()
    return clock.now()
  }
  const signs = (more: number): Promise<void> =>
    new Promise((tell) => {
      waiting = [...waiting.filter(({ at }) => at > count), { at: count + more, tell }]
    })
  return { clock: { ...clock, now }, signs }
}

const writeGiven = async (files: string, web: RehearsalWeb): Promise<readonly string[]> => {
  const write = async (name: string, text: string): Promise<string> => {
    await writeFile(join(files, name), text)
    return join(files, name)
  }
  const sources = await write('sources.json', JSON.stringify({ networks: web.networks }))
  const rules = await write('rules', [...web.resolveRules, ...web.trapRules].join('\n'))
  const authority = await write('authority.pem', web.authorityPem)
  return ['--sources', sources, '--resolve-file', rules, '--ca', authority]
}

const writeProgramme = async (
  files: string,
  change: Partial<Policy>,
  name?: string,
): Promise<Programme> => {
  const base: unknown = JSON.parse(rehearsalPolicy(policyText))
  const text = JSON.stringify({ ...(base as object), ...change })
  const policy = right(parsePolicy('a policy of the campaign', text))
  const file = join(files, name ?? `${policy.name}.json`)
  await writeFile(file, text)
  return { policy, file }
}

const pidOf = ({ pid }: ChildProcess): number => {
  assert.ok(pid !== undefined, 'the crawler started')
  return pid
}

const crawlerOf = (child: ChildProcess, afterwards: () => Promise<void>): Crawler => {
  const parts = { out: '', err: '' }
  let over = false
  const heard: (() => void)[] = []
  child.stdout?.on('data', (chunk: Buffer) => (parts.out += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => {
    parts.err += chunk.toString()
    for (const look of heard) look()
  })
  const ended = once(child, 'close').then(async ([code]): Promise<Ended> => {
    over = true
    await afterwards()
    for (const look of heard) look()
    // The first argument of the event, as the documentation has it.
    return { code: code as number | null, ...parts }
  })
  return {
    pid: pidOf(child),
    kill: (signal) => void (over || child.kill(signal)),
    said: (text) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (over || text.test(parts.err)) resolve()
        }
        heard.push(look)
        look()
      }),
    ended,
  }
}

const seenBy = (web: RehearsalWeb, lives: readonly Life[]): readonly Seen[] =>
  web.log().map((line, index) => {
    const agent = line.headers.find(([name]) => name.toLowerCase() === 'user-agent')?.[1]
    const able = lives.filter(
      ({ userAgent, from, to }) => userAgent === agent && from <= index && index < (to ?? Infinity),
    )
    return { line, by: new Set(able.map(({ pid }) => pid)) }
  })

const openIn = async <A>(data: string, task: (opened: Opened) => Promise<A>): Promise<A> => {
  const opened = await compose(configOf({ data }, {}))
  try {
    return await task(opened)
  } finally {
    await opened.close()
  }
}

const PAGE = 5_000

/** All events from position 1. */
export const wholeLedger = async ({ ledger }: Pick<Opened, 'ledger'>): Promise<Recorded[]> => {
  const all: Recorded[] = []
  for (;;) {
    const page = right(await ledger.readAll({ after: all.length, limit: PAGE })())
    all.push(...page)
    if (page.length < PAGE) return all
  }
}

/**
 * What a night had to settle: its sources, and the sites that each network's newest good file names,
 * as the rehearsal web made it on the night it was fetched.
 */
export const dueIn = (
  { web, publishers }: Campaign,
  { policy }: Programme,
  recorded: readonly Recorded[],
  { name: night, indexOf }: { readonly name: string; readonly indexOf: (night: string) => number },
): Due => {
  const listed = web.networks.flatMap(({ id, url }) => {
    const good = recorded.findLast(
      ({ event }) =>
        event.type === 'FetchConcluded' &&
        event.programme === policy.name &&
        event.target === url &&
        event.status === 200,
    )
    return good?.event.type === 'FetchConcluded'
      ? listedBy(id, publishers, indexOf(good.event.night) + 1)
      : []
  })
  const sources = web.networks.map(({ url }) => right(parseHttpUrl(url)))
  return { policy, night, sources, sites: [...new Set(listed)] }
}

const listedBy = (
  network: string,
  publishers: readonly Publisher[],
  night: number,
): readonly Site[] =>
  publishers
    .flatMap(({ listings }) => listings)
    .filter((listing) => listing.network === network && listing.type !== 'INTERMEDIARY')
    .filter(({ from, to }) => from <= night && night <= to)
    .flatMap(({ domain }) => siteOfDomain(domain) ?? [])

const SHOWN_MAX = 40

export const assertNoFaults = (evidence: Evidence): void => {
  const faults = faultsOf(evidence).map(({ rule, words }) => `${rule}: ${words}`)
  assert.ok(
    faults.length === 0,
    `${faults.length} faults\n${faults.slice(0, SHOWN_MAX).join('\n')}`,
  )
}

/** Kept bodies that cannot be read again, by their commitment. */
export const unreadableBodies = async (
  { bodies }: Pick<Opened, 'bodies'>,
  recorded: readonly Recorded[],
): Promise<readonly string[]> => {
  const kept = recorded.flatMap(({ event }) =>
    event.type === 'ResponseReceived' && event.body.kept ? [event.body.commit] : [],
  )
  const read = await Promise.all(kept.map((commit) => bodies.get(commit)()))
  return kept.filter((_, index) => {
    const body = read[index]
    return body === undefined || E.isLeft(body)
  })
}

/** Projections whose table, caught up, is not the one a rebuild makes. */
export const unequalProjections = async (opened: Opened): Promise<readonly string[]> => {
  const unequal: string[] = []
  for (const projection of PROJECTIONS) {
    right(await catchUp(opened)(projection)())
    const caughtUp = await contentsOf(opened.store, projection)
    right(await rebuild(opened)(projection)())
    const rebuilt = await contentsOf(opened.store, projection)
    if (JSON.stringify(caughtUp) !== JSON.stringify(rebuilt)) unequal.push(projection.name)
  }
  return unequal
}

/** Kills the embedded server with all its processes, as a power cut would; the disk stays as it is. */
export const killDatabase = ({ dataDir }: Campaign): Promise<void> => killServer(dataDir)
