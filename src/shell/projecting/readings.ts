/**
 * Kept bodies as readings. A body is read once for each version of its reader; the reading is then
 * remembered in the projection store, so that a rebuild does not open the body again. At most one
 * body is in memory at a time.
 */
import type { KnownReadings, ProjectionStore } from '../../../projections/port.ts'
import type { Projection, Reading, Unread } from '../../../projections/projection.ts'
import type { BodyStore } from '../../capture/port.ts'
import { present } from '../../kernel/assert.ts'
import { canonicalJson, type Json } from '../../kernel/canonical-json.ts'
import type { Digest } from '../../kernel/digest.ts'
import { E, type Either } from '../../kernel/fp.ts'
import type { Recorded } from '../../ledger/entry.ts'
import { robotsUrlOf } from '../../kernel/url.ts'
import type { Purpose } from '../../kernel/words.ts'
import type { EventOf, LedgerEvent } from '../../ledger/event.ts'
import type { Ledger, ReadFailure, Unavailable } from '../../ledger/port.ts'
import { type Capture, type Reader, readerLabel } from '../../readers/reader.ts'
import { tokenInForce } from './token-in-force.ts'

export type ReadingPorts = {
  readonly ledger: Pick<Ledger, 'readAll'>
  readonly bodies: Pick<BodyStore, 'get'>
  readonly store: Pick<ProjectionStore, 'loadReadings' | 'saveReadings'>
}

/** A longer reading (a network's list of a million sellers) is made again from its body each time. */
const REMEMBERED_LENGTH_MAX = 4_194_304

/** What the fold is given beside the event; `bytes` is about what it takes in memory. */
export type Read = { readonly reading: Reading | Unread; readonly bytes: number }

type ReadFailed = ReadFailure

/** An event with a kept answer in it. */
type Kept = {
  readonly recorded: Recorded
  readonly position: number
  readonly commit: Digest
  readonly programme: string
  readonly capture: Omit<Capture, 'body' | 'token'>
}

/** The event as one whose body the projection wants read; undefined for every other. */
const keptOf = (projection: Projection, recorded: Recorded): Kept | undefined => {
  const found = conclusionOf(recorded.event)
  if (found === undefined || found.purpose !== projection.reads?.purpose) return undefined
  const { commit, capture } = found
  const { programme } = found
  const { position } = recorded
  return projection.keysOf(recorded).length === 0
    ? undefined
    : { recorded, position, commit, programme, capture }
}

export type Conclusion = Pick<Kept, 'commit' | 'programme' | 'capture'> & {
  readonly purpose: Purpose
}

/** What a fetch came to, as far as a reader can read it; undefined where nothing was kept. */
export const conclusionOf = (event: LedgerEvent): Conclusion | undefined => {
  if (event.type === 'RobotsRead') return robotsConclusion(event)
  if (event.type !== 'FetchConcluded' || event.outcome !== 'answered') return undefined
  const { commit, purpose, programme, subject, target, url, headers, truncated } = event
  if (commit === null) return undefined
  const status = present(event.status, 'an answer has a status')
  return {
    commit,
    purpose,
    programme,
    capture: { subject, target, url, status, headers, truncated },
  }
}

const robotsConclusion = (event: EventOf<'RobotsRead'>): Conclusion | undefined => {
  const { access, commit, programme, subject, origin, headers, truncated } = event
  if (access !== 'rules' || commit === null) return undefined
  const url = robotsUrlOf(origin)
  // RFC 9309 §2.3.1.1: there are rules because the answer was a 2xx; which one is not recorded here.
  const capture = { subject, target: url, url, status: 200, headers, truncated }
  return { commit, purpose: 'robots', programme, capture }
}

/** The readings of one page of events, asked for in the order of the page. */
export type PageReadings = {
  readonly ports: ReadingPorts
  readonly projection: Projection
  readonly reader: Reader
  readonly bytesMax: number
  /** Positions on the page at which a body is to be read. */
  readonly wanted: readonly number[]
  known: KnownReadings
  made: Map<number, string>
}

export const pageReadings = (
  ports: ReadingPorts,
  projection: Projection,
  reader: Reader,
  page: { readonly events: readonly Recorded[]; readonly bytesMax: number },
): PageReadings => ({
  ports,
  projection,
  reader,
  bytesMax: page.bytesMax,
  wanted: page.events.filter((event) => keptOf(projection, event) !== undefined).map(positionOf),
  known: { through: 0, readings: new Map() },
  made: new Map(),
})

const positionOf = ({ position }: Recorded): number => position

/** undefined: the projection has nothing to read there. */
export const readingAt = async (
  page: PageReadings,
  recorded: Recorded,
): Promise<Either<ReadFailed, Read | undefined>> => {
  const kept = keptOf(page.projection, recorded)
  if (kept === undefined) return E.right(undefined)
  const looked = await lookUp(page, kept.position)
  if (E.isLeft(looked)) return looked
  const known = page.known.readings.get(kept.position)
  return known === undefined ? readBody(page, kept) : E.right(readOf(page.reader, known))
}

const lookUp = async (page: PageReadings, position: number): Promise<Either<Unavailable, void>> => {
  if (position <= page.known.through) return E.right(undefined)
  const rest = page.wanted.filter((wanted) => wanted >= position)
  const loaded = await page.ports.store.loadReadings(
    readerLabel(page.reader),
    rest,
    page.bytesMax,
  )()
  if (E.isLeft(loaded)) return loaded
  page.known = loaded.right
  return E.right(undefined)
}

const readBody = async (page: PageReadings, kept: Kept): Promise<Either<ReadFailed, Read>> => {
  const { reader } = page
  const body = await page.ports.bodies.get(kept.commit)()
  if (E.isRight(body)) {
    const token = await tokenAt(page.ports.ledger, kept)
    if (E.isLeft(token)) return token
    const capture: Capture = { ...kept.capture, token: token.right, body: body.right }
    const reading = canonicalJson(readingOf(reader, capture))
    if (reading.length <= REMEMBERED_LENGTH_MAX) page.made.set(kept.position, reading)
    return E.right(readOf(reader, reading))
  }
  switch (body.left.tag) {
    case 'BodyMissing':
      return E.right({ reading: { reader: readerLabel(reader), unread: 'body-missing' }, bytes: 0 })
    case 'BodyErased':
      return E.right({ reading: { reader: readerLabel(reader), unread: 'body-erased' }, bytes: 0 })
    case 'BodyAltered': {
      const because = `the body ${kept.commit} does not fit its commitment`
      return E.left({ tag: 'IntegrityBreach', position: kept.position, because })
    }
    case 'Unavailable':
      return E.left(body.left)
  }
}

/** From the text, also when it was just made: a fold sees what every later run will see. */
const readOf = (reader: Reader, text: string): Read => ({
  reading: { reader: readerLabel(reader), reading: JSON.parse(text) as Json },
  bytes: text.length,
})

/** Only a reader of robots.txt asks for whom it reads. */
const tokenAt = async (
  ledger: ReadingPorts['ledger'],
  { recorded, programme }: Kept,
): Promise<Either<ReadFailed, string | null>> => {
  if (recorded.event.type !== 'RobotsRead') return E.right(null)
  return tokenInForce(ledger, programme, recorded.position)
}

/** What this reader takes from these bytes, as it can be written canonically. */
export const readingOf = (reader: Reader, capture: Capture): Json =>
  wellFormed(reader.read(capture))

/** Bytes from outside may decode to lone surrogates, which have no canonical form. */
const wellFormed = (json: Json): Json => {
  if (typeof json === 'string') return json.toWellFormed()
  if (typeof json !== 'object' || json === null) return json
  if (Array.isArray(json)) return json.map(wellFormed)
  const entries = Object.entries(json)
  return Object.fromEntries(entries.map(([key, value]) => [key.toWellFormed(), wellFormed(value)]))
}

/** Remembers what was read since the last call. */
export const saveReadings = async (page: PageReadings): Promise<Either<Unavailable, void>> => {
  const { made } = page
  if (made.size === 0) return E.right(undefined)
  page.made = new Map()
  return page.ports.store.saveReadings(readerLabel(page.reader), made)()
}
