/** What leaves this machine, byte for byte, over whole fetches: nothing a server said is said to another. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { requestFor } from '../../src/capture/request.ts'
import { url } from '../support/fetching.ts'
import { rawServer } from '../support/raw-server.ts'
import { policy } from '../support/site.ts'
import { closingsOf, fetchWholeWay } from '../support/whole-way.ts'

const LEADS: Readonly<Record<string, string>> = {
  'news.example': 'http://other.example/robots.txt?from=news',
  'other.example': 'http://third.example:8080/deep/robots.txt',
  'third.example:8080': 'http://news.example/moved.txt',
}
const SECRETS = [
  'Set-Cookie: id=secret-cookie; Path=/; Max-Age=99999',
  'Set-Cookie2: id=secret-cookie',
  'WWW-Authenticate: Basic realm="secret-realm"',
  'Proxy-Authenticate: Basic realm="secret-realm"',
  'Authentication-Info: secret-info',
  'ETag: "secret-etag"',
  'Last-Modified: Mon, 30 Nov 2026 12:00:00 GMT',
  'Refresh: 0; url=http://elsewhere.example/',
  'Link: <http://elsewhere.example/x>; rel=preload',
  'Alt-Svc: h2="elsewhere.example:443"',
  'Accept-CH: Sec-CH-UA, Device-Memory',
  'Critical-CH: Sec-CH-UA',
  'Strict-Transport-Security: max-age=31536000; includeSubDomains',
].join('\r\n')

const server = await rawServer({
  onRequest: (socket, head) => {
    const host = /^host: (\S+)/im.exec(head)?.[1] ?? ''
    const lead = head.startsWith('GET /moved.txt') ? undefined : LEADS[host]
    const status = lead === undefined ? '200 OK' : `302 Found\r\nLocation: ${lead}`
    socket.end(`HTTP/1.1 ${status}\r\n${SECRETS}\r\nContent-Length: 0\r\n\r\n`)
  },
})
after(() => server.close())

test('heritrix3#259, cpython#77842, scrapy#767: across sites and back, each request is the same four headers', async () => {
  const events = await fetchWholeWay({
    purpose: 'robots',
    target: url('http://news.example/robots.txt'),
    resolve: new Map([['*:*', { address: '127.0.0.1', port: server.port }]]),
  })
  assert.equal(closingsOf(events).length, 4)
  const own = requestFor(policy, 'robots', url('http://news.example/robots.txt'), []).headers
  const expected = [
    ['GET /robots.txt', 'news.example'],
    ['GET /robots.txt?from=news', 'other.example'],
    ['GET /deep/robots.txt', 'third.example:8080'],
    ['GET /moved.txt', 'news.example'],
  ].map(([line, host]) =>
    [
      `${line} HTTP/1.1`,
      `host: ${host}`,
      'connection: close',
      ...own.map(([name, value]) => `${name}: ${value}`),
      '\r\n',
    ].join('\r\n'),
  )
  assert.deepEqual(server.requests, expected)
  assert.doesNotMatch(server.requests.join(''), /cookie|auth|referer|secret|if-|sec-ch|upgrade/i)
  assert.doesNotMatch(JSON.stringify(events), /secret-(?:cookie|info)/)
})

test('PR13: what would be recorded as sent is what is sent, for every kind of file', () => {
  for (const purpose of ['robots', 'ads-txt', 'homepage', 'sellers-json'] as const) {
    const { headers } = requestFor(policy, purpose, url('https://news.example/'), [])
    assert.deepEqual(
      headers.map(([name]) => name),
      ['user-agent', 'accept', 'accept-encoding'],
    )
    assert.equal(headers[0]?.[1], policy.userAgent)
  }
})
