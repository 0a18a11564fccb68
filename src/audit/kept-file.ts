import type { Digest } from '../kernel/digest.ts'
import type { Header } from '../kernel/words.ts'
import type { Recorded } from '../ledger/entry.ts'
import type { RobotsRead } from '../ledger/events/robots-read.ts'
import { isOf } from './exchange.ts'
import type { Past } from './past.ts'

/** A kept body, and the headers that say how it is coded. */
export type KeptFile = { readonly commit: Digest; readonly headers: readonly Header[] }

/** The file behind a reading; undefined where it gave no rules. */
export const keptOf = ({ access, commit, headers }: RobotsRead): KeptFile | undefined =>
  access === 'rules' && commit !== null ? { commit, headers } : undefined

/** The robots.txt that decides about the event: the one it reads, or the one that is in force for it. */
export const keptWanted = (recorded: Recorded, past: Past): KeptFile | undefined => {
  if (isOf(recorded, 'RobotsRead')) return keptOf(recorded.event)
  if (!isOf(recorded, 'RequestSent')) return undefined
  const { programme, purpose } = recorded.event
  const policy = past.policyFor(recorded.run, programme)
  if (policy === undefined || policy === 'unreadable') return undefined
  const obeys = policy.fetch[purpose]?.exemptFromRobots === false
  const read = obeys ? past.robotsFor(recorded) : undefined
  return read === undefined ? undefined : keptOf(read.event)
}
