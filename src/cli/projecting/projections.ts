import { PROJECTIONS } from '../../../projections/index.ts'
import type { CommonFlags } from '../../config.ts'
import { allCaughtUp } from '../../shell/projecting/all-caught-up.ts'
import { orHalt } from '../../shell/halt.ts'
import { forPrograms, type Verb, verb, withOpened } from '../command.ts'
import { foldProgress } from './fold-progress.ts'
import { document, line, table } from '../print.ts'

type ListFlags = CommonFlags & { readonly json?: boolean; readonly jsonl?: boolean }

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
          const onProgress = foldProgress(io, `${PROJECTIONS.length} projections`)
          await allCaughtUp(opened, PROJECTIONS, { onProgress })
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
