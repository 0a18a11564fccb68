import { decideRobots } from '../../robots/decide.ts'
import { type Finding, ofRequests, type Rule, type Scene, wrongs } from '../rule.ts'
import type { Policy } from '../../programmes/policy.ts'
import type { Recorded } from '../../ledger/entry.ts'

/** What the kept bytes say to this request, read once more. */
const byTheFile = (
  { event }: Recorded<'RequestSent'>,
  { kept, policy }: Scene & { readonly policy: Policy },
): Finding => {
  // Bytes that cannot be read are a matter of the promise to keep them.
  if (kept?.tag !== 'Read') return 'unjudged'
  const { allowed, rule } = decideRobots(kept.file, policy.robotsToken, event.url)
  return wrongs([
    !allowed,
    () => `${event.url} was asked although line ${rule?.line ?? 0} of its robots.txt disallows it`,
  ])
}

/** PR3, PK8, RC16: nothing is asked that the robots.txt in force disallows for this agent. */
export const permitted: Rule = {
  promises: ['PR3', 'PK8', 'RC15', 'RC16', 'RC24'],
  looksAt: 'every request that obeys robots.txt, against the kept bytes read once more',
  begin: ofRequests((sent, scene) => {
    const { policy, past } = scene
    const { event } = sent
    const { purpose, url, decision } = event
    if (policy.fetch[purpose]?.exemptFromRobots !== false) return undefined
    const decided = past.decision(decision)?.event
    const broken = wrongs(
      [decided?.verdict === 'deny', () => `${url} was asked although it was decided not to`],
      [
        decided !== undefined && decided.token !== policy.robotsToken,
        () => `${url} was decided for the agent ${decided?.token}, not for ${policy.robotsToken}`,
      ],
    )
    const read = past.robotsFor(sent)?.event
    if (broken.length > 0 || read?.access !== 'rules') return broken
    return byTheFile(sent, scene)
  }),
}
