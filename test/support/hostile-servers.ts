/** Servers that lie, stall, flood and break off, and what a request to each of them ends in. */
import type { FailureReason } from '../../src/ledger/exchange.ts'
import type { RawBehaviour } from './raw-server.ts'

export const OK = 'HTTP/1.1 200 OK\r\n'
export const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n`

export const reply = (text: string | Buffer): RawBehaviour => ({
  onRequest: (socket) => socket.end(text),
})
export const replyAndReset = (text: string): RawBehaviour => ({
  onRequest: (socket) => socket.write(text, () => setTimeout(() => socket.resetAndDestroy(), 30)),
})

/** Writes `piece` again and again until the client has had enough. */
export const flooding = (start: string, piece: string): RawBehaviour => ({
  onRequest: (socket) => {
    socket.write(start)
    const more = (): void => {
      if (!socket.destroyed && socket.write(piece)) setImmediate(more)
    }
    socket.on('drain', more)
    more()
  },
})
export const dripping = (start: string, everyMs = 20): RawBehaviour => ({
  onRequest: (socket) => {
    socket.write(start)
    const timer = setInterval(() => socket.write('x'), everyMs)
    socket.once('close', () => clearInterval(timer))
  },
})

type Row<Expected> = readonly [name: string, expected: Expected, server: RawBehaviour]

/** What breaks an answer, and by which word that stands in the ledger. */
export const BROKEN: readonly Row<FailureReason>[] = [
  ['closes at once', 'reset', { onRequest: (socket) => socket.end() }],
  ['resets at once', 'reset', { onRequest: (socket) => socket.resetAndDestroy() }],
  ['closes before the request', 'reset', { onConnection: (socket) => socket.end() }],
  ['resets before the request', 'reset', { onConnection: (socket) => socket.resetAndDestroy() }],
  ['breaks off within the head', 'cut-short', reply('HTTP/1.1 200 OK\r\nContent-')],
  ['resets within the head', 'cut-short', replyAndReset('HTTP/1.1 200 OK\r\nContent-')],
  ['closes after an interim response', 'cut-short', reply('HTTP/1.1 103 Early\r\n\r\n')],
  ['body shorter than said', 'cut-short', reply(`${OK}Content-Length: 9\r\n\r\nabc`)],
  [
    'body shorter than said, closing',
    'cut-short',
    reply(`${OK}Content-Length: 9\r\nConnection: close\r\n\r\nabc`),
  ],
  ['resets within a counted body', 'cut-short', replyAndReset(`${OK}Content-Length: 9\r\n\r\nabc`)],
  ['resets within a body without length', 'cut-short', replyAndReset(`${OK}\r\nabc`)],
  ['chunks without an end', 'cut-short', reply(`${CHUNKED}\r\n3\r\nabc\r\n`)],
  [
    'chunks without an end, closing',
    'cut-short',
    reply(`${CHUNKED}Connection: close\r\n\r\n3\r\nab`),
  ],
  [
    'trailers without their empty line',
    'cut-short',
    reply(`${CHUNKED}\r\n1\r\na\r\n0\r\nA: b\r\n`),
  ],
  ['bad chunk size', 'bad-response', reply(`${CHUNKED}\r\nzz\r\nabc\r\n`)],
  ['negative chunk size', 'bad-response', reply(`${CHUNKED}\r\n-3\r\nabc\r\n`)],
  ['endless chunk size', 'bad-response', reply(`${CHUNKED}\r\n${'f'.repeat(17)}\r\nabc\r\n`)],
  ['chunk longer than said', 'bad-response', reply(`${CHUNKED}\r\n1\r\nabc\r\n0\r\n\r\n`)],
  ['negative length', 'bad-response', reply(`${OK}Content-Length: -1\r\n\r\n`)],
  ['length in words', 'bad-response', reply(`${OK}Content-Length: three\r\n\r\nabc`)],
  ['length in hexadecimal', 'bad-response', reply(`${OK}Content-Length: 0x3\r\n\r\nabc`)],
  ['endless length', 'bad-response', reply(`${OK}Content-Length: 99999999999999999999\r\n\r\nx`)],
  ['two lengths', 'bad-response', reply(`${OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`)],
  [
    'length and chunks (smuggling)',
    'bad-response',
    reply(`${CHUNKED}Content-Length: 3\r\n\r\n3\r\nabc\r\n0\r\n\r\n`),
  ],
  ['HTTP/0.9', 'bad-response', reply('<html>hello</html>')],
  ['HTTP/2 unasked', 'bad-response', reply('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')],
  ['another protocol', 'bad-response', reply('220 mail.example ESMTP\r\n')],
  ['binary noise', 'bad-response', reply(Buffer.from('16030100', 'hex'))],
  ['bare line feeds', 'bad-response', reply('HTTP/1.1 200 OK\nContent-Length: 1\n\na')],
  ['space in a header name', 'bad-response', reply(`${OK}Bad Name: x\r\n\r\n`)],
  ['NUL in a header value', 'bad-response', reply(`${OK}A: x\0y\r\n\r\n`)],
  ['bare CR in a Location', 'bad-response', reply(`HTTP/1.1 301 X\r\nLocation: /a\rB: c\r\n\r\n`)],
  ['status below 100', 'bad-response', reply('HTTP/1.1 099 X\r\n\r\n')],
  ['status of two digits', 'bad-response', reply('HTTP/1.1 20 X\r\n\r\n')],
  ['status of four digits', 'bad-response', reply('HTTP/1.1 2000 X\r\n\r\n')],
  [
    'an upgrade nobody asked for',
    'bad-response',
    reply('HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
  ],
  ['a flood of 103', 'bad-response', flooding('', 'HTTP/1.1 103 Early\r\n\r\n'.repeat(9))],
  ['a flood of 100', 'bad-response', flooding('', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(9))],
  [
    'a flood of large 103',
    'bad-response',
    flooding('', `HTTP/1.1 103 Early\r\nLink: ${'x'.repeat(60_000)}\r\n\r\n`),
  ],
  [
    'headers too large',
    'headers-too-large',
    reply(`${OK}${`A: ${'x'.repeat(999)}\r\n`.repeat(80)}\r\n`),
  ],
  ['one header too large', 'headers-too-large', reply(`${OK}A: ${'x'.repeat(80_000)}\r\n\r\n`)],
  ['headers without end', 'headers-too-large', flooding(OK, `A: ${'x'.repeat(999)}\r\n`)],
  [
    'trailers without end',
    'headers-too-large',
    flooding(`${CHUNKED}\r\n0\r\n`, `A: ${'x'.repeat(999)}\r\n`),
  ],
  ['never answers', 'timeout', {}],
  ['drips a head', 'timeout', dripping(`${OK}A: `)],
  ['drips a status text', 'timeout', dripping('HTTP/1.1 200 ')],
  ['drips a body (undici#1987)', 'timeout', dripping(`${OK}\r\n`)],
  ['drips a counted body', 'timeout', dripping(`${OK}Content-Length: 99999\r\n\r\n`)],
  ['drips a chunk size', 'timeout', dripping(`${CHUNKED}\r\n1;`)],
  [
    'stops within a body',
    'timeout',
    { onRequest: (socket) => socket.write(`${OK}Content-Length: 9\r\n\r\nabc`) },
  ],
  [
    'answers with a chunk extension without end',
    'timeout',
    flooding(`${CHUNKED}\r\n1;`, 'x'.repeat(9_999)),
  ],
  ['sends empty lines for ever', 'timeout', flooding('', '\r\n'.repeat(5_000))],
  ['sends a status text without end', 'timeout', flooding('HTTP/1.1 200 ', 'x'.repeat(9_999))],
]

/** Odd, and an answer all the same: its body. */
export const ODD_BUT_WHOLE: readonly Row<string>[] = [
  ['more body than said', 'abc', reply(`${OK}Content-Length: 3\r\n\r\nabcdef`)],
  [
    'a second response behind the first',
    'abc',
    reply(`${OK}Content-Length: 3\r\n\r\nabc${OK}\r\nno`),
  ],
  ['garbage after the last chunk', 'abc', reply(`${CHUNKED}\r\n3\r\nabc\r\n0\r\n\r\n\0\0\0`)],
  ['garbage after a 304', '', reply('HTTP/1.1 304 X\r\nContent-Length: 9\r\n\r\n<html>\0\r\n')],
  [
    'chunks after a 304',
    '',
    reply(`HTTP/1.1 304 X\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n`),
  ],
  ['a body after a 204', '', reply('HTTP/1.1 204 X\r\n\r\nabc')],
  ['a 205 with a body', 'abc', reply('HTTP/1.1 205 X\r\nContent-Length: 3\r\n\r\nabc')],
  ['103 first', 'abc', reply(`HTTP/1.1 103 X\r\nA: 1\r\n\r\n${OK}Content-Length: 3\r\n\r\nabc`)],
  [
    'Upgrade offered on a 200',
    'abc',
    reply(`${OK}Connection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 3\r\n\r\nabc`),
  ],
  ['status 999', 'abc', reply('HTTP/1.1 999 X\r\nContent-Length: 3\r\n\r\nabc')],
  ['HTTP/1.0 to the end', 'abc', reply('HTTP/1.0 200 OK\r\n\r\nabc')],
  ['no status text', 'abc', reply('HTTP/1.1 200\r\nContent-Length: 3\r\n\r\nabc')],
  ['chunks of sizes with zeros', 'abc', reply(`${CHUNKED}\r\n0003\r\nabc\r\n0000\r\n\r\n`)],
  ['empty lines before the answer', 'abc', reply(`\r\n\r\n${OK}Content-Length: 3\r\n\r\nabc`)],
  ['resets after a whole body', 'abc', replyAndReset(`${OK}Content-Length: 3\r\n\r\nabc`)],
  [
    'one byte a packet',
    'abc',
    {
      onRequest: (socket) => {
        const bytes = Array.from(`${OK}Content-Length: 3\r\n\r\nabc`)
        const timer = setInterval(() => {
          const byte = bytes.shift()
          if (byte === undefined) clearInterval(timer)
          else socket.write(byte)
        }, 1)
        socket.setNoDelay(true).once('close', () => clearInterval(timer))
      },
    },
  ],
]
