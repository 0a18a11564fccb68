import { ofRequests, type Rule, wrongs } from '../rule.ts'
import { siteOf } from '../../kernel/url.ts'

/** PR6, PK9, RC8: never two requests open to a site, and the policy's pause between two. */
export const pace: Rule = {
  promises: ['PR6', 'PK9', 'RC8'],
  looksAt: 'the time between the end of one request to a site, of whatever programme, and the next',
  begin: ofRequests(({ event, ts }, { policy, past }) => {
    const last = past.lastWith(siteOf(event.url))
    if (last === undefined) return []
    const { closed, position } = last
    if (closed === null) return [`${event.url} was asked while position ${position} was open`]
    const pauseMs = policy.pauseSeconds * 1_000
    const waited = ts - closed.endedAt
    return wrongs([
      waited < pauseMs,
      () =>
        `${event.url} was asked ${waited} ms after the end of position ${position}, not ${pauseMs} ms`,
    ])
  }),
}
