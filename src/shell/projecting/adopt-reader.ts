/** Which reader a rebuild turns a projection to, and the record of it. */
import type { Standing } from '../../../projections/port.ts'
import type { Projection } from '../../../projections/projection.ts'
import { E, type Either, type TaskEither } from '../../kernel/fp.ts'
import type { EventOf } from '../../ledger/event.ts'
import type { Ledger } from '../../ledger/port.ts'
import { projectionStream } from '../../ledger/stream.ts'
import { readerLabel } from '../../readers/reader.ts'
import type { WrongUse } from '../halt.ts'
import { buildOf, type FoldFailure, type ProjectionPorts } from './folding.ts'
import { canRead, inForce, newestInForce, readersFor } from './reader-in-force.ts'

/** The projection bound to its reader to be; `from` is the reader in force, null if it reads nothing. */
export type Turn = {
  readonly projection: Projection
  readonly from: string | null
  readonly to: string | null
}

/** To `wanted` (`name@version`), or else to the newest version of the reader in force. */
export const turnOf =
  (ports: Pick<ProjectionPorts, 'ledger' | 'store' | 'readers'>) =>
  (projection: Projection, wanted?: string): TaskEither<FoldFailure | WrongUse, Turn> =>
  async () => {
    const { readers, store } = ports
    if (wanted !== undefined && !canRead(projection, wanted, readers))
      return E.left(noSuchReader(ports, projection, wanted))
    const live = await store.live(projection)()
    if (E.isLeft(live)) return live
    const now = await inForce(ports, projection, live.right)
    if (E.isLeft(now)) return now
    const next =
      wanted === undefined ? newestInForce(now.right, readers) : { ...projection, readWith: wanted }
    const from = buildOf(now.right, readers).reader
    return E.right({ projection: next, from, to: buildOf(next, readers).reader })
  }

const noSuchReader = (
  { readers }: Pick<ProjectionPorts, 'readers'>,
  projection: Projection,
  wanted: string,
): WrongUse => {
  const known = readersFor(projection, readers).map(readerLabel).join(', ')
  const because =
    known === ''
      ? `${projection.name} reads no files: it has no reader to choose`
      : `${projection.name} cannot be read with ${wanted.slice(0, 60)}; there are ${known}`
  return { tag: 'WrongUse', because }
}

export type Adopter = {
  readonly ledger: Pick<Ledger, 'append' | 'readStream'>
  readonly run: string
  readonly by: string | null
  readonly reason: string | null
}

/** Writes down that `turn.to` is in force from here on; nothing if it already is. */
export const adoptReader =
  ({ ledger, run, by, reason }: Adopter, turn: Turn) =>
  (live: Standing | undefined): TaskEither<FoldFailure, void> =>
  async () => {
    const { projection, from, to } = turn
    if (to === null || to === from) return E.right(undefined)
    const stream = projectionStream(projection.name)
    const before = await wholeLength(ledger, projection)
    if (E.isLeft(before)) return before
    const event: EventOf<'ReaderAdopted'> = {
      type: 'ReaderAdopted',
      v: 1,
      projection: projection.name,
      projectionVersion: projection.version,
      reader: to,
      before: live?.reader ?? null,
      by,
      reason,
    }
    const append = { stream, expectedVersion: before.right, events: [event] as const }
    const appended = await ledger.append(run, append)()
    if (E.isRight(appended)) return E.right(undefined)
    const failure = appended.left
    if (failure.tag === 'Unavailable') return E.left(failure)
    // Somebody else adopts a reader for it now.
    return failure.tag === 'Unknown'
      ? E.left({ tag: 'Unavailable', because: failure.because })
      : E.left({ tag: 'Overtaken', projection: projection.name })
  }

const PAGE = 1_000

const wholeLength = async (
  ledger: Adopter['ledger'],
  { name }: Projection,
): Promise<Either<FoldFailure, number>> => {
  for (let length = 0; ;) {
    const page = await ledger.readStream(projectionStream(name), length)()
    if (E.isLeft(page)) return page
    length += page.right.length
    if (page.right.length < PAGE) return E.right(length)
  }
}
