import type { Projection, Row } from '../../projections/projection.ts'
import type { CommonFlags } from '../config.ts'
import type { Opened } from '../compose.ts'
import type { Site } from '../kernel/site.ts'
import { catchUp } from '../shell/projecting/catch-up.ts'
import { Halt, orHalt } from '../shell/halt.ts'
import { rowsAsOf } from '../shell/projecting/as-of.ts'
import { forPrograms, type Io, type Verb, verb, withOpened } from './command.ts'
import { momentArgument } from './moment-argument.ts'
import { cellText, line, safe, table } from './print.ts'
import { projectionArgument } from './projection-argument.ts'
import { siteArgument } from './site-argument.ts'

type StateFlags = CommonFlags & {
  readonly site?: string
  readonly at?: string
  readonly json?: boolean
  readonly jsonl?: boolean
}

const PAGE = 500

export const stateVerb: Verb = (io) =>
  forPrograms(verb('state', 'the rows of a projection, brought up to date first'))
    .argument('<name>', 'the projection, for example ads-txt-state')
    .option('--site <site>', 'only the rows of this site')
    .option('--at <moment>', 'as it stood at this position, or at this time (UTC)')
    .addHelpText(
      'after',
      `
Every row carries the position of the event that made it: crawl-ledger show POSITION.

Examples:
  crawl-ledger state ads-txt-state --site example.org
  crawl-ledger state ads-txt-state --site example.org --at 2026-11-30T02:00:00Z
  crawl-ledger state robots-state --jsonl`,
    )
    .action(async (name: string, flags: StateFlags) => {
      const projection = projectionArgument(name)
      const site = flags.site === undefined ? undefined : siteOf(projection, flags.site)
      const moment = flags.at === undefined ? undefined : momentArgument(flags.at)
      await withOpened(io, flags, async (opened) => {
        const pages =
          moment === undefined
            ? rowsNow(opened, projection, site)
            : rowsAsOf(opened, projection, { moment, ...(site === undefined ? {} : { site }) })
        await print(io, projection, pages, { whole: site !== undefined, flags })
      })
    })

const siteOf = (projection: Projection, given: string): Site => {
  if (projection.table.columns.includes('site')) return siteArgument(given)
  throw new Halt({ tag: 'WrongUse', because: `the rows of ${projection.name} are of no site` })
}

type Pages = AsyncGenerator<readonly Row[]>

async function* rowsNow(opened: Opened, projection: Projection, site: Site | undefined): Pages {
  await orHalt(catchUp(opened)(projection))
  yield* pagesOf(opened, projection, site === undefined ? {} : { site })
}

type Form = { readonly whole: boolean; readonly flags: StateFlags }

const print = async (
  io: Io,
  projection: Projection,
  pages: Pages,
  { whole, flags }: Form,
): Promise<void> => {
  let opening = flags.json === true ? '[' : ''
  for await (const rows of pages) {
    if (flags.json === true) {
      for (const row of rows) {
        await io.out(`${opening}\n${JSON.stringify(row)}`)
        opening = ','
      }
    } else if (flags.jsonl === true) await io.out(rows.map(line).join(''))
    else if (!whole) await io.out(tableOf(projection, rows, io.columns))
    else await io.out(rows.map(inFull).join('\n'))
  }
  if (flags.json === true) await io.out(`${opening === '[' ? '[' : ''}\n]\n`)
}

export async function* pagesOf(
  opened: Pick<Opened, 'store'>,
  projection: Projection,
  where: { readonly site?: string },
): AsyncGenerator<readonly Row[]> {
  let after: string | undefined
  do {
    const from = after === undefined ? {} : { after }
    const page = await orHalt(opened.store.readRows(projection, { where, limit: PAGE, ...from }))
    yield page.rows
    after = page.next
  } while (after !== undefined)
}

const COLUMNS_SHOWN = 8

/** The first columns of many rows; a whole row needs --site or --jsonl. */
const tableOf = (projection: Projection, rows: readonly Row[], width: number): string =>
  table(
    rows,
    projection.table.columns
      .slice(0, COLUMNS_SHOWN)
      .map((column) => ({ title: column, of: (row: Row) => cellText(row[column]) })),
    width,
  )

const CELL_SHOWN_MAX = 2_000

/** One row, a line a column. */
const inFull = (row: Row): string =>
  Object.entries(row)
    .filter(([, cell]) => cell !== null)
    .map(
      ([column, cell]) => `${column.padEnd(18)} ${safe(cellText(cell).slice(0, CELL_SHOWN_MAX))}\n`,
    )
    .join('')
