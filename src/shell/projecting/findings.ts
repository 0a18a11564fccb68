/** The findings of every kind, in the order of the ledger. */
import { textIn } from '../../../projections/finding.ts'
import { FINDINGS } from '../../../projections/index.ts'
import type { Row, Projection } from '../../../projections/projection.ts'
import { formatInstant, type Instant } from '../../kernel/instant.ts'
import type { Site } from '../../kernel/site.ts'
import { Halt, orHalt } from '../halt.ts'
import { allCaughtUp } from './all-caught-up.ts'
import type { ProjectionPorts } from './folding.ts'

/** `kinds`: exact names. `site`: whose file it is, or whom it concerns. `until` is included. */
export type FindingFilter = {
  readonly kinds: ReadonlySet<string>
  readonly site?: Site
  readonly since?: Instant
  readonly until?: Instant
  /** Only what the ledger told up to this position. */
  readonly upTo?: number
}

const PAGE = 1_000
/** They are put in order in memory. */
const FOUND_MAX = 200_000

export const findingsOf = async (
  ports: ProjectionPorts,
  filter: FindingFilter,
): Promise<readonly Row[]> => {
  const found: Row[] = []
  await allCaughtUp(ports, FINDINGS)
  for (const projection of FINDINGS) {
    for await (const row of rowsOf(ports, projection, filter)) {
      if (isWanted(row, filter)) found.push(row)
      if (found.length <= FOUND_MAX) continue
      const because = `there are more than ${FOUND_MAX} findings; narrow them by --site, --kind, --since or --until`
      throw new Halt({ tag: 'WrongUse', because })
    }
  }
  return found.sort((a, b) => a.position - b.position)
}

type Store = Pick<ProjectionPorts, 'store'>

/** Of one site only its own: tables of findings grow for ever, and nobody is to read them whole. */
async function* rowsOf(
  ports: Store,
  projection: Projection,
  filter: FindingFilter,
): AsyncGenerator<Row, void, undefined> {
  const { site } = filter
  if (site === undefined) return yield* rowsWhere(ports, projection, filter, {})
  yield* rowsWhere(ports, projection, filter, { site })
  for await (const row of rowsWhere(ports, projection, filter, { concerns: site }))
    if (row['site'] !== site) yield row
}

type Where = { readonly site?: string; readonly concerns?: string }

async function* rowsWhere(
  { store }: Store,
  projection: Projection,
  { since, until }: FindingFilter,
  where: Where,
): AsyncGenerator<Row, void, undefined> {
  const between = {
    column: 'at',
    from: since === undefined ? '0001-01-01T00:00:00.000Z' : formatInstant(since),
    to: until === undefined ? '9999-12-31T23:59:59.999Z' : formatInstant(until),
  }
  let after: string | undefined
  do {
    const from = after === undefined ? {} : { after }
    const page = await orHalt(store.readRows(projection, { where, between, limit: PAGE, ...from }))
    yield* page.rows
    after = page.next
  } while (after !== undefined)
}

const isWanted = (row: Row, { kinds, upTo = row.position }: FindingFilter): boolean =>
  row.position <= upTo && kinds.has(textIn(row, 'kind'))
