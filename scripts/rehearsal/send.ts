/** Carries out a reply. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { OpenRequest } from './access-log.ts'
import { type Answer, type HeaderLine, rawResponse, type Reply } from './reply.ts'

export type Exchange = {
  readonly response: ServerResponse
  /** What the reply goes through (TLS or not), and the TCP connection under it. */
  readonly socket: Socket
  readonly tcp: Socket
  readonly request: OpenRequest
  readonly date: string
  readonly dripEveryMs: number
}

export const send = (reply: Reply, exchange: Exchange): void => {
  const { request, socket, tcp } = exchange
  if (reply.tag === 'answer') sendAnswer(reply, exchange)
  else if (reply.tag === 'raw') {
    request.answered(reply.status)
    socket.end(reply.bytes, request.ended)
  } else if (reply.tag === 'drip') void drip(reply, exchange)
  else if (reply.tag === 'reset') {
    tcp.resetAndDestroy()
    request.ended()
  }
  // Silence: the line ends when the client has gone.
}

const sendAnswer = (reply: Answer, { response, socket, request, date }: Exchange): void => {
  const headers: readonly HeaderLine[] = [['Date', date], ...reply.headers]
  request.answered(reply.status)
  if (reply.framing === 'close') {
    const closing: readonly HeaderLine[] = [...headers, ['Connection', 'close']]
    socket.end(rawResponse(reply.status, closing, reply.body).bytes, request.ended)
    return
  }
  writeHead(response, reply.status, [...headers, ...lengthOf(reply)])
  if (reply.framing === 'chunked') {
    // Three chunks, so that the framing is not just around the whole.
    const third = Math.ceil(reply.body.length / 3)
    response.write(reply.body.subarray(0, third))
    response.write(reply.body.subarray(third, 2 * third))
    response.end(reply.body.subarray(2 * third))
  } else response.end(reply.body)
}

const lengthOf = (reply: Answer): readonly HeaderLine[] =>
  reply.framing === 'length' ? [['Content-Length', String(reply.body.length)]] : []

/** A flat list keeps order and spelling, and lets a name come twice. */
const writeHead = (
  response: ServerResponse,
  status: number,
  headers: readonly HeaderLine[],
): void => void response.writeHead(status, headers.flat())

const drip = async (
  reply: Extract<Reply, { tag: 'drip' }>,
  { response, request, dripEveryMs, date }: Exchange,
): Promise<void> => {
  request.answered(reply.status)
  writeHead(response, reply.status, [
    ['Date', date],
    ...reply.headers,
    ['Content-Length', String(reply.body.length)],
  ])
  for (const byte of reply.body) {
    if (response.closed || response.destroyed) return
    response.write(Buffer.of(byte))
    await pause(dripEveryMs)
  }
  response.end()
}
