import { originOf, pathOf, schemeOf, siteOf } from '../../kernel/url.ts'
import type { Recorded } from '../../ledger/entry.ts'
import type { Policy } from '../../programmes/policy.ts'
import type { Past } from '../past.ts'
import { ofRequests, type Rule, wrongs } from '../rule.ts'

type Sent = Recorded<'RequestSent'>

/** The first address of a fetch is the policy's path of an origin, or stands on the source list. */
const isFirstAddress = (sent: Sent, policy: Policy, past: Past): boolean => {
  const { purpose, target, subject } = sent.event
  const path = policy.fetch[purpose]?.path
  if (path === undefined) return false
  if (path === null) return isListed(sent, past)
  if (target !== `${originOf(target)}${path}`) return false
  // robots.txt is asked of every origin that a fetch of the site leads to.
  return purpose === 'robots' || (siteOf(target) === subject && schemeOf(target) === 'https')
}

/** A night reads the pages of its list, a job those of its source; by hand a person names the page. */
const isListed = ({ event, run }: Sent, past: Past): boolean => {
  const facts = past.run(run)
  const list = past.sources(run)
  if (facts?.kind === 'hand') return event.purpose === 'page'
  const source = facts?.job ?? event.source
  const urls = source === null ? list?.urls : list?.byId.get(source)
  return urls?.has(event.target) === true
}

/** PR1: three paths of a publisher, the files of the source list, and nothing below the root. */
export const paths: Rule = {
  promises: ['PR1', 'PK1', 'PK3', 'RC5'],
  looksAt: 'the address and purpose of every request',
  begin: ofRequests((sent, { policy, past }) => {
    const { purpose, url, target, hop } = sent.event
    const looks = policy.notRead === null ? [] : ['probe']
    const wanted: readonly string[] = [...policy.order.source, ...policy.order.site, ...looks]
    const led = hop > 0 && policy.fetch[purpose]?.redirects === 'root-of-site'
    return wrongs(
      [
        !wanted.includes(purpose),
        () => `${url} was asked for ${purpose}, which the policy never asks for`,
      ],
      [
        wanted.includes(purpose) && !isFirstAddress(sent, policy, past),
        () => `${target} is no address the policy asks for as ${purpose}`,
      ],
      [hop === 0 && url !== target, () => `${url} was asked, but the fetch was for ${target}`],
      [led && pathOf(url) !== '/', () => `${url} lies below the root`],
    )
  }),
}
