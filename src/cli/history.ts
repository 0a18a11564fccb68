import type { CommonFlags } from '../config.ts'
import { formatInstant } from '../kernel/instant.ts'
import { type HistoricFile, historyOf, type Seen } from '../shell/history.ts'
import { Halt } from '../shell/halt.ts'
import { forPrograms, type Verb, verb, withOpened } from './command.ts'
import { document, line, table } from './print.ts'
import { siteArgument } from './site-argument.ts'

type HistoryFlags = CommonFlags & { readonly json?: boolean; readonly jsonl?: boolean }

export const historyVerb: Verb = (io) =>
  forPrograms(verb('history', 'every time a file of a site was asked, and when its bytes changed'))
    .argument('<site>', 'the site')
    .argument('<file>', 'ads.txt or robots.txt')
    .addHelpText('after', '\nExample:\n  crawl-ledger history example.org ads.txt')
    .action(async (domain: string, given: string, flags: HistoryFlags) => {
      const site = siteArgument(domain)
      const file = fileArgument(given)
      await withOpened(io, flags, async (opened) => {
        const all: Seen[] = []
        for await (const seen of historyOf(opened, site, file)) all.push(seen)
        const printed = all.map((seen) => ({ ...seen, at: formatInstant(seen.at) }))
        if (flags.json === true) return io.out(document(printed))
        if (flags.jsonl === true) return io.out(printed.map(line).join(''))
        if (all.length === 0) return io.out(`${file} of ${site} was never asked\n`)
        await io.out(shown(all, io.columns))
      })
    })

export const fileArgument = (given: string): HistoricFile => {
  if (given === 'ads.txt' || given === 'robots.txt') return given
  throw new Halt({ tag: 'WrongUse', because: 'the file is ads.txt or robots.txt' })
}

const shown = (all: readonly Seen[], width: number): string =>
  table(
    all,
    [
      { title: 'time', of: ({ at }) => formatInstant(at) },
      { title: 'position', of: ({ position }) => String(position), align: 'right' },
      { title: 'change', of: ({ change }) => change },
      { title: 'bytes', of: ({ bytes }) => String(bytes ?? ''), align: 'right' },
      { title: 'sha256', of: ({ sha256 }) => sha256?.slice(0, 12) ?? '' },
      { title: 'outcome', of: ({ outcome }) => outcome },
    ],
    width,
  )
