/** Which sites a programme watches, and which seller entries named each of them (PR16). */
import type { Json } from '../../src/kernel/canonical-json.ts'
import { formatInstant } from '../../src/kernel/instant.ts'
import type { Fold } from '../projection.ts'

type Listed = { readonly position: number; readonly at: string }

export type PublisherListState = {
  readonly programme: string
  readonly site: string
  readonly namings: number
  readonly namedBy: readonly Json[]
  readonly reader: string
  /** When the site came onto the list, and when its namings were last recorded. */
  readonly first: Listed | null
  readonly last: Listed | null
}

const SEPARATOR = '/'

export const publisherListFold: Fold<PublisherListState> = {
  name: 'publisher-list',
  version: 1,
  interestedIn: ['SiteListed'],
  keysOf: ({ event }) =>
    event.type === 'SiteListed' ? [`${event.programme}${SEPARATOR}${event.site}`] : [],
  initial: (key) => ({
    // A programme's name never holds a slash.
    programme: key.slice(0, key.indexOf(SEPARATOR)),
    site: key.slice(key.indexOf(SEPARATOR) + 1),
    namings: 0,
    namedBy: [],
    reader: '',
    first: null,
    last: null,
  }),
  fold: (state, { recorded }) => {
    const { event, position, ts } = recorded
    if (event.type !== 'SiteListed') return state
    const last = { position, at: formatInstant(ts) }
    const { namings, namedBy, reader } = event
    return { ...state, namings, namedBy, reader, first: state.first ?? last, last }
  },
}
