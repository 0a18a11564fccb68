/** The act of erasing kept bodies: of some responses, or all of a site. */
import { Option } from 'commander'
import type { Opened } from '../../compose.ts'
import type { Config } from '../../config.ts'
import { parse } from '../../kernel/codec.ts'
import { E } from '../../kernel/fp.ts'
import { ErasureBasis } from '../../ledger/events/body-erased.ts'
import {
  type Erasing,
  type Grounds,
  recordErasures,
  type Target,
  targetAt,
  targetsOf,
} from '../../shell/erasing/erase.ts'
import { type Swept, sweepErased } from '../../shell/erasing/sweep.ts'
import { Halt } from '../../shell/halt.ts'
import { siteStore } from '../../shell/site-store.ts'
import { forPrograms, type Io, type Verb, verb, withOpened } from '../command.ts'
import { positionArgument } from '../log.ts'
import { beginLog, newRun } from '../night.ts'
import { sealNow } from '../sealing.ts'
import { document, line, safe } from '../print.ts'
import { siteArgument } from '../site-argument.ts'
import { type ActFlags, actor } from './record.ts'

type EraseFlags = Omit<ActFlags, 'by'> & {
  readonly by?: string
  readonly basis?: string
  readonly site?: string
  readonly dryRun?: boolean
  readonly resume?: boolean
  readonly json?: boolean
  readonly jsonl?: boolean
}

const BASES = ['site-request', 'personal-data', 'legal-order', 'kept-by-mistake', 'retention']

export const eraseVerb: Verb = (io) =>
  forPrograms(
    verb('erase', 'delete kept bodies for good; that they were erased stays in the ledger'),
  )
    .argument('[positions...]', 'of the responses (or of what rests on them) whose body to erase')
    .option('--site <site>', 'every kept body of this site; `exclude` it first, or more will come')
    .option('--by <name>', 'who does this')
    .addOption(new Option('--basis <word>', 'on what ground').choices(BASES))
    .option(
      '--note <text>',
      'why; it stays for ever, so write nothing in it that is to be forgotten',
    )
    .option('--dry-run', 'say what would be erased, and erase nothing')
    .option('--resume', 'carry out again every erasure that the ledger holds (after a restore)')
    .addHelpText(
      'after',
      `
First the ledger says so (BodyErased), then bytes and salt are deleted, and with them what projections
made of them; those are made anew. What events themselves quote (a rule, a seller, a host name) stays.
--json prints {"dryRun","bodies","bytes","missing","list":[{"response","url","bytes"}],"swept"}; the list
holds the first ${LISTED_MAX}.

Examples:
  crawl-ledger erase 42 57 --by "A. Operator" --basis site-request
  crawl-ledger erase --site example.org --by "A. Operator" --basis personal-data --dry-run
  crawl-ledger erase --resume`,
    )
    .action((given: readonly string[], flags: EraseFlags) => {
      const asked = askedBy(given, flags)
      return withOpened(io, flags, async (opened, config) =>
        asked === 'resume'
          ? tellSwept(io, flags, await sweepErased(opened, { anew: true }))
          : tell(io, flags, await erase(io, opened, config, asked)),
      )
    })

const LISTED_MAX = 1_000

type Asked = {
  readonly grounds: Grounds
  readonly isDry: boolean
  readonly what: { readonly positions: readonly number[] } | { readonly site: string }
}

const wrong = (because: string): never => {
  throw new Halt({ tag: 'WrongUse', because })
}

const askedBy = (given: readonly string[], flags: EraseFlags): Asked | 'resume' => {
  const { site, by, note, resume } = flags
  if (resume === true)
    return given.length > 0 || site !== undefined
      ? wrong('--resume carries out what was recorded; it takes no position and no --site')
      : 'resume'
  if (given.length > 0 === (site !== undefined))
    return wrong('name positions, or a site with --site')
  if (by === undefined) return wrong('--by takes the name of who does this')
  const basis = parse('--basis', ErasureBasis, flags.basis)
  if (E.isLeft(basis)) return wrong(`--basis takes one of ${BASES.join(', ')}`)
  const who = actor({ by, ...(note === undefined ? {} : { note }) })
  const positions = [...new Set(given.map((one) => positionArgument('erase', one, 1)))]
  return {
    grounds: { ...who, basis: basis.right },
    isDry: flags.dryRun === true,
    what: site === undefined ? { positions } : { site },
  }
}

type Done = {
  readonly dryRun: boolean
  readonly bodies: number
  readonly bytes: number
  /** Of the site, and neither there nor erased by an event: left alone, for `verify` to name. */
  readonly missing: number
  readonly list: readonly Pick<Target, 'response' | 'url' | 'bytes'>[]
  readonly swept: Swept | null
}

const erase = async (io: Io, opened: Opened, config: Config, asked: Asked): Promise<Done> => {
  const { grounds, isDry, what } = asked
  const run = newRun(opened)
  const writer: Erasing = { run, ports: opened, sites: siteStore(opened.ledger) }
  // One that was cut short is carried out first: what is left of it must not be erased a second time.
  if (!isDry) await sweepErased(opened)
  const done = { bodies: 0, bytes: 0, missing: 0 }
  const list: Pick<Target, 'response' | 'url' | 'bytes'>[] = []
  for await (const { targets, missing } of pagesOf(opened, what)) {
    if (!isDry && targets.length > 0) {
      await beginLog(opened, config, run)
      await recordErasures(writer, targets, grounds)
    }
    done.bodies += targets.length
    done.missing += missing
    for (const { response, url, bytes } of targets) {
      done.bytes += bytes
      if (list.length < LISTED_MAX) list.push({ response, url, bytes })
    }
  }
  if (isDry) return { dryRun: true, ...done, list, swept: null }
  // A signed head covers the erasures before anything is deleted: they cannot be taken back unseen.
  await sealNow(io, opened)
  const swept = await sweepErased(opened)
  return { dryRun: false, ...done, list, swept }
}

async function* pagesOf(opened: Opened, what: Asked['what']): ReturnType<typeof targetsOf> {
  if ('site' in what) {
    yield* targetsOf(opened, siteArgument(what.site))
    return
  }
  const targets = new Map<number, Target>()
  // All or none: a position that is wrong is said before anything is recorded.
  for (const position of what.positions) {
    const target = await targetAt(opened, position)
    targets.set(target.response, target)
  }
  yield { targets: [...targets.values()], missing: 0 }
}

const tell = async (io: Io, flags: EraseFlags, done: Done): Promise<void> => {
  if (flags.json === true) return io.out(document(done))
  if (flags.jsonl === true) return io.out(line(done))
  for (const { response, url, bytes } of done.list)
    await io.out(`${safe(`${response}  ${bytes} bytes  ${url}`)}\n`)
  if (done.list.length < done.bodies) await io.out(`and ${done.bodies - done.list.length} more\n`)
  const verbed = done.dryRun ? 'would be erased' : 'erased'
  await io.out(`${done.bodies} kept bodies ${verbed}, ${done.bytes} bytes\n`)
  if (done.missing > 0)
    await io.out(
      `${done.missing} kept bodies are not in this data directory, and no event says that they were erased: run verify --full\n`,
    )
  if (done.swept !== null) await io.out(sweptText(done.swept))
}

const tellSwept = async (io: Io, flags: EraseFlags, swept: Swept): Promise<void> => {
  if (flags.json === true) return io.out(document(swept))
  if (flags.jsonl === true) return io.out(line(swept))
  await io.out(`${swept.erasures} erasures looked at, ${swept.deleted} bodies were still there\n`)
  await io.out(sweptText(swept))
}

const sweptText = ({ rebuilt, log }: Swept): string =>
  (rebuilt.length === 0 ? '' : `made anew: ${rebuilt.join(', ')}\n`) +
  (log === 'kept'
    ? 'the write-ahead log of the database may hold what was read from them: see docs/operating.md, Erasing\n'
    : '')
