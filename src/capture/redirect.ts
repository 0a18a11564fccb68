/**
 * What to do with a redirect: one decision per hop, each a recorded fact. Robots and pace of the new
 * address are asked afterwards, as for any other address.
 */
import { assert } from '../kernel/assert.ts'
import { E } from '../kernel/fp.ts'
import { type HttpUrl, parseHttpUrl, pathOf, schemeOf, siteOf } from '../kernel/url.ts'
import type { RedirectReason } from '../ledger/events/redirect-decided.ts'
import type { FetchRule } from '../programmes/fetch-rule.ts'
import { isBlockedPort } from './blocked-port.ts'

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** RFC 9110 §15.4: the statuses whose Location is another place to ask. 300, 304, 305, 306 are not. */
export const isRedirect = (status: number): boolean => REDIRECTS.has(status)

export type RedirectAsk = {
  readonly rule: FetchRule['redirects']
  readonly maxRedirects: number
  /** Where the fetch began. */
  readonly target: HttpUrl
  /** The address that answered with the redirect. */
  readonly from: HttpUrl
  readonly status: number
  /** Every Location header as it came, latin-1. */
  readonly locations: readonly string[]
  /** 1-based number of the hop that following would be. */
  readonly hop: number
  /** All addresses asked so far, `from` included. */
  readonly trail: readonly HttpUrl[]
  /** Never from https to http (PK13). */
  readonly refuseDowngrade: boolean
  /** Paths of pages that are never kept: no file that is kept is read from one (PR12). */
  readonly discarded: ReadonlySet<string>
}

export type RedirectChoice =
  | { readonly verdict: 'follow'; readonly to: HttpUrl; readonly reason: 'followed' }
  | {
      readonly verdict: 'refuse'
      /** null where Location names no address we could ask. */
      readonly to: HttpUrl | null
      readonly reason: Exclude<RedirectReason, 'followed'>
    }

type Refused = Exclude<RedirectReason, 'followed'>

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Header bytes arrive as latin-1 text. Servers put raw UTF-8 paths there; bytes that are no UTF-8
 * are percent-encoded one by one, so that exactly those bytes go back on the wire.
 */
const locationText = (latin1: string): string => {
  try {
    return utf8.decode(Buffer.from(latin1, 'latin1'))
  } catch {
    return latin1.replace(
      /[\u0080-\u00ff]/g,
      (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    )
  }
}

/**
 * The address a Location value means when `from` sent it (RFC 9110 §10.2.2), fragment dropped;
 * undefined if it means none that may be asked.
 */
const resolveLocation = (location: string, from: HttpUrl): HttpUrl | undefined => {
  const to = parseHttpUrl(locationText(location), from)
  return E.isLeft(to) || isBlockedPort(to.right) ? undefined : to.right
}

/**
 * ads.txt 1.1 §3.1: any number of redirects inside the root domain, one to a place outside it, and
 * none that the place outside makes, be it back home or within itself.
 */
const refusedByIab = (ask: RedirectAsk): Refused | undefined =>
  siteOf(ask.from) === siteOf(ask.target) ? undefined : 'second-hop-outside'

/** PR1: a homepage leads to a root path of the same site or nowhere. */
const refusedByRoot = (ask: RedirectAsk, to: HttpUrl): Refused | undefined => {
  if (siteOf(to) !== siteOf(ask.target)) return 'other-site'
  return pathOf(to) === '/' ? undefined : 'below-root'
}

const refusedByRule = (ask: RedirectAsk, to: HttpUrl): Refused | undefined => {
  switch (ask.rule) {
    case 'robots': // RFC 9309 §2.3.1.2: across authorities as well.
      return undefined
    case 'iab':
      return refusedByIab(ask)
    case 'root-of-site':
      return refusedByRoot(ask, to)
    case 'same-site': // PK3, PK4: what another site says is no fact of this one.
      return siteOf(to) === siteOf(ask.target) ? undefined : 'other-site'
  }
}

const refused = (ask: RedirectAsk, to: HttpUrl): Refused | undefined => {
  const downgrade = schemeOf(ask.from) === 'https' && schemeOf(to) === 'http'
  if (ask.refuseDowngrade && downgrade) return 'https-to-http'
  if (ask.discarded.has(new URL(to).pathname)) return 'discarded-page'
  const byRule = refusedByRule(ask, to)
  if (byRule !== undefined) return byRule
  if (ask.trail.includes(to)) return 'loop'
  return ask.hop > ask.maxRedirects ? 'too-many-redirects' : undefined
}

/** Follow, or refuse and by which rule. `ask.status` must be a redirect's. */
export const decideRedirect = (ask: RedirectAsk): RedirectChoice => {
  assert(isRedirect(ask.status), `not a redirect: ${ask.status}`)
  const [location, ...others] = new Set(ask.locations)
  if (location === undefined) return { verdict: 'refuse', to: null, reason: 'no-location' }
  if (others.length > 0) return { verdict: 'refuse', to: null, reason: 'ambiguous-location' }
  const to = resolveLocation(location, ask.from)
  if (to === undefined) return { verdict: 'refuse', to: null, reason: 'bad-location' }
  const reason = refused(ask, to)
  return reason === undefined
    ? { verdict: 'follow', to, reason: 'followed' }
    : { verdict: 'refuse', to, reason }
}
