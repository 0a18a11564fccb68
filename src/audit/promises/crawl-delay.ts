import { type Origin, siteOf } from '../../kernel/url.ts'
import { siteOfHost, type Site } from '../../kernel/site.ts'
import type { Recorded } from '../../ledger/entry.ts'
import { crawlDelayMs } from '../../robots/decide.ts'
import { isOf } from '../exchange.ts'
import { type Finding, type Rule, type Scene, wrongs } from '../rule.ts'

/** What an origin's newest reading asks for. */
type Delay = { readonly read: Recorded<'RobotsRead'>; readonly delayMs: number }
type Delays = ReadonlyMap<Origin, Delay>

const REMEMBERED_MS = 50 * 3_600_000

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
      const { programme, origin } = read.event
      const key = `${programme} ${siteOfOrigin(origin)}`
      const known = [...(delays.get(key) ?? [])].filter(
        ([, before]) => before.read.ts > read.ts - REMEMBERED_MS,
      )
      const now = new Map(known).set(origin, { read, delayMs })
      if ([...now.values()].some((one) => one.delayMs > 0)) delays.set(key, now)
      else delays.delete(key)
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
      const known = [...(delays.get(`${programme} ${siteOf(url)}`)?.values() ?? [])]
      // By hand a page may rest on a copy of another night: its delay counts with it.
      const own = known.length === 0 ? undefined : scene.past.robotsFor(recorded)
      const counting = known.filter(
        ({ read }) => read.event.night === night || read.position === own?.position,
      )
      const delayMs = Math.max(0, ...counting.map((one) => one.delayMs))
      return delayMs === 0 ? undefined : judgeSent(recorded, scene, delayMs)
    }
  },
}
