/** From what is known of an origin's robots.txt tonight to one ruling about one address. */
import type { EventOf } from '../ledger/event.ts'
import { clip } from '../kernel/text.ts'
import type { HttpUrl } from '../kernel/url.ts'
import type { Purpose } from '../kernel/words.ts'
import { fetchRule, type Policy } from '../programmes/policy.ts'
import { decideRobots } from './decide.ts'
import type { RobotsFile } from './read.ts'

/** `file` is null unless access is `rules`. */
export type RobotsKnowledge = {
  readonly read: EventOf<'RobotsRead'>
  readonly file: RobotsFile | null
}

/** The part of `RobotsDecided` that is decided here. */
export type Ruling = Pick<
  EventOf<'RobotsDecided'>,
  'verdict' | 'basis' | 'access' | 'robots' | 'group' | 'rule' | 'crawlDelayMs'
>

const bare = { access: null, robots: null, group: [], rule: null, crawlDelayMs: null } as const

/**
 * Rules on one address.
 *
 * `/robots.txt` itself is always allowed (RFC 9309 §2.2.2). Unreachable denies everything, exempt or
 * not (§2.3.1.4, PR10). An exempt purpose is allowed whatever the rules say (PR4).
 */
export const ruleOn = (
  policy: Policy,
  purpose: Purpose,
  url: HttpUrl,
  known: RobotsKnowledge | undefined,
): Ruling => {
  if (purpose === 'robots') return { ...bare, verdict: 'allow', basis: 'robots-file' }
  if (known === undefined) return { ...bare, verdict: 'deny', basis: 'unread' }
  const { read, file } = known
  const rests = {
    ...bare,
    access: read.access,
    robots: read.request,
    crawlDelayMs: read.crawlDelayMs,
  }
  if (read.access === 'unreachable') return { ...rests, verdict: 'deny', basis: 'unreachable' }
  if (fetchRule(policy, purpose).exemptFromRobots)
    return { ...rests, verdict: 'allow', basis: 'exempt' }
  if (read.access === 'unavailable') return { ...rests, verdict: 'allow', basis: 'unavailable' }
  // Access says rules, but the bytes are not to be had: fail closed.
  if (file === null) return { ...rests, verdict: 'deny', basis: 'unread' }
  const verdict = decideRobots(file, policy.robotsToken, url)
  return {
    ...rests,
    verdict: verdict.allowed ? 'allow' : 'deny',
    basis: verdict.basis,
    group: verdict.group.slice(0, 20).map((token) => clip(token, 200)),
    rule: verdict.rule === null ? null : { ...verdict.rule, text: clip(verdict.rule.text, 2_048) },
  }
}
