import { randomBytes } from 'node:crypto'
import type { Opened } from '../compose.ts'
import type { Config } from '../config.ts'
import type { Fetcher } from '../capture/port.ts'
import { formatInstant } from '../kernel/instant.ts'
import { SIMULATED } from '../ledger/tlog/origin.ts'
import { isKeyName } from '../ledger/tlog/key.ts'
import type { Witness } from '../ledger/tlog/witness.ts'
import type { Site } from '../kernel/site.ts'
import type { Source } from '../programmes/sources.ts'
import { READERS } from '../readers/index.ts'
import { ROBOTS_READER } from '../robots/reader.ts'
import { assertClock, type LogOrigin, openLog } from '../shell/adopt.ts'
import { sweepErased } from '../shell/erasing/sweep.ts'
import { Halt } from '../shell/halt.ts'
import type { Software } from '../shell/job.ts'
import { runId, runNight, type RunReport } from '../shell/run.ts'
import { assertUnobjected } from '../shell/tlog/objecting.ts'
import { assertNotSetBack } from '../shell/tlog/seal.ts'
import type { Io } from './command.ts'
import type { Programme } from './programme.ts'
import { progressTo } from './progress.ts'
import { sealedWhile, witnessesOf } from './sealing.ts'
import { softwareVersion } from './software.ts'

export type Night = {
  readonly programme: Programme
  readonly sources: readonly Source[]
  readonly fetch: Fetcher
  readonly onlySites?: ReadonlySet<Site>
  readonly onlySources?: ReadonlySet<string>
  /** Websites allowed for this run alone. */
  readonly also?: readonly Site[]
}

/** A new id for this command's entry in the ledger. */
export const newRun = ({ clock }: Pick<Opened, 'clock'>): string =>
  runId(formatInstant(clock.now()), randomBytes(3).toString('hex'))

/** What a new log says of the one before it, and who is asked first what is known of this one. */
type Beginning = {
  readonly predecessor?: string
  readonly witnesses?: readonly Witness[]
}

/** Opens the log on first use: a real ledger gets a random name, a simulated one says what it is. */
export const beginLog = async (
  opened: Opened,
  config: Config,
  run: string,
  { predecessor, witnesses }: Beginning = {},
): Promise<LogOrigin> => {
  // A database that lost what was signed is not written to, also if it lost everything.
  await assertNotSetBack({ ...opened.tlog, ledger: opened.ledger })
  await assertUnobjected(opened.tlog, witnesses ?? (await witnessesOf(opened)))
  const { kind: clock } = opened.clock
  const log = { origin: originOf(config, clock), clock, software: softwareVersion() }
  return openLog(opened.ledger, run, { ...log, predecessor: predecessor ?? null })
}

const originOf = (config: Config, kind: LogOrigin['clock']): string => {
  const place = kind === 'simulated' ? SIMULATED : 'localhost'
  const given = config.origin ?? `crawl-ledger/${randomBytes(4).toString('hex')}`
  const origin = config.origin !== undefined && kind === 'system' ? given : `${place}/${given}`
  if (!isKeyName(origin))
    throw new Halt({ tag: 'WrongUse', because: '--origin takes a name without blanks and +' })
  return origin
}

/** Opens the log for a run, which must have the log’s own clock. */
export const beginLogFor = async (opened: Opened, config: Config, run: string): Promise<void> =>
  assertClock(await beginLog(opened, config, run), opened.clock.kind)

/** Runs one night with everything opened. */
export const runOneNight = async (
  io: Io,
  opened: Opened,
  config: Config,
  night: Night,
): Promise<RunReport> => {
  const run = newRun(opened)
  await beginLogFor(opened, config, run)
  // An erasure that was cut short is carried out before anybody reads a body again.
  await sweepErased(opened)
  return sealedWhile(io, opened, (stop) =>
    runNight(
      { ...opened, fetch: night.fetch },
      {
        run,
        ...night.programme,
        sources: night.sources,
        onlySites: night.onlySites,
        onlySources: night.onlySources,
        also: night.also ?? [],
        software: softwareOf(opened),
        stop,
        progress: progressTo(io, () => performance.now()),
      },
    ),
  )
}

/** What a run says about the program that makes it. */
export const softwareOf = (opened: Pick<Opened, 'process'>): Software => ({
  software: softwareVersion(),
  node: process.versions.node,
  readers: readerVersions(),
  process: opened.process,
})

const readerVersions = (): Record<string, string> =>
  Object.fromEntries(
    [ROBOTS_READER, ...READERS].map(({ name, version }) => [name, String(version)]),
  )
