/** A rehearsal: whole nights against the bundled web, in one process that shares its clock. */
import { rehearsalPolicy } from '../../scripts/rehearsal/policy.ts'
import type { RehearsalWeb } from '../../scripts/rehearsal/web.ts'
import type { Fetcher } from '../capture/port.ts'
import { fetcherFor, type Opened } from '../compose.ts'
import type { Config } from '../config.ts'
import { E } from '../kernel/fp.ts'
import type { Instant } from '../kernel/instant.ts'
import { nightAt } from '../plan/night.ts'
import { parseSources, type Source } from '../programmes/sources.ts'
import { Halt } from '../shell/halt.ts'
import type { RunReport } from '../shell/run.ts'
import type { Io } from './command.ts'
import { runOneNight } from './night.ts'
import { loadProgramme, programmeOf, type Programme } from './programme.ts'

export type Rehearsal = {
  readonly web: RehearsalWeb
  readonly programme: Programme
  readonly sources: readonly Source[]
  readonly fetch: Fetcher
}

/** The programme by name or path, with the short real-time limits of a rehearsal. */
export const rehearsalOf = async (web: RehearsalWeb, nameOrPath: string): Promise<Rehearsal> => {
  const { policyText } = await loadProgramme(nameOrPath)
  const sources = parseSources(
    'the rehearsal’s networks',
    JSON.stringify({ networks: web.networks }),
    'file',
  )
  if (E.isLeft(sources)) throw new Halt(sources.left)
  return {
    web,
    programme: programmeOf(nameOrPath, rehearsalPolicy(policyText)),
    sources: sources.right,
    fetch: fetcherFor({ resolve: web.resolveRules, authorities: [web.authorityPem] }),
  }
}

/** What a rehearsed night happens in. */
export type Scene = { readonly io: Io; readonly opened: Opened; readonly config: Config }

/** Waits for the next night to begin and runs it as the web's night `index`, counted from 0. */
export const rehearseNight = async (
  { io, opened, config }: Scene,
  { web, programme, sources, fetch }: Rehearsal,
  index: number,
): Promise<RunReport> => {
  const { clock } = opened
  await clock.sleepUntil(nextStart(programme, clock.now()), io.stop)
  web.startNight(index)
  return runOneNight(io, opened, config, { programme, sources, fetch })
}

/** The start of the night after this moment, so that every rehearsed night is a whole one. */
const nextStart = ({ policy }: Programme, now: Instant): Instant =>
  nightAt(policy.night, now).endsAt
