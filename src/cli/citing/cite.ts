import { Option } from 'commander'
import type { CommonFlags } from '../../config.ts'
import { secondOf } from '../../publish/citation.ts'
import { FORMAT_NAMES, formatCitation, type FormatName } from '../../publish/citation-format.ts'
import { baseArgument, citationAt } from '../../shell/citing/cite.ts'
import { Halt } from '../../shell/halt.ts'
import { forPrograms, type Verb, verb, withOpened } from '../command.ts'
import { positionArgument } from '../log.ts'
import { document, line, safeLines } from '../print.ts'

type CiteFlags = CommonFlags & {
  readonly format: FormatName
  readonly base?: string
  readonly json?: boolean
  readonly jsonl?: boolean
}

export const citeVerb: Verb = (io) =>
  forPrograms(verb('cite', 'a citation of the fetch that an event belongs to'))
    .argument('<position>', 'the position of the event: a request, its answer, what followed')
    .addOption(
      new Option('--format <name>', 'how it is written').choices(FORMAT_NAMES).default('text'),
    )
    .option('--base <url>', 'where this ledger is served, for links that a browser opens')
    .addHelpText(
      'after',
      `
The time is that of the answer, UTC, to the second. Without --base the permanent link is a name,
crawl-ledger:LOG/POSITION, that whoever has the ledger can look up.

Examples:
  crawl-ledger cite 42
  crawl-ledger cite 42 --format wikipedia --base https://ledger.example`,
    )
    .action(async (given: string, flags: CiteFlags) => {
      const position = positionArgument('cite', given, 1)
      const base = flags.base === undefined ? undefined : baseArgument(flags.base)
      await withOpened(io, flags, async ({ ledger, tlog }) => {
        const citation = await citationAt({ ledger, tree: tlog.tree }, position, base)
        const { format } = flags
        const text = formatCitation(format, citation)
        if (text === undefined) {
          const because = `position ${position}: no answer was kept of this fetch, so there is no ${format}`
          throw new Halt({ tag: 'NotFound', because })
        }
        const answer = { ...citation, at: secondOf(citation.at), format, text }
        if (flags.json === true) return io.out(document(answer))
        if (flags.jsonl === true) return io.out(line(answer))
        await io.out(safeLines(text))
      })
    })
