import { PROJECTIONS } from '../../projections/index.ts'
import type { CommonFlags } from '../config.ts'
import { catchUp } from '../shell/projecting/catch-up.ts'
import type { OnProgress } from '../shell/projecting/folding.ts'
import { Halt, orHalt } from '../shell/halt.ts'
import { paceOf, rebuild } from '../shell/projecting/rebuild.ts'
import { forPrograms, type Io, type Verb, verb, withOpened } from './command.ts'
import { document, line, table } from './print.ts'
import { projectionArgument } from './projection-argument.ts'

type ListFlags = CommonFlags & { readonly json?: boolean; readonly jsonl?: boolean }
type RebuildFlags = ListFlags & { readonly all?: boolean }

type Listed = {
  readonly name: string
  readonly version: number
  readonly position: number
  readonly lag: number
  readonly rows: number
  readonly reader: string | null
  readonly place: string
  readonly builtAt: string | null
}

export const projectionsVerb: Verb = (io) =>
  forPrograms(verb('projections', 'every projection with its version, position and lag'))
    .option('--catch-up', 'first bring each one up to the head of the ledger')
    .addHelpText('after', '\nExample:\n  crawl-ledger projections --catch-up')
    .action(async (flags: ListFlags & { catchUp?: boolean }) => {
      await withOpened(io, flags, async (opened) => {
        if (flags.catchUp === true) {
          for (const projection of PROJECTIONS) await orHalt(catchUp(opened)(projection))
        }
        const head = await orHalt(opened.ledger.head())
        const status = await orHalt(opened.store.status())
        const listed = PROJECTIONS.flatMap((projection): readonly Listed[] => {
          const standings = status.filter((standing) => standing.projection === projection.name)
          if (standings.length === 0)
            return [neverBuilt(projection.name, projection.version, head.position)]
          return standings.map(({ version, checkpoint, rows, reader, place, builtAt }) => ({
            name: projection.name,
            version,
            position: checkpoint,
            lag: head.position - checkpoint,
            rows,
            reader,
            place,
            builtAt,
          }))
        })
        if (flags.json === true) return io.out(document(listed))
        if (flags.jsonl === true) return io.out(listed.map(line).join(''))
        await io.out(shown(listed, io.columns))
      })
    })

const neverBuilt = (name: string, version: number, lag: number): Listed => ({
  name,
  version,
  position: 0,
  lag,
  rows: 0,
  reader: null,
  place: 'none',
  builtAt: null,
})

const shown = (listed: readonly Listed[], width: number): string =>
  table(
    listed,
    [
      { title: 'projection', of: ({ name }) => name },
      { title: 'version', of: ({ version }) => String(version), align: 'right' },
      { title: 'position', of: ({ position }) => String(position), align: 'right' },
      { title: 'lag', of: ({ lag }) => String(lag), align: 'right' },
      { title: 'rows', of: ({ rows }) => String(rows), align: 'right' },
      { title: 'reader', of: ({ reader }) => reader ?? '' },
      { title: 'table', of: ({ place }) => place },
    ],
    width,
  )

export const rebuildVerb: Verb = (io) =>
  forPrograms(verb('rebuild', 'fold a projection again from the whole ledger, then swap it in'))
    .argument('[name]', 'the projection')
    .option('--all', 'every projection')
    .addHelpText(
      'after',
      '\nNo site is asked; readers run again on the kept bodies.\n\nExample:\n  crawl-ledger rebuild ads-txt-state',
    )
    .action(async (name: string | undefined, flags: RebuildFlags) => {
      const wanted = flags.all === true ? PROJECTIONS : [projectionArgument(nameOf(name))]
      await withOpened(io, flags, async (opened) => {
        const done = []
        for (const projection of wanted) {
          const onProgress = progressOf(io, projection.name)
          const rebuilt = await orHalt(rebuild(opened)(projection, { onProgress }))
          const before = rebuilt.before?.checkpoint ?? null
          done.push({
            name: projection.name,
            version: rebuilt.live.version,
            position: rebuilt.live.checkpoint,
            before,
          })
        }
        if (flags.json === true) return io.out(document(done))
        if (flags.jsonl === true) return io.out(done.map(line).join(''))
        for (const one of done) await io.out(`${one.name} rebuilt up to position ${one.position}\n`)
      })
    })

const nameOf = (name: string | undefined): string => {
  if (name !== undefined) return name
  throw new Halt({ tag: 'WrongUse', because: 'name a projection, or give --all' })
}

const BETWEEN_LINES_MS = 1_000

const progressOf = (io: Io, name: string): OnProgress => {
  const startedAt = performance.now()
  let told = startedAt
  return (progress) => {
    const now = performance.now()
    if (now - told < BETWEEN_LINES_MS) return
    told = now
    const { perSecond, remainingMs } = paceOf(progress, now - startedAt)
    const pace =
      perSecond === null || remainingMs === null
        ? ''
        : `, ${perSecond} positions/s, ${Math.ceil(remainingMs / 1_000)} s left`
    io.err(`${name} ${progress.position}/${progress.of}${pace}\n`)
  }
}
