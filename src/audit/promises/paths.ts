import { originOf, pathOf, schemeOf, siteOf } from '../../kernel/url.ts'
import type { Recorded } from '../../ledger/entry.ts'
import { fetchRule, type Policy } from '../../programmes/policy.ts'
import type { Past } from '../past.ts'
import { ofRequests, type Rule, wrongs } from '../rule.ts'

type Sent = Recorded<'RequestSent'>

/** The first address of a fetch is the policy's path of an origin, or stands on the source list. */
const isFirstAddress = (sent: Sent, policy: Policy, past: Past): boolean => {
  const { purpose, target, subject } = sent.event
  const { path } = fetchRule(policy, purpose)
  if (path === null) return past.sources(sent.run)?.urls.has(target) === true
  if (target !== `${originOf(target)}${path}`) return false
  // robots.txt is asked of every origin that a fetch of the site leads to.
  return purpose === 'robots' || (siteOf(target) === subject && schemeOf(target) === 'https')
}

/** PR1: three paths of a publisher, the files of the source list, and nothing below the root. */
export const paths: Rule = {
  promises: ['PR1', 'PK1', 'PK3', 'RC5'],
  looksAt: 'the address and purpose of every request',
  begin: ofRequests((sent, { policy, past }) => {
    const { purpose, url, target, hop } = sent.event
    const wanted: readonly string[] = [...policy.order.source, ...policy.order.site]
    const led = hop > 0 && fetchRule(policy, purpose).redirects === 'root-of-site'
    return wrongs(
      [
        !wanted.includes(purpose),
        () => `${url} was asked for ${purpose}, which the policy never asks for`,
      ],
      [
        !isFirstAddress(sent, policy, past),
        () => `${target} is no address the policy asks for as ${purpose}`,
      ],
      [hop === 0 && url !== target, () => `${url} was asked, but the fetch was for ${target}`],
      [led && pathOf(url) !== '/', () => `${url} lies below the root`],
    )
  }),
}
