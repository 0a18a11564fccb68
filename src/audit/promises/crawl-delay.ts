import { type Origin, siteOf } from '../../kernel/url.ts'
import { siteOfHost, type Site } from '../../kernel/site.ts'
import type { Recorded } from '../../ledger/entry.ts'
import { crawlDelayMs } from '../../robots/decide.ts'
import { isOf } from '../exchange.ts'
import { type Finding, type Rule, type Scene, wrongs } from '../rule.ts'

type Delays = { readonly night: string; readonly byOrigin: Map<Origin, number> }

/** The delay the kept file asks for, read once more; the event's own where the bytes are not to be had. */
const delayOf = ({ event }: Recorded<'RobotsRead'>, { kept, policy }: Scene): number => {
  if (event.access !== 'rules') return 0
  const read = kept?.tag === 'Read' && policy !== undefined
  return (read ? crawlDelayMs(kept.file, policy.robotsToken) : event.crawlDelayMs) ?? 0
}

const judgeSent = (
  { event, ts }: Recorded<'RequestSent'>,
  { past, policy }: Scene,
  delayMs: number,
): Finding => {
  const maxMs = (policy?.crawlDelay.maxSeconds ?? 0) * 1_000
  if (delayMs > maxMs && event.purpose !== 'robots')
    return [`${event.url} was asked although the site wants ${delayMs} ms between two requests`]
  const closed = past.lastWith(siteOf(event.url))?.closed
  // An open request is the pause's matter; a delay over the limit is not waited for.
  if (closed === null || closed === undefined || delayMs > maxMs) return []
  const waited = ts - closed.endedAt
  return wrongs([
    waited < delayMs,
    () =>
      `${event.url} was asked ${waited} ms after the request before, not the ${delayMs} ms of its Crawl-delay`,
  ])
}

const siteOfOrigin = (origin: Origin): Site => siteOfHost(new URL(origin).hostname)

/** PR8, PK9, RC8: the longest Crawl-delay of the site this night is waited in full, or the site left. */
export const crawlDelay: Rule = {
  promises: ['PR8', 'PK9', 'RC8'],
  looksAt: 'requests to sites whose robots.txt names a Crawl-delay, read once more',
  begin: () => {
    const delays = new Map<string, Delays>()
    const take = (read: Recorded<'RobotsRead'>, delayMs: number): void => {
      const { programme, origin, night } = read.event
      const key = `${programme} ${siteOfOrigin(origin)}`
      const known = delays.get(key)
      const tonight =
        known?.night === night ? known : { night, byOrigin: new Map<Origin, number>() }
      tonight.byOrigin.set(origin, delayMs)
      if (delayMs > 0 || known !== undefined) delays.set(key, tonight)
    }
    return (recorded, scene) => {
      if (isOf(recorded, 'RobotsRead')) {
        const delayMs = delayOf(recorded, scene)
        take(recorded, delayMs)
        const { event } = recorded
        if (event.access !== 'rules') return undefined
        return wrongs([
          delayMs > (event.crawlDelayMs ?? 0),
          () =>
            `the Crawl-delay of ${event.origin} is ${delayMs} ms, and was read as ${event.crawlDelayMs ?? 'none'}`,
        ])
      }
      if (scene.policy === undefined || !isOf(recorded, 'RequestSent')) return undefined
      const { programme, url, night } = recorded.event
      const known = delays.get(`${programme} ${siteOf(url)}`)
      const delayMs = known?.night === night ? Math.max(0, ...known.byOrigin.values()) : 0
      return delayMs === 0 ? undefined : judgeSent(recorded, scene, delayMs)
    }
  },
}
