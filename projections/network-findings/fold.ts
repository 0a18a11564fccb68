/**
 * Which sites changed their ad manager (PR17), from one homepage that could be read to the next.
 *
 * The page is not kept, so that a later reader cannot read it again: where two observations are by
 * different readers, the change may be the reader's, and is none.
 */
import type { EventOf } from '../../src/ledger/event.ts'
import { addingFindings, type Cited, citedBy, type Finding, foundOnce } from '../finding.ts'
import type { Fold } from '../projection.ts'

type Known = { readonly cited: Cited; readonly manager: string | null; readonly reader: string }

export type NetworkFindingsState = {
  readonly site: string
  readonly last: Known | null
  readonly found: readonly Finding[]
}

const named = (manager: string | null): string => manager ?? 'no ad manager'

const findingOf = (
  event: EventOf<'NetworkObserved'>,
  before: Known,
  after: Known,
): readonly Finding[] => {
  if (before.reader !== after.reader || before.manager === after.manager) return []
  const { programme, subject: site, night, reader: method } = event
  const [was, is] = [named(before.manager), named(after.manager)]
  const finding: Finding = {
    kind: 'network-changed',
    programme,
    site,
    night,
    about: is,
    concerns: null,
    before: before.cited,
    after: after.cited,
    method,
    change: `${was} -> ${is}`,
    says: `The homepage of ${site} now names ${is}; before, it named ${was}.`,
  }
  return [finding]
}

export const networkFindingsFold: Fold<NetworkFindingsState> = {
  name: 'network-findings',
  version: 2,
  adds: addingFindings,
  // Not per stream: it stands in that of the site that answered, and where redirects may lead is up to the policy.
  interestedIn: ['NetworkObserved'],
  keysOf: ({ event }) => (event.type === 'NetworkObserved' ? [event.subject] : []),
  initial: (site) => ({ site, last: null, found: [] }),
  fold: (state, { recorded }) => {
    const { event } = recorded
    // An error page, a refusal, half a page: none of them shows who runs the advertising.
    if (event.type !== 'NetworkObserved' || event.read !== 'read') return state
    const { request, manager, reader } = event
    const last: Known = { cited: citedBy(recorded, { request, commit: null }), manager, reader }
    if (state.last === null) return { ...state, last }
    return { ...state, last, found: foundOnce(findingOf(event, state.last, last)) }
  },
}
