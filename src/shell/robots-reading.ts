/** What the ledger knows of an origin's robots.txt: the newest reading, and the bytes it rests on. */
import type { BodyStore } from '../capture/port.ts'
import { type Digest, sha256Hex } from '../kernel/digest.ts'
import type { Instant } from '../kernel/instant.ts'
import { type Origin, robotsUrlOf, siteOf } from '../kernel/url.ts'
import type { Recorded } from '../ledger/entry.ts'
import type { Ledger } from '../ledger/port.ts'
import { siteStream } from '../ledger/stream.ts'
import type { RobotsFile } from '../robots/read.ts'
import { bodyUnlessErased } from './erasing/erased-bodies.ts'
import { orHalt } from './halt.ts'
import type { Moment } from './projecting/rows-at.ts'
import { robotsFileOf } from './robots-files.ts'

export type RobotsReading = {
  readonly read: Recorded<'RobotsRead'>
  /** When the exchange began that the reading rests on; null if nothing was asked. */
  readonly askedAt: Instant | null
  /** The kept body and the rules in it; null if the reading rests on none. */
  readonly body: { readonly bytes: number; readonly sha256: Digest } | null
  /** There was one, and a person had it erased: nobody can read its rules any more. */
  readonly isErased: boolean
  readonly file: RobotsFile | null
  /** The newest earlier reading that had rules, if this one has none. */
  readonly lastWithRules: Recorded<'RobotsRead'> | null
}

const PAGE = 1_000

type Ports = { readonly ledger: Pick<Ledger, 'readAll'>; readonly bodies: BodyStore }

/** The newest reading of the origin by any programme, up to `moment`; undefined if there is none. */
export const robotsReadingAt = async (
  ports: Ports,
  origin: Origin,
  moment?: Moment,
): Promise<RobotsReading | undefined> => {
  let read: Recorded<'RobotsRead'> | undefined
  let lastWithRules: Recorded<'RobotsRead'> | null = null
  for await (const recorded of readingsOf(ports.ledger, origin)) {
    if (moment !== undefined && !isBy(recorded, moment)) break
    read = recorded
    if (recorded.event.access === 'rules') lastWithRules = recorded
  }
  if (read === undefined) return undefined
  const rests = await restOf(ports, read)
  return { read, ...rests, lastWithRules: read === lastWithRules ? null : lastWithRules }
}

/** The request and the bytes that a reading rests on. */
const restOf = async (
  { ledger, bodies }: Ports,
  { event: { request, commit, access, headers } }: Recorded<'RobotsRead'>,
): Promise<Pick<RobotsReading, 'askedAt' | 'body' | 'isErased' | 'file'>> => {
  const [asked] =
    request === null ? [] : await orHalt(ledger.readAll({ after: request - 1, limit: 1 }))
  const askedAt = asked?.ts ?? null
  if (commit === null) return { askedAt, body: null, isErased: false, file: null }
  const bytes = await bodyUnlessErased(bodies, commit)
  if (bytes === undefined) return { askedAt, body: null, isErased: true, file: null }
  return {
    askedAt,
    body: { bytes: bytes.length, sha256: sha256Hex(bytes) },
    isErased: false,
    file: access === 'rules' ? robotsFileOf(bytes, headers) : null,
  }
}

async function* readingsOf(
  ledger: Pick<Ledger, 'readAll'>,
  origin: Origin,
): AsyncGenerator<Recorded<'RobotsRead'>> {
  const stream = siteStream(siteOf(robotsUrlOf(origin)))
  for (let after = 0; ;) {
    const page = await orHalt(ledger.readAll({ after, limit: PAGE, types: ['RobotsRead'], stream }))
    for (const { event, ...envelope } of page) {
      if (event.type === 'RobotsRead' && event.origin === origin) yield { ...envelope, event }
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    after = last.position
  }
}

const isBy = ({ position, ts }: Recorded, moment: Moment): boolean =>
  'position' in moment ? position <= moment.position : ts <= moment.ts
