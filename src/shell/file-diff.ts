/** Two captures of one file of a site, line by line. */
import { decodeBody } from '../capture/decode-body.ts'
import type { BodyStore } from '../capture/port.ts'
import type { Digest } from '../kernel/digest.ts'
import { E } from '../kernel/fp.ts'
import type { Instant } from '../kernel/instant.ts'
import type { Position } from '../kernel/position.ts'
import type { Site } from '../kernel/site.ts'
import type { Header } from '../kernel/words.ts'
import type { Recorded } from '../ledger/entry.ts'
import type { Ledger } from '../ledger/port.ts'
import { readFileText } from '../readers/file-text.ts'
import { type ChangedLine, lineDifference } from '../readers/difference/line-difference.ts'
import { adsTxtMeanings, robotsMeanings } from '../readers/difference/line-meaning.ts'
import { Halt, orHalt } from './halt.ts'
import { type HistoricFile, streamOf, toldBy } from './history.ts'
import type { Moment } from './projecting/rows-at.ts'
import { ROBOTS_DECODED_MAX } from './robots-files.ts'

export type Capture = {
  readonly position: Position
  readonly at: Instant
  readonly url: string
  readonly commit: Digest
  readonly headers: readonly Header[]
}

export type FileDiff = {
  readonly before: Capture
  readonly after: Capture
  readonly lines: readonly ChangedLine[]
}

type Ports = { readonly ledger: Ledger; readonly bodies: BodyStore }
type Of = { readonly site: Site; readonly file: HistoricFile }

/** Of each moment the newest capture whose bytes were kept; both of the same address. */
export const fileDiff = async (ports: Ports, of: Of, a: Moment, b: Moment): Promise<FileDiff> => {
  const captures: Capture[] = []
  for await (const recorded of streamOf(ports.ledger, of.site)) {
    const found = captureIn(recorded, of.file)
    if (found !== undefined) captures.push(found)
  }
  const after = newestBy(captures, b, of)
  const before = newestBy(
    captures.filter(({ url }) => url === after.url),
    a,
    of,
  )
  const lines = lineDifference(
    await versionOf(ports, of, before),
    await versionOf(ports, of, after),
  )
  return { before, after, lines }
}

const captureIn = (recorded: Recorded, file: HistoricFile): Capture | undefined => {
  const { event, position, ts: at } = recorded
  const told = toldBy(recorded, file)
  if (told === undefined || told.commit === null || !('headers' in event)) return undefined
  return { position, at, url: told.url, commit: told.commit, headers: event.headers }
}

const newestBy = (captures: readonly Capture[], moment: Moment, { site, file }: Of): Capture => {
  const found = captures.findLast(({ position, at }) =>
    'position' in moment ? position <= moment.position : at <= moment.ts,
  )
  if (found !== undefined) return found
  const because = `no ${file} of ${site} was kept by then; see crawl-ledger history ${site} ${file}`
  throw new Halt({ tag: 'NotFound', because })
}

const versionOf = async ({ bodies }: Ports, { site, file }: Of, capture: Capture) => {
  const body = await orHalt(bodies.get(capture.commit))
  const decoded = decodeBody(body, capture.headers, ROBOTS_DECODED_MAX)
  if (E.isLeft(decoded)) {
    const because = `the content coding of the capture at position ${capture.position} cannot be undone`
    throw new Halt({ tag: 'NotFound', because })
  }
  const bytes = decoded.right
  const means = file === 'ads.txt' ? adsTxtMeanings(bytes, site) : robotsMeanings(bytes)
  // What is no text has no lines; the readers say what it is.
  return { text: readFileText(bytes).text ?? '', means }
}
