import { FINDING_KINDS } from '../../../projections/finding.ts'
import { adsTxtState, robotsFindings, sellerFindings } from '../../../projections/index.ts'
import type { Opened } from '../../compose.ts'
import type { CommonFlags } from '../../config.ts'
import { formatInstant } from '../../kernel/instant.ts'
import { allCaughtUp } from '../../shell/projecting/all-caught-up.ts'
import { crossCheck } from '../../shell/projecting/cross-check.ts'
import { sourcesAt, sourcesNow } from '../../shell/projecting/cross-sources.ts'
import { type FindingFilter, findingsOf } from '../../shell/projecting/findings.ts'
import type { Moment } from '../../shell/projecting/rows-at.ts'
import { Halt, orHalt } from '../../shell/halt.ts'
import { forPrograms, type Io, type Verb, verb, withOpened } from '../command.ts'
import { timeArgument } from '../log.ts'
import { cellText, document, line, safe } from '../print.ts'
import { momentArgument } from '../moment-argument.ts'
import { siteArgument } from '../site-argument.ts'
import { printCounts } from './counts.ts'
import { csvLine } from './csv.ts'

type FindingsFlags = CommonFlags & {
  readonly kind?: string
  readonly site?: string
  readonly since?: string
  readonly until?: string
  readonly at?: string
  readonly counts?: boolean
  readonly json?: boolean
  readonly jsonl?: boolean
  readonly csv?: boolean
}

const CROSS = 'cross'

export const findingsVerb: Verb = (io) =>
  forPrograms(
    verb('findings', 'what changed on the market: each with its method, date and two captures'),
  )
    .option('--kind <kind>', 'one kind, or all that begin so, such as ads-txt; or cross')
    .option('--site <site>', 'only what this site’s files say, or what concerns it')
    .option('--since <time>', 'found at or after this time (UTC)')
    .option('--until <time>', 'found at or before this time (UTC)')
    .option('--at <moment>', 'as they stood at this position, or at this time (UTC)')
    .option('--counts', 'instead: counts over the whole market for each night')
    .option('--csv', 'print comma-separated values with a header line')
    .addHelpText(
      'after',
      `
Kinds: ${FINDING_KINDS.join(', ')}.
cross is no change but a state: each site’s ads.txt now (or as of --at) against the sellers.json files
it names; the capture before is then that of sellers.json, the other that of ads.txt.
A capture is a position: crawl-ledger show POSITION.

Examples:
  crawl-ledger findings --since 2026-11-30
  crawl-ledger findings --kind robots-blocks --csv
  crawl-ledger findings --kind cross --site example.org
  crawl-ledger findings --kind cross --site example.org --at 2026-11-24T14:00:00Z
  crawl-ledger findings --counts`,
    )
    .action(async (flags: FindingsFlags) => {
      const filter = filterOf(flags)
      const moment = flags.at === undefined ? undefined : momentArgument(flags.at)
      if (moment !== undefined && flags.counts === true)
        throw new Halt({ tag: 'WrongUse', because: '--at is no question to --counts: use --until' })
      await withOpened(io, flags, async (opened) => {
        if (flags.counts === true) return printCounts(io, opened, filter, flags)
        const upTo = moment === undefined ? undefined : await positionOf(opened, moment)
        const asked = { ...filter, ...(upTo === undefined ? {} : { upTo }) }
        const found = flags.kind === CROSS ? crossed(opened, asked) : changed(opened, asked)
        await print(io, flags, found)
      })
    })

const positionOf = async ({ ledger }: Opened, moment: Moment): Promise<number> =>
  'position' in moment ? moment.position : orHalt(ledger.positionAt(moment.ts))

const filterOf = ({ kind, site, since, until }: FindingsFlags): FindingFilter => ({
  kinds: kindsArgument(kind),
  ...(site === undefined ? {} : { site: siteArgument(site) }),
  ...(since === undefined ? {} : { since: timeArgument('--since', since) }),
  ...(until === undefined ? {} : { until: timeArgument('--until', until) }),
})

const kindsArgument = (given = ''): ReadonlySet<string> => {
  const kinds = FINDING_KINDS.filter((kind) => kind === given || kind.startsWith(given))
  if (kinds.length > 0 || given === CROSS) return new Set(kinds)
  const because = `no kind ${given.slice(0, 60)}; there are ${[...FINDING_KINDS, CROSS].join(', ')}`
  throw new Halt({ tag: 'WrongUse', because })
}

/** One finding as it is printed: the columns of its row, whatever it was made by. */
type Shown = { readonly [column: string]: unknown }

async function* changed(opened: Opened, filter: FindingFilter): AsyncGenerator<Shown> {
  yield* await findingsOf(opened, filter)
}

async function* crossed(
  opened: Opened,
  { site, since, until, upTo }: FindingFilter,
): AsyncGenerator<Shown> {
  await allCaughtUp(opened, [adsTxtState, sellerFindings])
  const sources =
    upTo === undefined ? sourcesNow(opened.store, site) : sourcesAt(opened, upTo, site)
  for await (const { before, after, ...finding } of crossCheck(sources)) {
    if (since !== undefined && after.at < formatInstant(since)) continue
    if (until !== undefined && after.at > formatInstant(until)) continue
    yield {
      ...finding,
      ...after,
      before_position: before.position,
      before_at: before.at,
      before_request: before.request,
      before_commit: before.commit,
    }
  }
}

const print = async (io: Io, flags: FindingsFlags, found: AsyncGenerator<Shown>): Promise<void> => {
  if (flags.json === true) return io.out(document(await allOf(found)))
  const columns = robotsFindings.table.columns
  if (flags.csv === true) await io.out(csvLine(columns))
  let count = 0
  for await (const one of found) {
    count += 1
    if (flags.jsonl === true) await io.out(line(one))
    else if (flags.csv === true) await io.out(csvLine(columns.map((column) => one[column])))
    else await io.out(inWords(one))
  }
  if (count === 0 && flags.jsonl !== true && flags.csv !== true) await io.out('nothing found\n')
}

const allOf = async (found: AsyncGenerator<Shown>): Promise<readonly Shown[]> => {
  const all: Shown[] = []
  for await (const one of found) all.push(one)
  return all
}

/** A head with the facts, and the sentence below it, whole. */
const inWords = (one: Shown): string => {
  const cell = (column: string): string => safe(cellText(one[column]))
  const captures = `captures ${cell('before_position')} and ${cell('position')}`
  return `${cell('at')}  ${cell('kind').padEnd(24)}  ${captures}, by ${cell('method')}\n  ${cell('says')}\n`
}
