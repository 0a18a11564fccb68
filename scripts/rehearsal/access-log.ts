import type { Instant } from '../../src/kernel/instant.ts'
import { siteOfHost, type Site } from '../../src/kernel/site.ts'
import type { HeaderLine } from './reply.ts'

export type Scheme = 'http' | 'https'

/** One request as the server saw it. Moments are those of the rehearsal's clock. */
export type AccessLine = {
  /** When the head had arrived. */
  readonly at: Instant
  /** When the last byte had left, or the client had gone; null while neither has happened. */
  readonly endedAt: Instant | null
  readonly host: string
  readonly scheme: Scheme
  /** The port of 127.0.0.1 that took the connection. */
  readonly port: number
  readonly method: string
  readonly path: string
  readonly httpVersion: string
  readonly headers: readonly HeaderLine[]
  /** null: no status was sent. */
  readonly status: number | null
  /** Serial number of the connection. */
  readonly connection: number
  /** Another request to the same site was open at `at`. */
  readonly overlapping: boolean
}

/** One connection that was accepted, whether or not a request followed. */
export type ConnectionLine = {
  /** Counts from 1 over the whole web. */
  readonly serial: number
  readonly at: Instant
  readonly host: string
  readonly scheme: Scheme
  readonly port: number
  readonly requests: number
}

type Place = Pick<AccessLine, 'host' | 'scheme' | 'port'>
type Head = Pick<AccessLine, 'method' | 'path' | 'httpVersion' | 'headers'>

/** How the server tells what becomes of a request. */
export type OpenRequest = {
  readonly answered: (status: number | null) => void
  /** The first call counts. */
  readonly ended: () => void
}
export type OpenConnection = Place & { readonly requested: (head: Head) => OpenRequest }

export type AccessLog = {
  readonly connected: (place: Place) => OpenConnection
  /** In the order of arrival. */
  readonly lines: () => readonly AccessLine[]
  readonly connections: () => readonly ConnectionLine[]
}

type Writable<A> = { -readonly [K in keyof A]: A[K] }

/** Counts the requests that are open to each site. */
const openBySite = () => {
  const open = new Map<Site, number>()
  return (host: string, by: -1 | 0 | 1): number => {
    const site = siteOfHost(host)
    const count = (open.get(site) ?? 0) + by
    open.set(site, count)
    return count
  }
}

export const accessLog = (now: () => Instant): AccessLog => {
  const lines: Writable<AccessLine>[] = []
  const connections: Writable<ConnectionLine>[] = []
  const open = openBySite()

  const requested = (connection: Writable<ConnectionLine>, head: Head): OpenRequest => {
    const { host, scheme, port, serial } = connection
    const began = { at: now(), endedAt: null, status: null, overlapping: open(host, 0) > 0 }
    const line: Writable<AccessLine> = { ...began, host, scheme, port, ...head, connection: serial }
    lines.push(line)
    connection.requests += 1
    open(host, 1)
    return {
      answered: (status) => void (line.status = status),
      ended: () => {
        if (line.endedAt !== null) return
        line.endedAt = now()
        open(host, -1)
      },
    }
  }

  return {
    connected: (place) => {
      const line = { serial: connections.length + 1, at: now(), ...place, requests: 0 }
      connections.push(line)
      return { ...place, requested: (head) => requested(line, head) }
    },
    lines: () => lines.map((line) => ({ ...line })),
    connections: () => connections.map((line) => ({ ...line })),
  }
}
