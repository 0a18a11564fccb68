import { E } from '../kernel/fp.ts'
import type { Site } from '../kernel/site.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import type { Appended, Guard, Ledger } from '../ledger/port.ts'
import { siteStream } from '../ledger/stream.ts'
import type { SiteState } from '../politeness/site-state.ts'
import { Halt } from './halt.ts'
import type { SiteStore } from './site-store.ts'

type Events = readonly [LedgerEvent, ...LedgerEvent[]]

/** What an append to a site's stream needs of a run. */
export type SiteWriter = {
  readonly run: string
  readonly ports: { readonly ledger: Ledger }
  readonly sites: SiteStore
}

/** Each retry means that somebody else wrote to this one stream in between: a person, or a redirect. */
const CONFLICTS_MAX = 50

/**
 * Appends what was decided on `state`; undefined if the stream has moved on since, so that the caller
 * decides again. Everything else that goes wrong ends the run.
 */
export const appendDecided = async (
  writer: SiteWriter,
  state: SiteState,
  events: Events,
  guard?: Guard,
): Promise<Appended | undefined> => {
  const append = { stream: siteStream(state.site), expectedVersion: state.version, events }
  const result = await writer.ports.ledger.append(writer.run, append, guard)()
  if (E.isRight(result)) return result.right
  if (result.left.tag === 'Conflict') return undefined
  throw new Halt(result.left)
}

/**
 * Appends facts that stand whatever happened in between (a closing event, a conclusion).
 * `eventsOn` sees the newest state, and may find that there is nothing left to say.
 */
export const appendFact = async (
  writer: SiteWriter,
  site: Site,
  eventsOn: (state: SiteState) => readonly LedgerEvent[],
  guard?: Guard,
): Promise<void> => {
  for (let attempt = 0; attempt < CONFLICTS_MAX; attempt += 1) {
    const state = await writer.sites.load(site)
    const [first, ...rest] = eventsOn(state)
    if (first === undefined) return
    if ((await appendDecided(writer, state, [first, ...rest], guard)) !== undefined) return
  }
  throw new Halt({ tag: 'Unavailable', because: `too many writers on the stream of ${site}` })
}
