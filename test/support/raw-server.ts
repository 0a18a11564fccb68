/**
 * A server that writes raw bytes: for everything a well-behaved HTTP library would not let a test
 * send. Listens on a free loopback port.
 */
import net from 'node:net'
import tls from 'node:tls'

export type RawServer = {
  readonly port: number
  /** Each request head as it came, latin-1, in order of arrival. */
  readonly requests: readonly string[]
  /** TCP connections made so far. */
  readonly connections: () => number
  /** Resets every open TCP connection, under TLS too. */
  readonly reset: () => void
  readonly close: () => Promise<void>
}

export type RawBehaviour = {
  /** Runs when a request head is complete. */
  readonly onRequest?: (socket: net.Socket, head: string) => void
  /** Runs as soon as a connection is there, before any byte of a request. */
  readonly onConnection?: (socket: net.Socket) => void
  /** PEM; the server speaks TLS if given. */
  readonly tls?: {
    readonly certPem: string
    readonly keyPem: string
    readonly alpn?: string[]
    /** What else the server insists on: versions, ciphers, a client's certificate. */
    readonly options?: tls.TlsOptions
  }
}

const listenOf = (behaviour: RawBehaviour, onSocket: (socket: net.Socket) => void): net.Server => {
  if (behaviour.tls === undefined) return net.createServer(onSocket)
  const { certPem, keyPem, alpn, options } = behaviour.tls
  const protocols = alpn === undefined ? {} : { ALPNProtocols: alpn }
  const server = tls.createServer(
    { cert: certPem, key: keyPem, ...protocols, ...options },
    onSocket,
  )
  // Clients that refuse the certificate are what several tests are about.
  return server.on('tlsClientError', () => undefined)
}

export const rawServer = async (behaviour: RawBehaviour): Promise<RawServer> => {
  const open = new Set<net.Socket>()
  const requests: string[] = []
  let connections = 0
  const server = listenOf(behaviour, (socket) => {
    let head = ''
    // The client hangs up whenever it has seen enough.
    socket.on('error', () => undefined)
    behaviour.onConnection?.(socket)
    socket.on('data', (chunk) => {
      const before = head.includes('\r\n\r\n')
      head += chunk.toString('latin1')
      if (before || !head.includes('\r\n\r\n')) return
      requests.push(head)
      behaviour.onRequest?.(socket, head)
    })
  })
  server.on('connection', (socket: net.Socket) => {
    connections += 1
    open.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => open.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not a TCP server')
  const close = (): Promise<void> => {
    for (const socket of open) socket.destroy()
    return new Promise((resolve) => server.close(() => resolve()))
  }
  const reset = (): void => {
    for (const socket of open) socket.resetAndDestroy()
  }
  return { port: address.port, requests, connections: () => connections, reset, close }
}

/** A port on which nobody listens. */
export const closedPort = async (): Promise<number> => {
  const server = await rawServer({})
  await server.close()
  return server.port
}
