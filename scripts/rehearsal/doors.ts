/** The servers' doors: each host has one for http and one for https, each on a port of its own. */
import { once } from 'node:events'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'
import type { Instant } from '../../src/kernel/instant.ts'
import type { AccessLog, OpenConnection, Scheme } from './access-log.ts'
import { portOf } from './port.ts'
import type { Certificate, Publisher } from './publisher.ts'
import { type HeaderLine, httpDate, redirect, type Reply } from './reply.ts'
import { send } from './send.ts'

/** What all doors of one web share. */
export type Premises = {
  readonly log: AccessLog
  readonly contexts: Readonly<Record<Certificate, SecureContext>>
  readonly now: () => Instant
  readonly night: () => number
  readonly seed: number
  readonly dripEveryMs: number
}

export type Doors = {
  /** Opens a door for the host and answers its port of 127.0.0.1. */
  readonly open: (publisher: Publisher, scheme: Scheme) => Promise<number>
  /** Closes every door and cuts every connection. */
  readonly close: () => Promise<void>
}

/** A connection on its way through a door to the one HTTP server behind all of them. */
type Visit = {
  readonly publisher: Publisher
  readonly connection: OpenConnection
  readonly tcp: Socket
}

export const doors = (premises: Premises): Doors => {
  const servers: Server[] = []
  const hall = hallBehind(premises)
  return {
    open: async (publisher, scheme) => {
      const server = createServer((tcp) => {
        const place = { host: publisher.host, scheme, port: portOf(server) }
        hall.enter({ publisher, connection: premises.log.connected(place), tcp })
      })
      servers.push(server)
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      return portOf(server)
    },
    close: async () => {
      const closed = servers.map((server) => once(server, 'close'))
      for (const server of servers) server.close()
      hall.clear()
      await Promise.all(closed)
    },
  }
}

type Hall = { readonly enter: (visit: Visit) => void; readonly clear: () => void }

const hallBehind = (premises: Premises): Hall => {
  const present = new Set<Socket>()
  const visits = new WeakMap<Socket, Visit>()

  const http = createHttpServer((message, response) => {
    const visit = visits.get(message.socket)
    if (visit !== undefined) receive(premises, visit, message, response)
  })
  // Bytes that are no HTTP, a failed TLS handshake: the connection stands in the log, that is all.
  http.on('clientError', (_error, socket) => socket.destroy())

  return {
    enter: (visit) => {
      const { publisher, connection, tcp } = visit
      present.add(tcp)
      tcp.once('close', () => present.delete(tcp))
      tcp.on('error', () => tcp.destroy())
      const door = publisher.door(premises.night())
      if (door === 'reset') return void tcp.resetAndDestroy()
      // Read, so that the end is noticed, and never answered.
      if (door === 'silent') return void tcp.resume()
      const socket = connection.scheme === 'http' ? tcp : secured(premises, publisher, tcp)
      visits.set(socket, visit)
      http.emit('connection', socket)
    },
    clear: () => present.forEach((tcp) => tcp.destroy()),
  }
}

const secured = ({ contexts, night }: Premises, publisher: Publisher, tcp: Socket): TLSSocket =>
  new TLSSocket(tcp, { isServer: true, secureContext: contexts[publisher.certificate(night())] })

const receive = (
  premises: Premises,
  { publisher, connection, tcp }: Visit,
  message: IncomingMessage,
  response: ServerResponse,
): void => {
  const { socket } = message
  const { url: path = '', method = '', httpVersion } = message
  const request = connection.requested({
    method,
    path,
    httpVersion,
    headers: pairs(message.rawHeaders),
  })
  // Whatever comes first: all has been sent, or the client has gone.
  for (const event of ['finish', 'close']) response.once(event, request.ended)
  message.resume()
  response.sendDate = false
  const reply = replyOf(premises, publisher, { scheme: connection.scheme, path })
  const date = httpDate(premises.now())
  send(reply, { response, socket, tcp, request, date, dripEveryMs: premises.dripEveryMs })
}

/** Over plain http every host does one thing: it sends the client to https. */
const replyOf = (
  { now, night, seed }: Premises,
  { host, answer }: Publisher,
  { scheme, path }: { readonly scheme: Scheme; readonly path: string },
): Reply =>
  scheme === 'http'
    ? redirect(301, `https://${host}${path}`)
    : answer({ host, path, night: night(), now: now(), seed })

const pairs = (raw: readonly string[]): readonly HeaderLine[] =>
  raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : []))
