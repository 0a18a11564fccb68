import type { Fetcher, HttpAnswer, HttpFailure } from '../../capture/port.ts'
import { publicLookup } from './connection.ts'
import { Exchange } from './exchange.ts'
import { endpointFor, type ResolveMap } from './resolve.ts'
import { secureContextFor } from './secure-context.ts'

/**
 * The fetcher over undici (HTTP/1.1 only). Every request has a connection of its own; redirects,
 * retries, cookies, proxies and content decoding do not exist here.
 *
 * `resolve`: hosts taken to given addresses (`--resolve`); the only way to a non-public address.
 * `authorities`: certificate authorities trusted beside the built-in ones, as PEM.
 * Times in `timing` are whole milliseconds from the start of connecting.
 */
export const httpFetcher = (options: {
  readonly resolve: ResolveMap
  readonly authorities: readonly string[]
}): Fetcher => {
  // Once for all connections: reading 150 root certificates takes longer than a handshake.
  const secureContext = secureContextFor(options.authorities)
  const lookup = publicLookup()
  return (request, signal) =>
    new Promise<HttpAnswer | HttpFailure>((resolve) => {
      const endpoint = endpointFor(options.resolve, request.url)
      const route = { url: request.url, endpoint, lookup, secureContext }
      new Exchange({ ...request, method: 'GET', body: null }, route, resolve).start(signal)
    })
}
