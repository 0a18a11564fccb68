import { E, type Either } from './fp.ts'
import { t } from './codec.ts'
import { isHost, siteOfHost, type Site } from './site.ts'

interface HttpUrlBrand {
  readonly HttpUrl: unique symbol
}
/**
 * An absolute http(s) URL in the WHATWG serialised form, without fragment and without userinfo,
 * at most `URL_LENGTH_MAX` characters. Only the WHATWG parser makes one, so there is one spelling.
 */
export type HttpUrl = string & t.Branded<string, HttpUrlBrand>

interface OriginBrand {
  readonly Origin: unique symbol
}
/** scheme://host[:port], default port left out: the unit of robots.txt (RFC 9309 §2.3). */
export type Origin = string & t.Branded<string, OriginBrand>

export const URL_LENGTH_MAX = 8_192

export type UrlRefusal =
  'url-unparsable' | 'url-scheme' | 'url-userinfo' | 'url-too-long' | 'url-host'

/** Parses `input`, relative to `base` if one is given. The fragment is dropped. */
export const parseHttpUrl = (input: string, base?: HttpUrl): Either<UrlRefusal, HttpUrl> => {
  if (input.length > URL_LENGTH_MAX) return E.left('url-too-long')
  const url = URL.parse(input, base)
  if (url === null) return E.left('url-unparsable')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return E.left('url-scheme')
  if (url.username !== '' || url.password !== '') return E.left('url-userinfo')
  if (!isHost(url.hostname)) return E.left('url-host')
  url.hash = ''
  if (url.href.length > URL_LENGTH_MAX) return E.left('url-too-long')
  return E.right(url.href as HttpUrl)
}

/**
 * Addresses found good before: the events of one exchange repeat one address several times, and those of
 * the next night all of them. Long ones are not remembered, so that this stays small.
 */
const known = new Set<string>()
const KNOWN_MAX = 10_000
const KNOWN_LENGTH_MAX = 200

const isHttpUrl = (input: unknown): input is HttpUrl => {
  if (typeof input !== 'string') return false
  if (known.has(input)) return true
  const parsed = parseHttpUrl(input)
  if (E.isLeft(parsed) || parsed.right !== input) return false
  if (input.length > KNOWN_LENGTH_MAX) return true
  if (known.size >= KNOWN_MAX) known.clear()
  known.add(input)
  return true
}

export const HttpUrl: t.Type<HttpUrl, string> = new t.Type(
  'HttpUrl',
  isHttpUrl,
  (input, context) => (isHttpUrl(input) ? t.success(input) : t.failure(input, context)),
  t.identity,
)

export const Origin: t.Type<Origin, string> = t.brand(
  t.string,
  (s): s is Origin => /^https?:\/\/[^/?#\s]{1,300}$/.test(s),
  'Origin',
)

export const originOf = (url: HttpUrl): Origin => new URL(url).origin as Origin

const sites = new Map<HttpUrl, Site>()

/** The site an address belongs to; remembered like the addresses, and for the same reason. */
export const siteOf = (url: HttpUrl): Site => {
  const found = sites.get(url)
  if (found !== undefined) return found
  const site = siteOfHost(new URL(url).hostname)
  if (url.length > KNOWN_LENGTH_MAX) return site
  if (sites.size >= KNOWN_MAX) sites.clear()
  sites.set(url, site)
  return site
}
export const schemeOf = (url: HttpUrl): 'http' | 'https' =>
  url.startsWith('https:') ? 'https' : 'http'
/** Path and query as they go on the wire: what robots rules are matched against. */
export const pathOf = (url: HttpUrl): string => url.slice(originOf(url).length)
export const robotsUrlOf = (origin: Origin): HttpUrl => `${origin}/robots.txt` as HttpUrl
export const urlAt = (origin: Origin, path: '/' | `/${string}`): HttpUrl =>
  new URL(path, origin).href as HttpUrl
