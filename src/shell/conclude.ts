import { type Ending, type Fetch, fetchConcluded, robotsRead } from '../capture/conclusion.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import { FailureReason } from '../ledger/exchange.ts'
import { RedirectReason } from '../ledger/events/redirect-decided.ts'
import type { RobotsFetchEnd } from '../robots/access.ts'
import type { RobotsFile } from '../robots/read.ts'
import { readerLabel } from '../readers/reader.ts'
import { ROBOTS_READER } from '../robots/reader.ts'
import { fileKey, isSettled } from '../politeness/programme-state.ts'
import { freshCopy } from '../politeness/robots-copy.ts'
import { programmeState, type SiteState } from '../politeness/site-state.ts'
import { originOf, siteOf } from '../kernel/url.ts'
import { appendFact } from './append.ts'
import type { Crawl } from './crawl.ts'
import { occasionOf } from './occasion.ts'

export type About = Pick<Fetch, 'subject' | 'purpose' | 'target'>

/** The event that says what a fetch came to: RobotsRead for robots.txt, FetchConcluded for the rest. */
export const conclusionOf = (
  crawl: Crawl,
  { subject, purpose, target }: About,
  ending: Ending | null,
  file: RobotsFile | null,
): LedgerEvent | null => {
  if (ending === null) return null
  const fetch: Fetch = {
    programme: crawl.policy.name,
    night: crawl.night.name,
    subject,
    purpose,
    target,
  }
  if (purpose !== 'robots') return fetchConcluded(fetch, ending)
  const reader = readerLabel(ROBOTS_READER)
  const rules = { file, token: crawl.policy.robotsToken, reader }
  return robotsRead(fetch, robotsEnd(ending, file), ending.answer, rules)
}

const robotsEnd = (ending: Ending, file: RobotsFile | null): RobotsFetchEnd => {
  const { outcome, because, answer } = ending
  if (outcome === 'answered' && answer.status !== null) {
    return { tag: 'Answered', status: answer.status, decodable: file !== null }
  }
  if (outcome === 'failed' && FailureReason.is(because)) return { tag: 'Failed', reason: because }
  if (outcome === 'redirect-refused' && RedirectReason.is(because)) {
    return { tag: 'RedirectRefused', reason: because }
  }
  return { tag: 'Interrupted' }
}

/**
 * Tells a conclusion that its closing event could not carry: the fetch ended on another site's
 * stream, or without an exchange. Told once a night, whoever comes first.
 */
export const conclude = async (crawl: Crawl, about: About, event: LedgerEvent): Promise<void> => {
  await appendFact(crawl, siteOf(about.target), (state) =>
    isTold(crawl, state, about) ? [] : [event],
  )
}

/** Whether this night's (or this job's) fetch of the file has a conclusion already. */
export const isTold = (crawl: Crawl, state: SiteState, { purpose, target }: About): boolean => {
  const programme = programmeState(state, crawl.policy.name)
  if (purpose !== 'robots') return isSettled(programme, fileKey(purpose, target), crawl)
  return freshCopy(programme.robots, originOf(target), occasionOf(crawl)) !== undefined
}
