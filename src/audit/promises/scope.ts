import { siteOf } from '../../kernel/url.ts'
import type { Recorded } from '../../ledger/entry.ts'
import type { Policy } from '../../programmes/policy.ts'
import { isOf } from '../exchange.ts'
import type { Past } from '../past.ts'
import { ofRequests, type Rule, wrongs } from '../rule.ts'

type Sent = Recorded<'RequestSent'>

/** Whether the request is bound to the list; a robots.txt may redirect to wherever it is kept. */
const isBound = ({ event }: Sent, { scope }: Policy): boolean =>
  scope === 'sources' && !(event.purpose === 'robots' && event.hop > 0)

const isListed = ({ event, run }: Sent, past: Past): boolean =>
  past.sources(run)?.sites.has(siteOf(event.url)) === true

const isAllowed = ({ event, run }: Sent, past: Past): boolean =>
  past.run(run)?.also.includes(siteOf(event.url)) === true

/** PK1, PK3: only websites of the source list, and one that is allowed for the run. */
export const scope: Rule = {
  promises: ['PK1', 'PK3'],
  looksAt: 'the website of every request, against the source list',
  begin: ofRequests((sent, { policy, past }) => {
    if (!isBound(sent, policy)) return undefined
    return wrongs([
      !isListed(sent, past) && !isAllowed(sent, past),
      () => `${sent.event.url} was asked, and its website is on no source list`,
    ])
  }),
}

/** PK2: of the websites off the list one, allowed for the run by the person who started it. */
export const oneMoreSite: Rule = {
  promises: ['PK2'],
  looksAt: 'the further websites that each run was allowed, and the requests to them',
  begin:
    () =>
    (recorded, { policy, past }) => {
      if (policy?.scope !== 'sources') return undefined
      if (isOf(recorded, 'RunStarted')) {
        const { also } = recorded.event
        if (also.length === 0) return undefined
        return wrongs([
          also.length > 1,
          () => `the run was allowed ${also.length} further websites, and one is promised`,
        ])
      }
      if (!isOf(recorded, 'RequestSent') || !isBound(recorded, policy)) return undefined
      return !isListed(recorded, past) && isAllowed(recorded, past) ? [] : undefined
    },
}

/** PK4: what counts comes from the website it is credited to. */
export const credited: Rule = {
  promises: ['PK4'],
  looksAt: 'where the request and the answer of every page lie that has to stay on its site',
  begin:
    () =>
    (recorded, { policy }) => {
      if (policy === undefined || !isOf(recorded, 'RequestSent', 'FetchConcluded')) return undefined
      const { purpose, url, target } = recorded.event
      if (policy.fetch[purpose]?.redirects !== 'same-site') return undefined
      return wrongs([
        siteOf(url) !== siteOf(target),
        () => `${url} was read for ${target}, which lies on another website`,
      ])
    },
}
