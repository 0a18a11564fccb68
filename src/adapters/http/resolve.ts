/**
 * `--resolve`: which address a host name is taken to, instead of what DNS says. The only way to an
 * address that is not public. The name itself stays: in Host, in the TLS handshake, in the ledger.
 */
import { isIP } from 'node:net'
import { parseFailure, type ParseFailure } from '../../kernel/codec.ts'
import { E, type Either } from '../../kernel/fp.ts'
import { isHost, withoutRootDot } from '../../kernel/site.ts'
import type { HttpUrl } from '../../kernel/url.ts'

/** An IP address, without brackets, and a port. */
export type Endpoint = { readonly address: string; readonly port: number }

/**
 * By `host:port`, `host:*`, `*:port` or `*:*`, the host as the WHATWG URL parser prints it but without
 * the dot of a full name: `shop.example.` is taken where `shop.example` is.
 */
export type ResolveMap = ReadonlyMap<string, Endpoint>

const FORM = 'HOST[:PORT]=ADDRESS:PORT, an IPv6 address in brackets, * for any host'

const RULE =
  /^(?<host>\*|\[[0-9A-Fa-f:.]+\]|[^\s:=[\]/?#@\\*]+)(?::(?<port>\d{1,5}))?=(?:\[(?<six>[^\]\s]+)\]|(?<four>[\d.]+)):(?<to>\d{1,5})$/u

const portOf = (digits: string | undefined): number | undefined => {
  const port = Number(digits)
  return port >= 1 && port <= 65_535 ? port : undefined
}

const hostOf = (host: string): string | undefined => {
  if (host === '*') return '*'
  const printed = URL.parse(`http://${host}/`)?.hostname
  return printed !== undefined && isHost(printed) ? withoutRootDot(printed) : undefined
}

type Rule = readonly [key: string, endpoint: Endpoint]

const parseRule = (what: string, text: string): Either<ParseFailure, Rule> => {
  const refuse = (expected: string): Either<ParseFailure, Rule> =>
    E.left(parseFailure(what, expected))
  const parts = RULE.exec(text)?.groups
  if (parts === undefined) return refuse(FORM)
  const host = hostOf(parts['host'] ?? '')
  if (host === undefined) return refuse('a host name before "="')
  const port = parts['port'] === undefined ? '*' : portOf(parts['port'])
  const toPort = portOf(parts['to'])
  if (port === undefined || toPort === undefined) return refuse('ports from 1 to 65535')
  const address = parts['six'] ?? parts['four'] ?? ''
  if (isIP(address) !== (parts['six'] === undefined ? 4 : 6))
    return refuse('an IP address after "=" (a name would need resolving again)')
  return E.right([`${host}:${port}`, { address, port: toPort }])
}

/** Reads `--resolve` values. A later rule replaces an earlier one for the same host and port. */
export const parseResolveRules = (rules: readonly string[]): Either<ParseFailure, ResolveMap> => {
  const map = new Map<string, Endpoint>()
  for (const text of rules) {
    const rule = parseRule(`--resolve ${text.slice(0, 100)}`, text.trim())
    if (E.isLeft(rule)) return rule
    map.set(...rule.right)
  }
  return E.right(map)
}

/** Reads a resolve file: one rule a line; `#` begins a comment; empty lines count for nothing. */
export const parseResolveFile = (
  file: string,
  source: string,
): Either<ParseFailure, ResolveMap> => {
  const map = new Map<string, Endpoint>()
  for (const [index, line] of source.split(/\r?\n/).entries()) {
    const text = line.replace(/#.*$/, '').trim()
    if (text === '') continue
    const rule = parseRule(`${file}, line ${index + 1}`, text)
    if (E.isLeft(rule)) return rule
    map.set(...rule.right)
  }
  return E.right(map)
}

/** Rules of several maps together; a later map replaces an earlier one's rule for the same place. */
export const joinResolve = (...maps: readonly ResolveMap[]): ResolveMap =>
  new Map(maps.flatMap((map) => [...map]))

/** The port a URL is asked on, the scheme's default spelled out. */
export const portOfUrl = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)

/** Where `url` is taken to, by the most specific rule; undefined: to where its host really is. */
export const endpointFor = (map: ResolveMap, url: HttpUrl): Endpoint | undefined => {
  const parsed = new URL(url)
  const port = portOfUrl(parsed)
  const host = withoutRootDot(parsed.hostname)
  const keys = [`${host}:${port}`, `${host}:*`, `*:${port}`, '*:*']
  return keys.map((key) => map.get(key)).find((endpoint) => endpoint !== undefined)
}
