/**
 * Which crawlers an origin's robots.txt newly keeps from the homepage, or lets in again (PR17).
 *
 * Only two readings with an answer are compared, rules or none to be had: an origin that could not be
 * reached has said nothing (RFC 9309 §2.3.1.4 forbids asking, which is no rule of the owner's).
 */
import { siteOfHost } from '../../src/kernel/site.ts'
import type { EventOf } from '../../src/ledger/event.ts'
import { addingFindings, type Cited, citedBy, type Finding, foundOnce } from '../finding.ts'
import type { Fold, Folded } from '../projection.ts'
import { type Blocked, concludeRobots } from './conclude.ts'

type Known = {
  readonly cited: Cited
  readonly access: string
  readonly blocked: readonly Blocked[]
}

export type RobotsFindingsState = {
  readonly origin: string
  readonly last: Known | null
  readonly found: readonly Finding[]
}

const SEPARATOR = ' '

const fold = (state: RobotsFindingsState, step: Folded): RobotsFindingsState => {
  const { event } = step.recorded
  if (event.type !== 'RobotsRead') return state
  const concluded = concludeRobots(event, step.reading)
  if (concluded === null) return state
  const { blocked, method } = concluded
  const last: Known = { cited: citedBy(step.recorded, event), access: event.access, blocked }
  if (state.last === null) return { ...state, last }
  const fresh = findingsOf({ event, before: state.last, after: last, method })
  return { ...state, last, found: foundOnce(fresh) }
}

type Compared = {
  readonly event: EventOf<'RobotsRead'>
  readonly before: Known
  readonly after: Known
  readonly method: string
}

const findingsOf = (compared: Compared): readonly Finding[] => {
  const { before, after } = compared
  return [
    ...without(after.blocked, before.blocked).map((one) => findingOf(compared, 'blocks', one)),
    ...without(before.blocked, after.blocked).map((one) => findingOf(compared, 'unblocks', one)),
  ]
}

const without = (some: readonly Blocked[], others: readonly Blocked[]): readonly Blocked[] => {
  const tokens = new Set(others.map(({ token }) => token))
  return some.filter(({ token }) => !tokens.has(token))
}

const findingOf = (
  { event, before, after, method }: Compared,
  verb: 'blocks' | 'unblocks',
  { token, trade, line, rule }: Blocked,
): Finding => {
  const { programme, night, origin } = event
  const cited = `line ${line}, “${rule}”`
  const gone =
    after.access === 'rules' ? `${cited}, kept it out before` : 'there is no file any more'
  return {
    kind: `robots-${verb}`,
    programme,
    site: siteOfHost(URL.parse(origin)?.hostname ?? origin),
    night,
    about: token,
    concerns: null,
    before: before.cited,
    after: after.cited,
    method,
    change: `${verb} ${token} (${trade})`,
    says:
      verb === 'blocks'
        ? `robots.txt of ${origin} now keeps ${token} from the homepage: ${cited}.`
        : `robots.txt of ${origin} lets ${token} read the homepage again: ${gone}.`,
  }
}

export const robotsFindingsFold: Fold<RobotsFindingsState> = {
  name: 'robots-findings',
  version: 2,
  adds: addingFindings,
  perStream: true,
  interestedIn: ['RobotsRead'],
  reads: { purpose: 'robots', reader: 'crawler-access' },
  // A site may give each programme a file of its own: like is compared with like.
  keysOf: ({ event }) =>
    event.type === 'RobotsRead' ? [`${event.programme}${SEPARATOR}${event.origin}`] : [],
  initial: (key) => ({
    origin: key.slice(key.indexOf(SEPARATOR) + 1),
    last: null,
    found: [],
  }),
  fold,
}
