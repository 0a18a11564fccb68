/** What a server of the rehearsal web does with one request, as a value. */
import { STATUS_CODES } from 'node:http'

/** A header as it goes out, in this order and spelling; a name may come twice. */
export type HeaderLine = readonly [name: string, value: string]

/** How a body ends: by its length, chunked, or by closing the connection (RFC 9112 §6.3). */
export type Framing = 'length' | 'chunked' | 'close'

export type Reply =
  | {
      readonly tag: 'answer'
      readonly status: number
      readonly headers: readonly HeaderLine[]
      readonly body: Buffer
      readonly framing: Framing
    }
  /** Exactly these bytes, whatever they are, then the connection is closed. `status` is logged. */
  | { readonly tag: 'raw'; readonly status: number | null; readonly bytes: Buffer }
  /** The head at once, the body a byte at a time, for as long as the client listens. */
  | {
      readonly tag: 'drip'
      readonly status: number
      readonly headers: readonly HeaderLine[]
      readonly body: Buffer
    }
  /** Nothing, ever: the client has to give up. */
  | { readonly tag: 'silence' }
  /** The connection is reset (TCP RST) when the request has been read. */
  | { readonly tag: 'reset' }

export type Answer = Extract<Reply, { readonly tag: 'answer' }>

const asBytes = (body: string | Buffer): Buffer =>
  typeof body === 'string' ? Buffer.from(body) : body

export const answer = (
  status: number,
  headers: readonly HeaderLine[],
  body: string | Buffer = '',
  framing: Framing = 'length',
): Answer => ({ tag: 'answer', status, headers, body: asBytes(body), framing })

export const plainText = (body: string | Buffer, framing: Framing = 'length'): Answer =>
  answer(200, [['Content-Type', 'text/plain; charset=utf-8']], body, framing)

export const html = (body: string, status = 200, headers: readonly HeaderLine[] = []): Answer =>
  answer(status, [['Content-Type', 'text/html; charset=utf-8'], ...headers], body)

/** A status with the short page a server makes for it by itself. */
export const bare = (status: number, ...headers: readonly HeaderLine[]): Answer =>
  html(`<!doctype html><title>${status} ${STATUS_CODES[status] ?? ''}</title>\n`, status, headers)

export const redirect = (status: 301 | 302 | 303 | 307 | 308, ...to: readonly string[]): Answer =>
  answer(
    status,
    to.map((location) => ['Location', location]),
  )

/** The head of an HTTP/1.1 response, byte for byte, for replies that end in an unusual way. */
export const rawResponse = (
  status: number,
  headers: readonly HeaderLine[],
  body: string | Buffer,
): Extract<Reply, { readonly tag: 'raw' }> => {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines}\r\n`
  return { tag: 'raw', status, bytes: Buffer.concat([Buffer.from(head), asBytes(body)]) }
}

/** RFC 9110 §5.6.7, IMF-fixdate: `Mon, 30 Nov 2026 01:00:00 GMT`. Parts of a second are cut off. */
export const httpDate = (milliseconds: number): string => new Date(milliseconds).toUTCString()
