/**
 * Opens the one connection of one exchange. Here, and nowhere later, is decided which address is
 * connected to: what was checked is what is connected to, so a name that changes its answer between
 * check and use (rebinding) gains nothing.
 */
import dns from 'node:dns'
import net from 'node:net'
import tls from 'node:tls'
import { isPublicAddress, literalAddressOf } from '../../capture/address.ts'
import { isBlockedPort } from '../../capture/blocked-port.ts'
import { sha256Hex } from '../../kernel/digest.ts'
import { withoutRootDot } from '../../kernel/site.ts'
import type { HttpUrl } from '../../kernel/url.ts'
import type { Remote, Tls } from '../../ledger/exchange.ts'
import { ExchangeError } from './failure.ts'
import { type Endpoint, portOfUrl } from './resolve.ts'

export type Route = {
  readonly url: HttpUrl
  /** Where `--resolve` takes the host; the only way past the address check. */
  readonly endpoint: Endpoint | undefined
  readonly lookup: net.LookupFunction
  readonly secureContext: tls.SecureContext
}

/** Node's default of 250 ms per address makes slow hosts fail on every address (nodejs/node#54359). */
const ATTEMPT_MS = 2_000

type LookupAll = (
  host: string,
  options: dns.LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: dns.LookupAddress[]) => void,
) => void

/**
 * A lookup that answers only if every address of the name is public. One that is not refuses the
 * name: which of several addresses is connected to must not be left to chance.
 */
export const publicLookup =
  (lookupAll: LookupAll = dns.lookup): net.LookupFunction =>
  (host, options, callback) => {
    lookupAll(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, [])
      // Node's own code takes the first of none, outside of every promise.
      if (addresses.length === 0) return callback(new ExchangeError('NO_ADDRESS'), [])
      const refused = addresses.find(({ address }) => !isPublicAddress(address))
      if (refused !== undefined) return callback(new ExchangeError('ADDRESS_REFUSED'), [])
      callback(null, addresses)
    })
  }

/** Where to connect, or undefined if the URL spells out an address or a port that is off limits. */
const destinationOf = ({ url, endpoint, lookup }: Route): net.TcpNetConnectOpts | undefined => {
  const shared = { lookup, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: ATTEMPT_MS }
  if (endpoint !== undefined) return { ...shared, host: endpoint.address, port: endpoint.port }
  const literal = literalAddressOf(url)
  if (literal !== undefined && !isPublicAddress(literal)) return undefined
  if (isBlockedPort(url)) return undefined
  const parsed = new URL(url)
  return { ...shared, host: literal ?? parsed.hostname, port: portOfUrl(parsed) }
}

/** TLS is verified always, for the host of the URL, wherever the connection goes. */
const connectTls = (route: Route, destination: net.TcpNetConnectOpts): tls.TLSSocket => {
  const host = literalAddressOf(route.url) ?? withoutRootDot(new URL(route.url).hostname)
  return tls.connect({
    ...destination,
    secureContext: route.secureContext,
    // RFC 6066 §3: no address in the server name.
    ...(net.isIP(host) === 0 ? { servername: host } : {}),
    // Said outright, since NODE_TLS_REJECT_UNAUTHORIZED=0 would change the default.
    rejectUnauthorized: true,
    checkServerIdentity: (_name, certificate) => tls.checkServerIdentity(host, certificate),
    ALPNProtocols: ['http/1.1'],
  })
}

export type Opened = {
  readonly socket: net.Socket
  readonly remote: Remote | null
  readonly tls: Tls | null
}

const remoteOf = ({ remoteAddress, remotePort }: net.Socket): Remote | null =>
  remoteAddress === undefined || remotePort === undefined
    ? null
    : { address: remoteAddress, port: remotePort }

const tlsOf = (socket: tls.TLSSocket): Tls => ({
  protocol: socket.getProtocol() ?? '',
  cipher: socket.getCipher().standardName,
  certificateSha256: sha256Hex(socket.getPeerX509Certificate()?.raw ?? ''),
})

/**
 * Begins to connect. `opened` or `failed` follows, later; errors of the socket keep coming to
 * `failed` afterwards, so that none of them is ever uncaught. undefined: refused before connecting.
 */
export const openConnection = (
  route: Route,
  opened: (connection: Opened) => void,
  failed: (error: Error) => void,
): net.Socket | undefined => {
  const destination = destinationOf(route)
  if (destination === undefined) {
    failed(new ExchangeError('ADDRESS_REFUSED'))
    return undefined
  }
  if (!route.url.startsWith('https:')) {
    const socket = net.connect(destination)
    socket.setNoDelay(true).on('error', failed)
    socket.once('connect', () => opened({ socket, remote: remoteOf(socket), tls: null }))
    return socket
  }
  const socket = connectTls(route, destination)
  socket.setNoDelay(true).on('error', failed)
  socket.once('secureConnect', () =>
    opened({ socket, remote: remoteOf(socket), tls: tlsOf(socket) }),
  )
  return socket
}
