import { Command } from 'commander'
import type { Opened } from '../../compose.ts'
import type { CommonFlags } from '../../config.ts'
import { parse } from '../../kernel/codec.ts'
import { E } from '../../kernel/fp.ts'
import { ProgrammeName } from '../../kernel/words.ts'
import { firstReader, type RobotsReader } from '../../robots/reader.ts'
import { secondReader } from '../../robots/second-reader.ts'
import {
  auditCompleteness,
  type AuditProgress,
  auditPromises,
  auditRobots,
  type AuditWindow,
} from '../../shell/auditing/audit.ts'
import { Halt } from '../../shell/halt.ts'
import { completenessExit, completenessText, completenessValue } from './completeness.ts'
import { promisesText, promisesValue, promiseValue } from './promises.ts'
import { differenceWriter, type Form } from './robots.ts'
import { forPrograms, type Io, type Verb, verb, withOpened } from '../command.ts'
import { timeArgument } from '../log.ts'
import { document, line } from '../print.ts'

type Flags = CommonFlags & { readonly json?: boolean; readonly jsonl?: boolean }
type WindowFlags = Flags & {
  readonly programme?: string
  readonly since?: string
  readonly until?: string
}

const BROKEN = 1
const INTERRUPTED = 5

export const auditVerb: Verb = (io) =>
  new Command('audit')
    .description('replay history against the promises, from the ledger alone; asks nobody')
    .addHelpText(
      'after',
      '\nExamples:\n  crawl-ledger audit promises\n  crawl-ledger audit completeness\n  crawl-ledger audit robots --reader robots-parser@3.0.1',
    )
    .addCommand(promisesVerb(io))
    .addCommand(completenessVerb(io))
    .addCommand(robotsVerb(io))

const windowed = (command: Command): Command =>
  forPrograms(command)
    .option('--programme <name>', 'only events of this programme')
    .option('--since <time>', 'only events at or after this time; what lies before is their past')
    .option('--until <time>', 'only events at or before this time')

const promisesVerb = (io: Io): Command =>
  windowed(verb('promises', 'every promise: kept, broken and by which events, or not applicable'))
    .addHelpText(
      'after',
      `
--json: {"position","interrupted","programme","since","until","broken","promises":[…]}, where a
promise is {"promise","programme","says","state":"kept"|"broken"|"not-applicable","checked",
"unjudged","broken","breaches":[{"position","at","says"}],"looksAt":[…],"why"}. "checked" counts the
events judged, "unjudged" those whose kept robots.txt is gone or whose policy cannot be read, "broken" all breaches, of which the
first 1000 are listed. --jsonl: one promise a line.

Exit code 1: a promise was broken.

Examples:
  crawl-ledger audit promises
  crawl-ledger audit promises --programme plain-reckoner --since 2026-11-01 --json`,
    )
    .action(async (flags: WindowFlags) => {
      const window = windowOf(flags)
      await withOpened(io, flags, async (opened) => {
        const found = await auditPromises(opened, { window, ...wayOf(io) })
        const value = promisesValue(found, window)
        if (value.broken > 0) io.exitWith(BROKEN)
        if (found.interrupted) io.exitWith(INTERRUPTED)
        if (flags.json === true) return io.out(document(value))
        if (flags.jsonl === true) return io.out(found.results.map(promiseValue).map(line).join(''))
        await io.out(promisesText(found, io.columns))
      })
    })

const completenessVerb = (io: Io): Command =>
  forPrograms(verb('completeness', 'whether anything is missing: numbers, ends, counts, citations'))
    .addHelpText(
      'after',
      `
--json: {"position","interrupted","entries","requests","faults","first","list":[{"position","rule",
"says"}],"runs":[{"run","programme","night","startedAt","state":"under-way"|"abandoned","requests",
"open"}],"open":[{"position","at","run","url"}]}. A run that died and was recovered is "abandoned", one
without an end "under-way": neither is a fault. The first 1000 faults are listed; --jsonl: one a line.

Exit code 1: something is missing. 3: positions, places in a stream or times are not as written.

Example:
  crawl-ledger audit completeness`,
    )
    .action(async (flags: Flags) => {
      await withOpened(io, flags, async (opened: Opened) => {
        const found = await auditCompleteness(opened, wayOf(io))
        io.exitWith(found.interrupted ? INTERRUPTED : completenessExit(found.found))
        if (flags.json === true) return io.out(document(completenessValue(found)))
        if (flags.jsonl === true) return io.out(found.found.list.map(line).join(''))
        await io.out(completenessText(found, io.columns))
      })
    })

type RobotsFlags = WindowFlags & { readonly reader: string; readonly csv?: boolean }

const robotsVerb = (io: Io): Command =>
  windowed(verb('robots', 'decide every request again with another reader of robots.txt'))
    .requiredOption('--reader <name@version>', `one of ${READERS.map(labelOf).join(', ')}`)
    .option('--csv', 'print comma-separated values with a header line')
    .addHelpText(
      'after',
      `
Lists each request and withholding that this reader, on the very bytes kept at the time, would have
decided the other way, and why: misread-file, redirect-to-unread-host, file-of-another-port,
file-of-another-host. --json: {"reader","differences":[…],"position","interrupted","totals"}, where a
difference is {"position","at","programme","night","purpose","url","sent","decision","decided":
{"verdict","basis","line","rule","reader","robots"},"other":{"verdict":"allow"|"deny"|"unread",
"line"},"cause","kinds":[…]}. --jsonl: one difference a line.

Exit code 1: a request was sent that this reader would have refused.

Example:
  crawl-ledger audit robots --reader robots-parser@3.0.1 --since 2026-11-01 --jsonl`,
    )
    .action(async (flags: RobotsFlags) => {
      const reader = readerArgument(flags.reader)
      const window = windowOf(flags)
      await withOpened(io, flags, async (opened) => {
        const writer = differenceWriter(io, labelOf(reader), formOf(flags))
        await writer.begin()
        const run = { window, ...wayOf(io) }
        const found = await auditRobots(opened, reader, run, writer.write)
        await writer.end(found)
        if (found.totals.wouldRefuse > 0) io.exitWith(BROKEN)
        if (found.interrupted) io.exitWith(INTERRUPTED)
      })
    })

const READERS: readonly RobotsReader[] = [firstReader, secondReader]
const labelOf = ({ name, version }: RobotsReader): string => `${name}@${version}`

const readerArgument = (given: string): RobotsReader => {
  const reader = READERS.find((one) => labelOf(one) === given)
  if (reader !== undefined) return reader
  const known = READERS.map(labelOf).join(' or ')
  throw new Halt({ tag: 'WrongUse', because: `--reader takes ${known}, not ${given.slice(0, 60)}` })
}

const formOf = ({ json, jsonl, csv }: RobotsFlags): Form => {
  if (json === true) return 'json'
  if (jsonl === true) return 'jsonl'
  return csv === true ? 'csv' : 'text'
}

const windowOf = ({ programme, since, until }: WindowFlags): AuditWindow => ({
  programme: programme === undefined ? undefined : programmeArgument(programme),
  since: since === undefined ? undefined : timeArgument('--since', since),
  until: until === undefined ? undefined : timeArgument('--until', until),
})

const programmeArgument = (given: string): string => {
  const name = parse('--programme', ProgrammeName, given)
  if (E.isRight(name)) return name.right
  throw new Halt(name.left)
}

const BETWEEN_LINES_MS = 1_000

const wayOf = (io: Io): { readonly stop: AbortSignal; readonly progress: AuditProgress } => {
  let told = performance.now()
  return {
    stop: io.stop,
    progress: (position, of) => {
      const now = performance.now()
      if (now - told < BETWEEN_LINES_MS) return
      told = now
      io.err(`audit ${position}/${of}\n`)
    },
  }
}
