/**
 * Whether a file that was asked tonight, and has no conclusion, is still on its way: several visits
 * may lead to one robots.txt or one hosted file, and only the first asks. A fetch that a crash cut off
 * looks the same in the site's stream; what tells them apart is whether its run goes on.
 */
import { later } from '../kernel/instant.ts'
import type { Site } from '../kernel/site.ts'
import { siteOf, type HttpUrl } from '../kernel/url.ts'
import { runStream } from '../ledger/stream.ts'
import type { Asked } from '../politeness/asked.ts'
import { fileKey } from '../politeness/programme-state.ts'
import { closeAbandoned } from './abandon.ts'
import { type About, isTold } from './conclude.ts'
import type { Crawl } from './crawl.ts'
import { orHalt } from './halt.ts'

/** How long to leave a file alone that another visit is fetching, before looking again. */
export const LOOK_AGAIN_MS = 500

/**
 * A run on another machine that went silent may be dead without anybody knowing. No chain of hops,
 * each with its time-out and its Crawl-delay, takes longer than this.
 */
const PATIENCE_MS = 1_800_000

type Place = {
  readonly url: HttpUrl
  readonly trail: { readonly redirects: readonly number[] }
  /** Whether it is this very fetch that leads the file to its end: it does not wait for itself. */
  readonly leads: boolean
}

export const isUnderWay = async (
  crawl: Crawl,
  about: About,
  { url, trail, leads }: Place,
  asked: Asked,
): Promise<boolean> => {
  if (asked.night !== crawl.night.name) return false
  const state = await crawl.sites.load(siteOf(url))
  if (state.open?.position === asked.request && (await isHeld(crawl, state.site))) return true
  // The exchange is closed. The fetch it began may be at a later hop, but only if it began here.
  if (trail.redirects.length > 0 || isTold(crawl, state, about)) return false
  const key = fileKey(about.purpose, about.target)
  return asked.run === crawl.run ? !leads && crawl.underWay.has(key) : goesOn(crawl, asked)
}

/** Whether somebody has the site's open request in hand; what a dead process left open is closed. */
const isHeld = async (crawl: Crawl, site: Site): Promise<boolean> => {
  const claim = await orHalt(crawl.ports.claims.claim(site))
  if (claim === undefined) return true
  try {
    await closeAbandoned(crawl, claim)
    return false
  } finally {
    await orHalt(crawl.ports.claims.release(claim))
  }
}

/** Whether another run is alive, as far as its stream and its machine can tell. */
const goesOn = async ({ ports }: Crawl, asked: Asked): Promise<boolean> => {
  if (ports.clock.now() > later(asked.at, PATIENCE_MS)) return false
  const [started, ...rest] = await orHalt(ports.ledger.readStream(runStream(asked.run), 0))
  if (rest.length > 0) return false
  return started?.event.type !== 'RunStarted' || ports.isGone(started.event.process) !== true
}
