/** `rebuild`: fold again, and with --diff say which facts that changes. No site is asked. */
import { availableParallelism } from 'node:os'
import type { Standing } from '../../../projections/port.ts'
import { PROJECTIONS } from '../../../projections/index.ts'
import type { Projection } from '../../../projections/projection.ts'
import type { Opened } from '../../compose.ts'
import type { CommonFlags, Config } from '../../config.ts'
import { E } from '../../kernel/fp.ts'
import { clip } from '../../kernel/text.ts'
import { Halt, orHalt } from '../../shell/halt.ts'
import { adoptReader, type Turn, turnOf } from '../../shell/projecting/adopt-reader.ts'
import { type Compared, compareTables } from '../../shell/projecting/changes.ts'
import type { FoldFailure } from '../../shell/projecting/folding.ts'
import {
  type Compare,
  type Rebuilt,
  rebuildTogether,
  type Target,
} from '../../shell/projecting/rebuild.ts'
import { forPrograms, type Io, type Verb, verb, withOpened } from '../command.ts'
import { beginLog, newRun } from '../night.ts'
import { sealNow } from '../sealing.ts'
import { document, line } from '../print.ts'
import { projectionArgument } from '../projection-argument.ts'
import { foldProgress } from './fold-progress.ts'
import { type ChangeWriter, changeWriter, type Diffed, type Form } from './change-writer.ts'

type RebuildFlags = CommonFlags & {
  readonly json?: boolean
  readonly jsonl?: boolean
  readonly csv?: boolean
  readonly all?: boolean
  readonly diff?: boolean
  readonly dryRun?: boolean
  readonly anew?: boolean
  readonly reader?: string
  readonly workers: number
  readonly by?: string
  readonly reason?: string
}

export const rebuildVerb: Verb = (io) =>
  forPrograms(verb('rebuild', 'fold projections again from the whole ledger, then swap them in'))
    .argument('[name...]', 'the projections')
    .option('--all', 'every projection')
    .option('--diff', 'list every fact that changes: before, after, and what it rests on')
    .option('--dry-run', 'list what would change (as --diff does), and leave the live rows')
    .option('--anew', 'from nothing, also where an earlier rebuild was cut off')
    .option('--reader <name@version>', 'read with this one from here on, an older version also')
    .option('--workers <n>', 'fold in so many threads, 1 to 16', workerCount, DEFAULT_WORKERS)
    .option('--by <name>', 'who has another reader adopted, for the record')
    .option('--reason <text>', 'why, for the record')
    .option('--csv', 'with --diff: print CSV')
    .addHelpText('after', HELP)
    .action(async (names: readonly string[], flags: RebuildFlags) => {
      const wanted = wantedBy(names, flags)
      await withOpened(io, flags, async (opened, config) => {
        const writer = isDiff(flags) ? changeWriter(io, formOf(flags)) : undefined
        await writer?.begin()
        const { done, failure } = await rebuildAll({ io, opened, config, flags, writer }, wanted)
        await writer?.end()
        if (done.some(({ adopted }) => adopted)) await sealNow(io, opened)
        if (writer === undefined) await tell(io, done, flags)
        if (failure !== undefined) throw new Halt(failure)
      })
    })

/** One core is the database's, which more than a few would wait for. */
const DEFAULT_WORKERS = Math.max(1, Math.min(availableParallelism() - 1, 4))
const WORKERS_MAX = 16

const workerCount = (text: string): number => {
  const count = Number(text)
  if (Number.isInteger(count) && count >= 1 && count <= WORKERS_MAX) return count
  throw new Halt({ tag: 'WrongUse', because: `--workers takes 1 to ${WORKERS_MAX}` })
}

const HELP = `
No site is asked; readers run again on the kept bodies. All projections named are folded in one
reading of the ledger. A projection stays with the reader in force
until a rebuild takes its newest version, or the one that --reader names: then ReaderAdopted is
recorded. Both tables are compared at the position of the live one. A column "reader" is no fact.

A rebuild that was cut off is gone on with by the next one of the same version and reader, unless
--anew is given, or --diff would have to compare at a position that it is past.

--json: {"changes":[…],"projections":[…]}; --jsonl: one change a line, {"projection","key","index",
"row":"changed"|"appeared"|"vanished","column","before","after","rests":{"before","after"},"builds"}.

Examples:
  crawl-ledger rebuild --all
  crawl-ledger rebuild ads-txt-state market-day
  crawl-ledger rebuild ads-txt-state --dry-run
  crawl-ledger rebuild ads-txt-state --diff --by "A. Operator" --reason "records may end in a comment"
  crawl-ledger rebuild robots-decisions --reader robots-parser@3.0.1 --dry-run`

const wantedBy = (names: readonly string[], flags: RebuildFlags): readonly Projection[] => {
  const wrong = wrongUseOf(names, flags)
  if (wrong !== undefined) throw new Halt({ tag: 'WrongUse', because: wrong })
  return flags.all === true ? PROJECTIONS : [...new Set(names)].map(projectionArgument)
}

const wrongUseOf = (names: readonly string[], flags: RebuildFlags): string | undefined => {
  if (names.length === 0 && flags.all !== true) return 'name a projection, or give --all'
  if (flags.reader !== undefined && (flags.all === true || names.length > 1))
    return '--reader is for one projection: name it'
  if (flags.csv === true && !isDiff(flags)) return '--csv goes with --diff or --dry-run'
  return flags.by?.trim() === '' ? '--by takes a name' : undefined
}

const isDiff = ({ diff, dryRun }: RebuildFlags): boolean => diff === true || dryRun === true

const formOf = ({ json, jsonl, csv }: RebuildFlags): Form =>
  json === true ? 'json' : jsonl === true ? 'jsonl' : csv === true ? 'csv' : 'text'

type Work = {
  readonly io: Io
  readonly opened: Opened
  readonly config: Config
  readonly flags: RebuildFlags
  readonly writer: ChangeWriter | undefined
}

/** All in one reading of the ledger; what one of them fails of comes after what the others gave. */
const rebuildAll = async (
  work: Work,
  wanted: readonly Projection[],
): Promise<{ readonly done: readonly Diffed[]; readonly failure: FoldFailure | undefined }> => {
  const { io, opened, flags } = work
  const done: Diffed[] = []
  const targets: Target[] = []
  for (const projection of wanted)
    targets.push(await targetOf(work, projection, (diffed) => void done.push(diffed)))
  const name = wanted.length === 1 ? wanted[0]?.name : undefined
  const outcomes = await rebuildTogether(opened)(targets, {
    onProgress: foldProgress(io, name ?? `${wanted.length} projections`),
    keep: flags.dryRun === true,
    anew: flags.anew === true,
    workers: opened.workers(flags.workers),
  })()
  return { done, failure: outcomes.find(E.isLeft)?.left }
}

const targetOf = async (
  work: Work,
  projection: Projection,
  tell: (diffed: Diffed) => void,
): Promise<Target> => {
  const { io, opened, flags, writer } = work
  let resumedFrom: number | null = null
  const turn = await orHalt(turnOf(opened)(projection, flags.reader))
  const adopted = turn.to !== turn.from && flags.dryRun !== true
  const diff = writer === undefined ? undefined : comparison(opened, projection, writer)
  return {
    projection: turn.projection,
    adopt: adopted ? adoptReader(await adopterOf(work), turn) : undefined,
    compare: diff?.compare,
    resumed: (position) => {
      resumedFrom = position
      io.err(
        `${projection.name}: going on from position ${position}, where a rebuild was cut off\n`,
      )
    },
    done: async (rebuilt) => {
      const found = { resumedFrom, ...(diff?.found() ?? { comparedAt: null, facts: 0, rows: 0 }) }
      const diffed = diffedOf(turn, rebuilt, { ...found, adopted, swapped: flags.dryRun !== true })
      await writer?.close(diffed)
      tell(diffed)
    },
  }
}

const adopterOf = async ({ opened, config, flags }: Work) => {
  const run = newRun(opened)
  await beginLog(opened, config, run)
  const { by, reason } = flags
  return {
    ledger: opened.ledger,
    run,
    by: by === undefined ? null : clip(by, 200),
    reason: reason === undefined ? null : clip(reason, 1_000),
  }
}

type Found = Compared & { readonly comparedAt: number | null }

const comparison = (opened: Opened, projection: Projection, writer: ChangeWriter) => {
  let found: Found = { comparedAt: null, facts: 0, rows: 0 }
  const compare: Compare = (before, after) => async () => {
    const builds = { before: buildIn(before), after: buildIn(after) }
    const compared = await compareTables(opened.store, { projection, before, after }, (change) =>
      writer.write(change, builds),
    )
    if (E.isLeft(compared)) return compared
    found = { ...compared.right, comparedAt: before.checkpoint }
    return E.right(undefined)
  }
  return { compare, found: () => found }
}

const buildIn = ({ version, reader }: Standing) => ({ version, reader })

const diffedOf = (
  { projection, to }: Turn,
  { live, before }: Rebuilt,
  found: Found & Pick<Diffed, 'swapped' | 'adopted' | 'resumedFrom'>,
): Diffed => ({
  name: projection.name,
  version: projection.version,
  position: live.checkpoint,
  before: before?.checkpoint ?? null,
  builds: {
    before: before === undefined ? null : buildIn(before),
    after: { version: projection.version, reader: to },
  },
  ...found,
})

const tell = async (io: Io, done: readonly Diffed[], flags: RebuildFlags): Promise<void> => {
  const told = done.map(({ name, version, position, before, builds, resumedFrom }) => ({
    name,
    version,
    position,
    before,
    reader: builds.after.reader,
    resumedFrom,
  }))
  if (flags.json === true) return io.out(document(told))
  if (flags.jsonl === true) return io.out(told.map(line).join(''))
  for (const one of told) await io.out(`${one.name} rebuilt up to position ${one.position}\n`)
}
