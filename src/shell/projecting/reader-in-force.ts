/**
 * Which reader a projection is made with. Versions stand side by side; one comes into force when a
 * rebuild adopts it (ReaderAdopted), not when the program learns it: facts change when a person says so.
 */
import type { Standing } from '../../../projections/port.ts'
import type { Projection } from '../../../projections/projection.ts'
import { present } from '../../kernel/assert.ts'
import { E, type Either } from '../../kernel/fp.ts'
import type { Ledger, ReadFailure } from '../../ledger/port.ts'
import { projectionStream } from '../../ledger/stream.ts'
import { type Reader, readerLabel } from '../../readers/reader.ts'

/** Every reader that the projection can be made with. */
export const readersFor = (
  { reads }: Projection,
  readers: readonly Reader[],
): readonly Reader[] => {
  if (reads === undefined) return []
  const names = [reads.reader, ...(reads.others ?? [])]
  return readers.filter(({ name }) => names.includes(name))
}

/** The reader the projection is bound to, or else the newest of the name it asks for. */
export const readerOf = (
  projection: Projection,
  readers: readonly Reader[],
): Reader | undefined => {
  const { name, reads, readWith } = projection
  if (reads === undefined) return undefined
  const bound = readersFor(projection, readers).find((one) => readerLabel(one) === readWith)
  const newest = newestOf(reads.reader, readers)
  return bound ?? present(newest, `${name} reads with ${reads.reader}, and there is no such reader`)
}

export const newestOf = (name: string, readers: readonly Reader[]): Reader | undefined =>
  readers
    .filter((reader) => reader.name === name)
    .toSorted((a, b) => Number(b.version) - Number(a.version))[0]

export const canRead = (
  projection: Projection,
  label: string | null,
  readers: readonly Reader[],
): label is string => readersFor(projection, readers).some((one) => readerLabel(one) === label)

const bind = (projection: Projection, readWith: string): Projection => ({ ...projection, readWith })

export type InForcePorts = {
  readonly ledger: Pick<Ledger, 'readAll'>
  readonly readers: readonly Reader[]
}

/**
 * The projection, bound to the reader in force: the one adopted last, or the one its live table was
 * made with. Neither known to this program: the newest of the reader it asks for.
 */
export const inForce = async (
  { ledger, readers }: InForcePorts,
  projection: Projection,
  live: Standing | undefined,
): Promise<Either<ReadFailure, Projection>> => {
  if (projection.reads === undefined || projection.readWith !== undefined)
    return E.right(projection)
  const adopted = await adoptedFor(ledger, projection)
  if (E.isLeft(adopted)) return adopted
  const label = adopted.right ?? live?.reader ?? null
  return E.right(canRead(projection, label, readers) ? bind(projection, label) : projection)
}

/** What a rebuild turns to unless it is told: the newest version of the reader in force. */
export const newestInForce = (projection: Projection, readers: readonly Reader[]): Projection => {
  const now = readerOf(projection, readers)
  const newest = now === undefined ? undefined : newestOf(now.name, readers)
  return newest === undefined ? projection : bind(projection, readerLabel(newest))
}

const PAGE = 1_000

const adoptedFor = async (
  ledger: Pick<Ledger, 'readAll'>,
  { name }: Projection,
): Promise<Either<ReadFailure, string | undefined>> => {
  let adopted: string | undefined
  const of = { limit: PAGE, types: ['ReaderAdopted'], stream: projectionStream(name) } as const
  for (let after = 0; ;) {
    const page = await ledger.readAll({ ...of, after })()
    if (E.isLeft(page)) return page
    for (const { event } of page.right) if (event.type === 'ReaderAdopted') adopted = event.reader
    const last = page.right.at(-1)
    if (last === undefined || page.right.length < PAGE) return E.right(adopted)
    after = last.position
  }
}
