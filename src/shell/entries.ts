/** Reading the ledger for people and programs: filtered, in order, a page at a time. */
import type { Instant } from '../kernel/instant.ts'
import { decodeEntry, type Recorded } from '../ledger/entry.ts'
import type { EventType } from '../ledger/event.ts'
import type { Ledger, StoredEntry } from '../ledger/port.ts'
import type { StreamName } from '../ledger/stream.ts'
import { E } from '../kernel/fp.ts'
import { Halt, orHalt } from './halt.ts'

export type EntryFilter = {
  readonly after: number
  readonly types?: readonly EventType[]
  readonly stream?: StreamName
  readonly since?: Instant
  readonly until?: Instant
}

const PAGE = 1_000

/** The stored bytes of every entry that passes, each with what they say. */
export async function* entriesOf(
  ledger: Ledger,
  filter: EntryFilter,
): AsyncGenerator<StoredEntry & { readonly recorded: Recorded }> {
  const { since, until, types, stream } = filter
  let after =
    since === undefined ? filter.after : Math.max(filter.after, await positionBefore(ledger, since))
  const narrow = {
    ...(types === undefined ? {} : { types }),
    ...(stream === undefined ? {} : { stream }),
  }
  for (;;) {
    const page = await orHalt(ledger.readEntries({ after, limit: PAGE, ...narrow }))
    for (const stored of page) {
      const recorded = recordedOf(stored)
      if (until !== undefined && recorded.ts > until) return
      yield { ...stored, recorded }
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    after = last.position
  }
}

export const recordedOf = ({ position, entry }: StoredEntry): Recorded => {
  const decoded = decodeEntry(entry)
  if (E.isRight(decoded)) return { position, ...decoded.right.envelope, event: decoded.right.event }
  throw new Halt({ tag: 'IntegrityBreach', position, because: 'the stored bytes are no entry' })
}

/** Reads a whole stream; used for the short ones only (programmes, time stamps). */
export const wholeStream = async (
  ledger: Pick<Ledger, 'readStream'>,
  stream: StreamName,
): Promise<readonly Recorded[]> => {
  const all: Recorded[] = []
  for (;;) {
    const page = await orHalt(ledger.readStream(stream, all.length))
    all.push(...page)
    if (page.length < PAGE) return all
  }
}

/** The last position whose time is before `moment`. */
const positionBefore = (ledger: Ledger, moment: Instant): Promise<number> =>
  orHalt(ledger.positionAt(moment - 1))
