import type { Opened } from '../compose.ts'
import { PROJECTIONS } from '../../projections/index.ts'
import type { Cell, Row } from '../../projections/projection.ts'
import { present } from '../kernel/assert.ts'
import { allCaughtUp } from '../shell/projecting/all-caught-up.ts'
import { orHalt } from '../shell/halt.ts'
import type { RunReport } from '../shell/run.ts'
import type { Io } from './command.ts'
import { document, safe } from './print.ts'

const PAGE = 5_000

/** What a night found, counted from the projections. */
type Found = {
  readonly adsTxt: { readonly [state: string]: number }
  readonly robots: { readonly [access: string]: number }
  readonly sites: { readonly cooling: number; readonly stopped: number; readonly excluded: number }
}

/** Brings the projections up to date and says what the night came to. */
export const printReport = async (
  io: Io,
  opened: Opened,
  report: RunReport,
  asJson: boolean,
): Promise<void> => {
  await allCaughtUp(opened, PROJECTIONS)
  const found = await findingsOf(opened)
  if (asJson) return io.out(document({ ...report, found }))
  const counts = (of: { readonly [name: string]: number }): string =>
    Object.entries(of)
      .map(([name, count]) => `${safe(name)} ${count}`)
      .join(', ') || 'none'
  await io.out(
    [
      `night ${report.night} of ${report.programme}: ${report.status} (run ${report.run}${report.jobs === 1 ? '' : `, ${report.jobs} jobs`})`,
      `  sites ${report.sites} · requests ${report.requests} · answers ${report.responses} · failures ${report.failures} · withheld ${report.withheld}`,
      ...(report.recovered > 0 ? [`  closed ${report.recovered} run(s) that had died`] : []),
      `  ads.txt: ${counts(found.adsTxt)}`,
      `  robots.txt: ${counts(found.robots)}`,
      `  sites: cooling down ${found.sites.cooling}, stopped after failures ${found.sites.stopped}, excluded ${found.sites.excluded}`,
      '',
    ].join('\n'),
  )
}

const findingsOf = async (opened: Opened): Promise<Found> => {
  const now = opened.clock.now()
  const adsTxt: Record<string, number> = {}
  const robots: Record<string, number> = {}
  const sites = { cooling: 0, stopped: 0, excluded: 0 }
  for await (const row of rowsOf(opened, 'ads-txt-state')) count(adsTxt, row['state'])
  for await (const row of rowsOf(opened, 'robots-state')) count(robots, row['access'])
  for await (const row of rowsOf(opened, 'site-cooldown')) {
    if (row['excluded'] === true) sites.excluded += 1
    if (Array.isArray(row['stopped']) && row['stopped'].length > 0) sites.stopped += 1
    if (isAfter(row['cooldown_until'], now)) sites.cooling += 1
  }
  return { adsTxt, robots, sites }
}

/** A time in a row is RFC 3339 text. */
const isAfter = (cell: Cell | undefined, now: number): boolean =>
  typeof cell === 'string' && Date.parse(cell) > now

const count = (into: Record<string, number>, cell: Cell | undefined): void => {
  const name = typeof cell === 'string' ? cell : 'none'
  into[name] = (into[name] ?? 0) + 1
}

/** All rows of a projection, a page at a time. */
async function* rowsOf(opened: Opened, name: string): AsyncGenerator<Row> {
  const projection = present(
    PROJECTIONS.find((known) => known.name === name),
    `no projection ${name}`,
  )
  let after: string | undefined
  do {
    const query = after === undefined ? { limit: PAGE } : { limit: PAGE, after }
    const page = await orHalt(opened.store.readRows(projection, query))
    yield* page.rows
    after = page.next
  } while (after !== undefined)
}
