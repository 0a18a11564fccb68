import { fetcherOf } from '../compose.ts'
import type { CommonFlags } from '../config.ts'
import { collect, crawling, forPrograms, type Verb, verb, withOpened } from './command.ts'
import { runOneNight } from './night.ts'
import {
  alsoOf,
  loadProgramme,
  loadSources,
  PROGRAMME_ARGUMENT,
  SOURCES_OPTION,
} from './programme.ts'
import { printPlan } from './plan.ts'
import { printReport } from './report.ts'
import { sitesOf } from './site-argument.ts'

const INTERRUPTED = 5

type RunFlags = CommonFlags & {
  readonly sources?: string
  readonly site?: readonly string[]
  readonly source?: readonly string[]
  readonly also?: readonly string[]
  readonly dryRun?: boolean
  readonly json?: boolean
}

export const runVerb: Verb = (io) =>
  forPrograms(crawling(verb('run', 'run one night of a programme')))
    .argument('<programme>', PROGRAMME_ARGUMENT)
    .option('--sources <file>', SOURCES_OPTION)
    .option('--site <site>', 'only this site; repeatable', collect)
    .option('--source <id>', 'only this source; repeatable', collect)
    .option('--also <site>', 'one more website allowed for this run alone; repeatable', collect)
    .option('--dry-run', 'ask nobody; say what would be asked (as `plan` does)')
    .addHelpText(
      'after',
      `
Examples:
  crawl-ledger run plain-reckoner --sources networks.txt
  crawl-ledger run plain-reckoner --sources networks.txt --site example.org
  crawl-ledger run plain-reckoner --sources n.txt --resolve '*:443=127.0.0.1:8443' --ca ca.pem --clock simulated`,
    )
    .action(async (name: string, flags: RunFlags) => {
      const programme = await loadProgramme(name)
      await withOpened(io, flags, async (opened, config) => {
        const sources = await loadSources(flags.sources, opened.ledger, programme.policy)
        const night = {
          programme,
          sources,
          ...(flags.site === undefined ? {} : { onlySites: sitesOf(flags.site) }),
          ...(flags.source === undefined ? {} : { onlySources: new Set(flags.source) }),
          also: alsoOf(programme.policy, flags.also),
        }
        if (flags.dryRun === true) return printPlan(io, opened, night, flags)
        const report = await runOneNight(io, opened, config, {
          ...night,
          fetch: await fetcherOf(config),
        })
        await printReport(io, opened, report, flags.json === true)
        if (report.status === 'interrupted') io.exitWith(INTERRUPTED)
      })
    })
