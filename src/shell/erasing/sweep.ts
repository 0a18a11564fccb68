/**
 * Carries erasures out: everything that an event says was erased is deleted, wherever it is kept.
 *
 *   bytes and salt → cached readings → states and rows made of them → what files hold of all these
 *
 * Doing it twice does no harm, and a crash anywhere leaves it to the next sweep: how far it came is
 * remembered beside the bodies, so that each data directory carries out every erasure by itself.
 */
import { PROJECTIONS } from '../../../projections/index.ts'
import type { Scrubbed } from '../../../projections/port.ts'
import type { Projection } from '../../../projections/projection.ts'
import type { BodyEraser } from '../../capture/port.ts'
import type { Digest } from '../../kernel/digest.ts'
import type { TaskEither } from '../../kernel/fp.ts'
import type { Purpose } from '../../kernel/words.ts'
import type { Unavailable } from '../../ledger/port.ts'
import { orHalt } from '../halt.ts'
import type { ProjectionPorts } from '../projecting/folding.ts'
import { conclusionOf } from '../projecting/readings.ts'
import { rebuild, whileNobodyFolds } from '../projecting/rebuild.ts'
import { erasuresAfter } from './erased-bodies.ts'

/** Up to which position every erasure was carried out in this data directory. */
export type SweptMemory = {
  readonly read: () => TaskEither<Unavailable, number | undefined>
  readonly write: (through: number) => TaskEither<Unavailable, void>
}

export type SweepPorts = ProjectionPorts & {
  readonly bodies: BodyEraser
  readonly swept: SweptMemory
}

export type Swept = {
  /** Erasures that were looked at, and bodies that were still there. */
  readonly erasures: number
  readonly deleted: number
  /** Projections that were made anew. */
  readonly rebuilt: readonly string[]
  /** null: nothing of these bodies was ever read into the database. */
  readonly log: Scrubbed['log'] | null
}

const NOTHING: Swept = { erasures: 0, deleted: 0, rebuilt: [], log: null }

/** `anew`: also what was carried out before, for instance before a backup was put back. */
export const sweepErased = async (
  ports: SweepPorts,
  { anew = false }: { readonly anew?: boolean } = {},
): Promise<Swept> => {
  const from = anew ? 0 : ((await orHalt(ports.swept.read())) ?? 0)
  const { position: head } = await orHalt(ports.ledger.head())
  if (head <= from) return NOTHING
  const { commits, deleted, first } = await deleteBodies(ports, from)
  const cleaned = commits.size === 0 ? NOTHING : await cleanProjections(ports, commits, first)
  await orHalt(ports.swept.write(head))
  return { ...cleaned, erasures: commits.size, deleted }
}

const deleteBodies = async ({ ledger, bodies }: SweepPorts, from: number) => {
  const commits = new Set<Digest>()
  let deleted = 0
  let first = Number.POSITIVE_INFINITY
  for await (const { event } of erasuresAfter(ledger, from)) {
    if ((await orHalt(bodies.erase(event.commit))) === 'erased') deleted += 1
    commits.add(event.commit)
    first = Math.min(first, event.response)
  }
  return { commits, deleted, first }
}

const cleanProjections = async (
  ports: SweepPorts,
  commits: ReadonlySet<Digest>,
  first: number,
): Promise<Pick<Swept, 'rebuilt' | 'log'> & Swept> => {
  const concluded = await concludedWith(ports, commits, first)
  const rebuilt: string[] = []
  for (const projection of PROJECTIONS) {
    const positions = projection.reads && concluded.get(projection.reads.purpose)
    if (positions === undefined) continue
    await forget(ports, projection, positions)
    if (!(await hasTable(ports, projection))) continue
    // What a rebuild left when it was cut off may hold what was read of the body.
    await orHalt(rebuild(ports)(projection, { anew: true }))
    rebuilt.push(projection.name)
  }
  // Files may hold text of theirs also where a crash came after all rows were gone.
  const { log } = concluded.size === 0 ? NOTHING : await orHalt(ports.store.scrub())
  return { ...NOTHING, rebuilt, log }
}

/** Live, or a shadow that somebody left. Whoever began one before has ended it: they had the lock. */
const hasTable = async ({ store }: SweepPorts, { name }: Projection): Promise<boolean> =>
  (await orHalt(store.status())).some(({ projection }) => projection === name)

/** Whoever read a body before it was deleted has put its reading down before this begins. */
const forget = async (
  { store }: SweepPorts,
  projection: Projection,
  positions: readonly number[],
): Promise<void> => {
  const forgetting = whileNobodyFolds(store, projection, store.forgetReadings(positions))
  await orHalt(forgetting)
}

const PAGE = 1_000
const READ_FROM = ['FetchConcluded', 'RobotsRead'] as const

/** Where a reader read one of these bodies: also those of sites that reused it. */
const concludedWith = async (
  { ledger }: SweepPorts,
  commits: ReadonlySet<Digest>,
  first: number,
): Promise<ReadonlyMap<Purpose, readonly number[]>> => {
  const found = new Map<Purpose, number[]>()
  for (let after = first; ;) {
    const query = { after, limit: PAGE, types: READ_FROM }
    const page = await orHalt(ledger.readAll(query))
    for (const { event, position } of page) {
      const concluded = conclusionOf(event)
      if (concluded === undefined || !commits.has(concluded.commit)) continue
      const positions = found.get(concluded.purpose) ?? []
      positions.push(position)
      found.set(concluded.purpose, positions)
    }
    after = page.at(-1)?.position ?? after
    if (page.length < PAGE) return found
  }
}
