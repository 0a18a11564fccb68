import type { Opened } from '../compose.ts'
import type { CommonFlags } from '../config.ts'
import type { Site } from '../kernel/site.ts'
import type { Source } from '../programmes/sources.ts'
import { type Planned, planNight } from '../shell/plan.ts'
import { collect, forPrograms, type Io, timed, type Verb, verb, withOpened } from './command.ts'
import { document, line, table } from './print.ts'
import {
  loadProgramme,
  loadSources,
  type Programme,
  PROGRAMME_ARGUMENT,
  SOURCES_OPTION,
} from './programme.ts'
import { sitesOf } from './site-argument.ts'

type PlanFlags = CommonFlags & {
  readonly sources?: string
  readonly site?: readonly string[]
  readonly json?: boolean
  readonly jsonl?: boolean
}

export type Plannable = {
  readonly programme: Programme
  readonly sources: readonly Source[]
  readonly onlySites?: ReadonlySet<Site>
}

export const planVerb: Verb = (io) =>
  forPrograms(timed(verb('plan', 'what would be asked tonight, and why not the rest; asks nobody')))
    .argument('<programme>', PROGRAMME_ARGUMENT)
    .option('--sources <file>', SOURCES_OPTION)
    .option('--site <site>', 'only this site; repeatable', collect)
    .addHelpText('after', '\nExample:\n  crawl-ledger plan plain-reckoner --sources networks.txt')
    .action(async (name: string, flags: PlanFlags) => {
      const programme = await loadProgramme(name)
      const only = flags.site === undefined ? {} : { onlySites: sitesOf(flags.site) }
      await withOpened(io, flags, async (opened) => {
        const sources = await loadSources(flags.sources, opened.ledger, programme.policy)
        await printPlan(io, opened, { programme, sources, ...only }, flags)
      })
    })

export const printPlan = async (
  io: Io,
  opened: Opened,
  { programme, sources, onlySites }: Plannable,
  format: { readonly json?: boolean; readonly jsonl?: boolean },
): Promise<void> => {
  const plan = await planNight(opened, programme.policy, sources, onlySites)
  if (format.json === true) return io.out(document(plan))
  if (format.jsonl === true) {
    for (const planned of plan.planned) await io.out(line(planned))
    return
  }
  await io.out(`night ${plan.night} of ${programme.policy.name}\n\n`)
  await io.out(
    table<Planned>(
      plan.planned,
      [
        { title: 'site', of: ({ site }) => site },
        { title: 'file', of: ({ purpose }) => purpose },
        { title: 'verdict', of: ({ verdict }) => verdict },
        { title: 'why', of: ({ reason }) => reason },
      ],
      io.columns,
    ),
  )
}
