/**
 * Which seller entries came into, left, or changed in an advertising system's sellers.json (PR17).
 *
 * sellers.json 1.0: after any error, a 404 among them, the last good list stands; so does it after a
 * file cut off, and one that cannot be read. Where most of a list is gone at once, the next good
 * answer has to say so too before anybody is told that a seller disappeared.
 */
import { siteOfHost } from '../../src/kernel/site.ts'
import type { EventOf } from '../../src/ledger/event.ts'
import { addingFindings, type Cited, citedBy, type Finding, foundOnce } from '../finding.ts'
import type { Fold, Folded } from '../projection.ts'
import {
  compareEntries,
  concludeSellers,
  domainOf,
  saidOf,
  type SellerChange,
  type SellerChanges,
} from './conclude.ts'

/** `entries` null: too long to be compared. */
type Known = { readonly cited: Cited; readonly entries: readonly string[] | null }

export type SellerFindingsState = {
  readonly target: string
  readonly last: Known | null
  /** The last good answer lacked most of the list; the next one decides. */
  readonly shrunk: boolean
  readonly found: readonly Finding[]
}

const FOUND_MAX = 1_000
const SMALL_LIST = 20

const isDoubtful = ({ accounts, lost }: SellerChanges): boolean =>
  lost > 0 && (lost === accounts || (accounts >= SMALL_LIST && lost * 2 > accounts))

type Fresh = {
  readonly event: EventOf<'FetchConcluded'>
  readonly method: string
  readonly before: Cited
  readonly after: Cited
}

const fold = (state: SellerFindingsState, step: Folded): SellerFindingsState => {
  const { event } = step.recorded
  if (event.type !== 'FetchConcluded' || event.purpose !== 'sellers-json') return state
  const concluded = concludeSellers(event, step.reading)
  if (concluded === null) return state
  const { entries, method } = concluded
  const last: Known = { cited: citedBy(step.recorded, event), entries }
  const before = state.last
  if (before === null || before.entries === null)
    return { ...state, last, shrunk: false, found: [] }
  const fresh: Fresh = { event, method, before: before.cited, after: last.cited }
  if (entries === null) return withFound({ ...state, last, shrunk: false }, [tooLong(fresh)])
  const compared = compareEntries(before.entries, entries)
  if (isDoubtful(compared) && !state.shrunk) return { ...state, shrunk: true, found: [] }
  const findings = compared.changes.map((change) => findingOf(fresh, change))
  return withFound({ ...state, last, shrunk: false }, findings)
}

const withFound = (state: SellerFindingsState, fresh: readonly Finding[]): SellerFindingsState => ({
  ...state,
  found: foundOnce(fresh, FOUND_MAX),
})

const findingWith = (
  { event, method, before, after }: Fresh,
  told: Pick<Finding, 'kind' | 'about' | 'concerns' | 'change' | 'says'>,
): Finding => {
  const { programme, target, night } = event
  return { ...told, programme, site: siteOfTarget(target), night, before, after, method }
}

export const siteOfTarget = (target: string): string =>
  siteOfHost(URL.parse(target)?.hostname ?? target)

const findingOf = (fresh: Fresh, change: SellerChange): Finding => {
  const { kind, is } = change
  const domain = domainOf(is) ?? (kind === 'changed' ? domainOf(change.was) : null)
  const network = siteOfTarget(fresh.event.target)
  const entry = `the entry ${is.id} in ${network}’s sellers.json`
  const now = saidOf(is)
  const was = kind === 'changed' ? saidOf(change.was) : now
  const says = {
    disappeared: `${now}: ${entry} is gone.`,
    appeared: `${now}: ${entry} is new.`,
    changed: `${was}: ${entry} now says ${now}.`,
  }[kind]
  return findingWith(fresh, {
    kind: `seller-${kind}`,
    about: is.id,
    concerns: domain === null ? null : siteOfHost(domain),
    change: kind === 'changed' ? `${is.id}: ${was} -> ${now}` : `${is.id} ${kind}: ${now}`,
    says,
  })
}

const tooLong = (fresh: Fresh): Finding => {
  const says = `sellers.json of ${siteOfTarget(fresh.event.target)} is too long now: its entries are not compared.`
  return findingWith(fresh, {
    kind: 'seller-list-too-long',
    about: fresh.event.target,
    concerns: null,
    change: 'list too long',
    says,
  })
}

export const sellerFindingsFold: Fold<SellerFindingsState> = {
  name: 'seller-findings',
  version: 2,
  adds: addingFindings,
  // What asking for an address comes to stands in the stream of its site, wherever redirects led.
  perStream: true,
  interestedIn: ['FetchConcluded'],
  reads: { purpose: 'sellers-json', reader: 'sellers-json' },
  keysOf: ({ event }) =>
    event.type === 'FetchConcluded' && event.purpose === 'sellers-json' ? [event.target] : [],
  initial: (target) => ({ target, last: null, shrunk: false, found: [] }),
  fold,
}
