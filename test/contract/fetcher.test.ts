/** What every Fetcher promises (src/capture/port.ts), shown on the one over undici. */
import assert from 'node:assert/strict'
import { hash, X509Certificate } from 'node:crypto'
import type net from 'node:net'
import { afterEach, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { decodeBody } from '../../src/capture/decode-body.ts'
import { E } from '../../src/kernel/fp.ts'
import { httpFetcher } from '../../src/adapters/http/fetcher.ts'
import type { Header } from '../../src/kernel/words.ts'
import { issue, makeAuthority } from '../support/certificates.ts'
import { answered, ask, failed, url } from '../support/fetching.ts'
import { closedPort, type RawBehaviour, rawServer, type RawServer } from '../support/raw-server.ts'

const servers: RawServer[] = []
const serve = async (behaviour: RawBehaviour): Promise<RawServer> => {
  const server = await rawServer(behaviour)
  servers.push(server)
  return server
}
const replying = (response: string | Buffer): Promise<RawServer> =>
  serve({ onRequest: (socket) => socket.end(response) })
const ok = (body: string, ...headers: readonly string[]): string =>
  ['HTTP/1.1 200 OK', `Content-Length: ${body.length}`, ...headers, '', body].join('\r\n')

const closing = (socket: net.Socket): Promise<void> =>
  new Promise((resolve) => socket.once('close', () => resolve()))

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

test('RC2: the request goes out exactly as given, with Host and Connection and nothing else', async () => {
  const server = await replying(ok('hello'))
  const headers: readonly Header[] = [
    ['User-Agent', 'ExampleBot/1.0 (+mailto:bot@bot.example)'],
    ['Accept', 'text/plain, */*;q=0.1'],
    ['If-None-Match', '"a"'],
    ['X-Odd-CASE', 'caf\u00e9'],
  ]
  answered(await ask(server.port, { headers, address: 'http://shop.example/a%20b/?q=%7e&x' }))
  assert.deepEqual(server.requests, [
    [
      'GET /a%20b/?q=%7e&x HTTP/1.1',
      'host: shop.example',
      'connection: close',
      ...headers.map(([name, value]) => `${name}: ${value}`),
      '\r\n',
    ].join('\r\n'),
  ])
})

test('Host names the port of the URL when it is not the scheme’s own', async () => {
  const server = await replying(ok(''))
  answered(await ask(server.port, { address: 'http://shop.example:8080/' }))
  assert.match(server.requests[0] ?? '', /^host: shop\.example:8080\r$/m)
})

test('response headers come in order, case and number, values as latin-1', async () => {
  const head =
    'HTTP/1.1 301 Moved\r\nLOCATION: /caf\u00e9\r\nx-b: 1\r\nLocation: /\u00c3\u00a0 \t\r\nX-B:  2 \r\n'
  const server = await replying(Buffer.from(`${head}Content-Length: 0\r\n\r\n`, 'latin1'))
  const answer = answered(await ask(server.port))
  assert.equal(answer.status, 301)
  assert.deepEqual(answer.headers, [
    ['LOCATION', '/caf\u00e9'],
    ['x-b', '1'],
    // An à in UTF-8, whose last byte alone would be a space.
    ['Location', '/\u00c3\u00a0'],
    ['X-B', '2'],
    ['Content-Length', '0'],
  ])
  assert.equal(server.connections(), 1, 'a redirect is not followed')
})

test('PR11: the body comes as it went over the wire, content coding untouched', async () => {
  const coded = gzipSync('User-agent: *\n')
  const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${coded.length}\r\n\r\n`
  const server = await replying(Buffer.concat([Buffer.from(head), coded]))
  const answer = answered(await ask(server.port))
  assert.ok(answer.body.equals(coded))
  assert.equal(answer.truncated, false)
})

test('chunked and close-delimited bodies come without their framing', async () => {
  const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
  const chunked = await replying(`${head}3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: t\r\n\r\n`)
  assert.equal(answered(await ask(chunked.port)).body.toString(), 'abcde')
  const closing = await replying('HTTP/1.0 200 OK\r\n\r\nabc')
  assert.equal(answered(await ask(closing.port)).body.toString(), 'abc')
})

test('moonbitlang/async#615, PK12: 304 and 204 are complete whatever length or coding they speak of', async () => {
  for (const status of [304, 204])
    for (const header of [
      'Content-Length: 99',
      'Content-Encoding: gzip',
      'ETag: W/"a"\r\nVary: *',
    ]) {
      const server = await replying(`HTTP/1.1 ${status} X\r\n${header}\r\n\r\n`)
      const headers: readonly Header[] = [
        ['If-None-Match', '"a\u00e9", W/"b"'],
        ['If-Modified-Since', 'Mon, 30 Nov 2026 12:00:00 GMT'],
      ]
      const answer = answered(await ask(server.port, { headers }))
      assert.deepEqual([answer.status, answer.truncated], [status, false])
      assert.deepEqual(decodeBody(answer.body, answer.headers, 10), E.right(Buffer.alloc(0)))
      for (const [name, value] of headers)
        assert.ok(server.requests[0]?.includes(`\r\n${name}: ${value}\r\n`))
    }
})

test('RC12: a body over the cap is cut at the cap and marked; one that just fits is not', async () => {
  const body = 'x'.repeat(50_000)
  const chunked = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nc350\r\n${body}\r\n0\r\n\r\n`
  for (const response of [ok(body), chunked, `HTTP/1.1 200 OK\r\n\r\n${body}`]) {
    const server = await replying(response)
    const cut = answered(await ask(server.port, { limits: { bodyBytes: 49_999 } }))
    assert.equal(cut.body.length, 49_999)
    assert.equal(cut.truncated, true)
    const whole = answered(await ask(server.port, { limits: { bodyBytes: 50_000 } }))
    assert.equal(whole.body.length, 50_000)
    assert.equal(whole.truncated, false)
  }
})

test('RC12: the connection is dropped at the cap, however much more would come', async () => {
  let closed: Promise<void> = Promise.resolve()
  const server = await serve({
    onRequest: (socket) => {
      closed = closing(socket)
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const more = (): void => {
        if (!socket.destroyed && socket.write('x'.repeat(65_536))) setImmediate(more)
      }
      socket.on('drain', more)
      more()
    },
  })
  assert.equal(answered(await ask(server.port, { limits: { bodyBytes: 100_000 } })).truncated, true)
  await closed
})

test('each request has its own connection, closed afterwards (nodejs/undici#583)', async () => {
  const closings: Promise<void>[] = []
  const server = await serve({
    onConnection: (socket) => closings.push(closing(socket)),
    onRequest: (socket) => socket.write(ok('hello', 'Connection: keep-alive')),
  })
  answered(await ask(server.port))
  answered(await ask(server.port))
  assert.equal(server.connections(), 2)
  await Promise.all(closings)
})

test('heritrix3#259: a cookie that a server sets is never sent anywhere', async () => {
  const server = await replying(ok('', 'Set-Cookie: id=1', 'Alt-Svc: h3=":443"'))
  for (const host of ['a', 'a', 'b'])
    answered(await ask(server.port, { address: `http://${host}.example/` }))
  for (const request of server.requests) assert.doesNotMatch(request, /cookie|referer|auth/i)
})

test('remote address and times are told, in whole milliseconds', async () => {
  const server = await replying(ok('hello'))
  const { remote, tls, timing } = answered(await ask(server.port))
  assert.deepEqual(remote, { address: '127.0.0.1', port: server.port })
  assert.equal(tls, null)
  const { connectMs, firstByteMs, totalMs } = timing
  for (const time of [connectMs, firstByteMs, totalMs]) assert.ok(Number.isSafeInteger(time))
  assert.ok((connectMs ?? 0) <= (firstByteMs ?? 0) && (firstByteMs ?? 0) <= totalMs)
})

const authority = await makeAuthority()
const https = (response: string, hosts: readonly [string, ...string[]]) =>
  issue(authority, hosts).then(async (issued) => ({
    issued,
    server: await serve({ onRequest: (socket) => socket.end(response), tls: issued }),
  }))

test('TLS: protocol, cipher and certificate are told; the host of the URL is what is verified', async () => {
  const { server, issued } = await https(ok('secret'), ['shop.example'])
  const asking = { address: 'https://shop.example/', authorities: [authority.certPem] }
  const answer = answered(await ask(server.port, asking))
  assert.equal(answer.body.toString(), 'secret')
  assert.equal(answer.tls?.protocol, 'TLSv1.3')
  assert.match(answer.tls.cipher, /^TLS_/)
  const der = new X509Certificate(issued.certPem).raw
  assert.equal(answer.tls.certificateSha256, hash('sha256', der, 'hex'))
  const dotted = await ask(server.port, { ...asking, address: 'https://shop.example./' })
  assert.equal(answered(dotted).status, 200)
})

test('TLS: a certificate for another host or of an unknown authority is refused', async () => {
  const { server } = await https(ok('secret'), ['shop.example'])
  const known = { authorities: [authority.certPem] }
  const wrong = failed(await ask(server.port, { ...known, address: 'https://other.example/' }))
  assert.deepEqual([wrong.reason, wrong.code], ['tls', 'ERR_TLS_CERT_ALTNAME_INVALID'])
  const unknown = failed(await ask(server.port, { address: 'https://shop.example/' }))
  assert.equal(unknown.reason, 'tls')
  assert.deepEqual(server.requests, [], 'nothing was asked')
})

test('TLS: an environment that switches verification off changes nothing', async () => {
  const { server } = await https(ok('secret'), ['shop.example'])
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  try {
    const outcome = await ask(server.port, { address: 'https://shop.example/' })
    assert.equal(failed(outcome).reason, 'tls')
  } finally {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  }
})

test('warc-specifications#15: HTTP/1.1 is spoken although the server would rather have h2', async () => {
  const agreed: unknown[] = []
  const issued = await issue(authority, ['shop.example'])
  const server = await serve({
    onRequest: (socket) => {
      agreed.push(Reflect.get(socket, 'alpnProtocol'))
      socket.end(ok('one'))
    },
    tls: { ...issued, alpn: ['h2', 'http/1.1'] },
  })
  const asking = { address: 'https://shop.example/', authorities: [authority.certPem] }
  assert.equal(answered(await ask(server.port, asking)).body.toString(), 'one')
  assert.match(server.requests[0] ?? '', /^GET \/ HTTP\/1\.1\r\n/)
  assert.deepEqual(agreed, ['http/1.1'], 'said in the handshake')
})

test('nobody listening is connect-refused', async () => {
  const outcome = failed(await ask(await closedPort()))
  assert.deepEqual([outcome.reason, outcome.code], ['connect-refused', 'ECONNREFUSED'])
  assert.equal(outcome.timing.connectMs, null)
})

test('a handshake that never ends is connect-timeout, well before the total limit', async () => {
  const server = await serve({})
  const asking = { address: 'https://shop.example/', limits: { connectMs: 100, totalMs: 60_000 } }
  const outcome = failed(await ask(server.port, asking))
  assert.deepEqual([outcome.reason, outcome.code], ['connect-timeout', 'CONNECT_TIMEOUT'])
})

test('an abort ends the exchange as interrupted: before it, while waiting, within the body', async () => {
  const silent = await serve({})
  const early = failed(await ask(silent.port, { signal: AbortSignal.abort() }))
  assert.equal(early.reason, 'interrupted')
  assert.equal(silent.connections(), 0)
  const within = await serve({
    onRequest: (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'),
  })
  for (const server of [silent, within]) {
    const signal = AbortSignal.timeout(50)
    assert.equal(failed(await ask(server.port, { signal })).reason, 'interrupted')
  }
})

const unmapped = (address: string) =>
  httpFetcher({ resolve: new Map(), authorities: [] })({
    url: url(address),
    headers: [],
    limits: { totalMs: 30_000, connectMs: 30_000, bodyBytes: 1_000 },
  })

test('SSRF: without --resolve no address of this machine or network is connected to', async () => {
  const server = await replying(ok('secret'))
  const hosts = ['127.0.0.1', '0x7f.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]', 'localhost']
  for (const host of hosts) {
    const outcome = failed(await unmapped(`http://${host}:${server.port}/`))
    assert.deepEqual([outcome.reason, outcome.code], ['address-refused', 'ADDRESS_REFUSED'], host)
  }
  assert.equal(failed(await unmapped('https://127.0.0.1/')).reason, 'address-refused')
  assert.equal(server.connections(), 0)
})

test('SSRF: --resolve is the way to such an address, for literal hosts too', async () => {
  const server = await replying(ok('hello'))
  const answer = answered(await ask(server.port, { address: 'http://127.0.0.1:9/' }))
  assert.equal(answer.body.toString(), 'hello')
  assert.match(server.requests[0] ?? '', /^host: 127\.0\.0\.1:9\r$/m)
})

test('a name that cannot exist is dns', async () => {
  // RFC 1035 §2.3.4: a label has at most 63 octets. So nobody outside is asked about this one.
  const outcome = failed(await unmapped(`http://${'a'.repeat(64)}.example/`))
  assert.equal(outcome.reason, 'dns')
  assert.equal(outcome.remote, null)
})

test('undici RetryHandler: one call is one request, whatever Retry-After says', async () => {
  const server = await replying('HTTP/1.1 503 X\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n')
  assert.equal(answered(await ask(server.port)).status, 503)
  assert.equal(server.connections(), 1)
})

test('many exchanges at once do not mix', async () => {
  const server = await serve({
    onRequest: (socket: net.Socket, head) => {
      const path = /^GET (\S+)/.exec(head)?.[1] ?? ''
      setTimeout(() => socket.end(ok(path.repeat(500))), Math.random() * 20)
    },
  })
  const paths = Array.from({ length: 60 }, (_, n) => `/${n}`)
  const outcomes = await Promise.all(
    paths.map((path) => ask(server.port, { address: `http://shop.example${path}` })),
  )
  assert.deepEqual(
    outcomes.map((outcome) => answered(outcome).body.toString()),
    paths.map((path) => path.repeat(500)),
  )
})
