/** A projection as it stood at an earlier moment (CL6), folded from the beginning and in memory. */
import type { StoredState } from '../../../projections/port.ts'
import type { Projection, Row } from '../../../projections/projection.ts'
import { E, type Either, type TaskEither } from '../../kernel/fp.ts'
import type { Instant } from '../../kernel/instant.ts'
import { type Site, siteOfHost } from '../../kernel/site.ts'
import { siteOf } from '../../kernel/url.ts'
import type { Recorded } from '../../ledger/entry.ts'
import type { LedgerEvent } from '../../ledger/event.ts'
import type { Ledger } from '../../ledger/port.ts'
import { type FoldFailure, foldAlong, type ProjectionPorts } from './folding.ts'
import { heldStates, type HeldStates } from './held-states.ts'
import { inForce } from './reader-in-force.ts'
import { rowsOfState } from './storable.ts'

/** Up to a position, or up to the last event of that time. Both are included. */
export type Moment = { readonly position: number } | { readonly ts: Instant }

/** `position`: the last event of interest that was folded, 0 if none. */
export type RowsAt = { readonly position: number; readonly rows: readonly Row[] }

/** Nothing is committed on the way: everything stays in memory. */
const LIMITS = {
  pageEvents: 1_000,
  batchEvents: 1_000,
  batchBytes: 16_777_216,
  heldBytes: Number.POSITIVE_INFINITY,
  newKeys: Number.POSITIVE_INFINITY,
}

/**
 * The rows of `projection` at `moment`, in key order; with `site` only its rows, and then only the
 * events that name it are folded. It rests on nothing but history: what a claim needs, and nobody who
 * is in a hurry (`as-of.ts`).
 */
export const rowsAt =
  (ports: ProjectionPorts) =>
  (given: Projection, moment: Moment, site?: Site): TaskEither<FoldFailure, RowsAt> =>
  async () => {
    const live = await ports.store.live(given)()
    if (E.isLeft(live)) return live
    const bound = await inForce(ports, given, live.right)
    if (E.isLeft(bound)) return bound
    const projection = bound.right
    const narrow = site === undefined ? projection : about(projection, site)
    const folded = await foldInMemory(ports, narrow, { follow: upTo(ports.ledger, moment) })
    if (E.isLeft(folded)) return folded
    const { position, held } = folded.right
    const inOrder = [...held].sort(([a], [b]) => (a < b ? -1 : 1))
    const rows = inOrder.flatMap(([, { state, told }]) =>
      projection.adds === undefined ? rowsOfState(projection, state) : (told?.rows ?? []),
    )
    return E.right({
      position,
      rows: rows.filter((row) => site === undefined || row['site'] === site),
    })
  }

export type InMemory = {
  /** Which events there are. */
  readonly follow: Ledger['follow']
  /** Where states begin; a key that is not among them begins with nothing. */
  readonly bases?: ReadonlyMap<string, StoredState>
}

/** Folds events in memory. `position`: of the last one of interest, 0 if there was none. */
export const foldInMemory = async (
  ports: ProjectionPorts,
  projection: Projection,
  { follow, bases = new Map<string, StoredState>() }: InMemory,
): Promise<
  Either<FoldFailure, { readonly position: number; readonly held: HeldStates['held'] }>
> => {
  const unkept = { ...projection, snapshotEvery: Number.POSITIVE_INFINITY }
  const store = { ...NOWHERE, loadStates: () => async () => E.right(bases) }
  const states = { ...heldStates(store, unkept, startOf(projection)), elsewhere: undefined }
  const walk = { ports, projection: unkept, limits: LIMITS, states, head: 0 }
  const last = await foldAlong(walk, follow)
  return E.isLeft(last) ? last : E.right({ position: last.right, held: states.held })
}

const startOf = ({ name, version }: Projection) =>
  ({
    projection: name,
    version,
    reader: null,
    place: 'shadow',
    generation: 0,
    checkpoint: 0,
  }) as const

/** All states are held, and none is committed. */
const NOWHERE = {
  commit: (projection: Projection) => async () =>
    E.left({ tag: 'Overtaken' as const, projection: projection.name }),
}

/** As far as the moment: a page that is cut short is the last. */
export const upTo = ({ follow }: Pick<Ledger, 'follow'>, moment: Moment): Ledger['follow'] =>
  async function* (query) {
    for await (const page of follow(query)) {
      if (E.isLeft(page)) {
        yield page
        return
      }
      const events = page.right.filter((one) => isBy(one, moment))
      if (events.length > 0) yield E.right(events)
      if (events.length < page.right.length) return
    }
  }

const isBy = (recorded: Recorded, moment: Moment): boolean =>
  'position' in moment ? recorded.position <= moment.position : recorded.ts <= moment.ts

const about = (projection: Projection, site: Site): Projection => ({
  ...projection,
  keysOf: (recorded) => (sitesOf(recorded.event).includes(site) ? projection.keysOf(recorded) : []),
})

/** Every site an event is about, be it asked, asked for, or acted on. */
const sitesOf = (event: LedgerEvent): readonly Site[] => {
  const sites: Site[] = []
  if ('site' in event) sites.push(event.site)
  if ('subject' in event) sites.push(event.subject)
  if ('url' in event) sites.push(siteOf(event.url))
  if ('target' in event) sites.push(siteOf(event.target))
  if ('from' in event) sites.push(siteOf(event.from))
  if ('origin' in event) sites.push(siteOfHost(URL.parse(event.origin)?.hostname ?? event.origin))
  if ('sources' in event && typeof event.sources !== 'string')
    sites.push(...event.sources.map(({ url }) => siteOf(url)))
  return sites
}
