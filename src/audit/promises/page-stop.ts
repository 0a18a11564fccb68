import { originOf, urlAt } from '../../kernel/url.ts'
import { decideRobots } from '../../robots/decide.ts'
import { isOf } from '../exchange.ts'
import { type Rule, wrongs } from '../rule.ts'

/** PR14: from the reading on that shuts the site, no page of it is read, the same day included. */
export const pageStop: Rule = {
  promises: ['PR14'],
  looksAt: 'pages of origins whose newest robots.txt disallows the root',
  begin: () => {
    /** The position of the reading that shut the origin. */
    const shut = new Map<string, number>()
    return (recorded, { policy, kept }) => {
      if (policy === undefined) return undefined
      if (isOf(recorded, 'RobotsRead')) {
        const { programme, origin, access } = recorded.event
        const key = `${programme} ${origin}`
        const root = urlAt(origin, '/')
        const isShut =
          access === 'rules' &&
          kept?.tag === 'Read' &&
          !decideRobots(kept.file, policy.robotsToken, root).allowed
        if (isShut) shut.set(key, recorded.position)
        else shut.delete(key)
        return isShut ? [] : undefined
      }
      if (!isOf(recorded, 'RequestSent')) return undefined
      const { programme, url, purpose } = recorded.event
      const obeys = policy.fetch[purpose]?.exemptFromRobots === false
      if (!obeys || new URL(url).pathname !== '/') return undefined
      const since = shut.get(`${programme} ${originOf(url)}`)
      return wrongs([
        since !== undefined,
        () => `${url} was read although the robots.txt read at position ${since} shuts the site`,
      ])
    }
  },
}
