import type { Opened } from '../compose.ts'
import type { CommonFlags, Config } from '../config.ts'
import type { Site } from '../kernel/site.ts'
import { clip } from '../kernel/text.ts'
import type { EventOf } from '../ledger/event.ts'
import { appendFact } from '../shell/append.ts'
import { Halt } from '../shell/halt.ts'
import { siteStore } from '../shell/site-store.ts'
import { type Io, type Verb, verb, withOpened } from './command.ts'
import { beginLog, newRun } from './night.ts'
import { siteArgument } from './site-argument.ts'

type ActFlags = CommonFlags & { readonly by: string; readonly note?: string }
type Act = 'SiteExcluded' | 'SiteReadmitted' | 'SiteResumed'

/** A person's recorded act about one site (PR7, PR15): who and when stand in the ledger for ever. */
const act = (io: Io, name: string, summary: string, type: Act) =>
  verb(name, summary)
    .argument('<site>', 'a domain; every host name under it is meant')
    .requiredOption('--by <name>', 'who does this')
    .option('--note <text>', 'why, for those who read the ledger later')
    .addHelpText(
      'after',
      `\nExample:\n  crawl-ledger ${name} example.org --by "A. Operator" --note "asked by mail"`,
    )
    .action(async (domain: string, flags: ActFlags) => {
      const site = siteArgument(domain)
      if (flags.by.trim() === '') throw new Halt({ tag: 'WrongUse', because: '--by takes a name' })
      await withOpened(io, flags, async (opened, config) => {
        await recordAct(opened, config, actEvent(type, site, flags))
        await io.out(`${type} recorded for ${site} by ${flags.by}\n`)
      })
    })

/** Writes the act into the site's stream. It holds from the next decision about the site on. */
export const recordAct = async (
  opened: Opened,
  config: Config,
  act: EventOf<Act>,
): Promise<void> => {
  const run = newRun(opened)
  await beginLog(opened, config, run)
  const writer = { run, ports: opened, sites: siteStore(opened.ledger) }
  await appendFact(writer, act.site, () => [act])
}

const actEvent = (type: Act, site: Site, { by, note }: ActFlags): EventOf<Act> => ({
  type,
  v: 1,
  site,
  by: clip(by, 200),
  note: note === undefined ? null : clip(note, 1_000),
})

export const excludeVerb: Verb = (io) =>
  act(io, 'exclude', 'never ask this site again, until a person readmits it', 'SiteExcluded')

export const readmitVerb: Verb = (io) =>
  act(io, 'readmit', 'lift the exclusion of a site', 'SiteReadmitted')

export const resumeVerb: Verb = (io) =>
  act(io, 'resume', 'ask a site again that was stopped after failures', 'SiteResumed')
