/** Hosts in all their spellings: what is connected to, what Host and the TLS handshake say. */
import assert from 'node:assert/strict'
import { TLSSocket } from 'node:tls'
import { afterEach, test } from 'node:test'
import { httpFetcher } from '../../src/adapters/http/fetcher.ts'
import { parseResolveRules } from '../../src/adapters/http/resolve.ts'
import { issue, makeAuthority, selfSigned } from '../support/certificates.ts'
import { right } from '../support/either.ts'
import { answered, ask, failed, url } from '../support/fetching.ts'
import { type RawBehaviour, rawServer, type RawServer } from '../support/raw-server.ts'

const servers: RawServer[] = []
const serve = async (behaviour: RawBehaviour): Promise<RawServer> => {
  const server = await rawServer(behaviour)
  servers.push(server)
  return server
}
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})
const HELLO = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'
const replying: RawBehaviour = { onRequest: (socket) => socket.end(HELLO) }

/** Asks without `--resolve`, or with the rules given. */
const askOpenly = (address: string, rules: readonly string[] = []) =>
  httpFetcher({ resolve: right(parseResolveRules(rules)), authorities: [] })({
    url: url(address),
    headers: [],
    limits: { totalMs: 30_000, connectMs: 30_000, bodyBytes: 1_000 },
  })

test('SSRF: no spelling of this machine or its network is connected to', async () => {
  const server = await serve(replying)
  for (const host of [
    '127.1',
    '0177.0.0.1',
    '0x7f000001',
    '017700000001',
    '１２７.0.0.1',
    '127.0.0.1.',
    '0',
    '10.0.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '224.0.0.1',
    '255.255.255.255',
    '[::]',
    '[::127.0.0.1]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    '[fe80::1]',
    '[fd00::1]',
    '[ff02::1]',
  ]) {
    const outcome = failed(await askOpenly(`http://${host}:${server.port}/`))
    assert.deepEqual([outcome.reason, outcome.remote], ['address-refused', null], host)
  }
  for (const host of ['localhost.', 'LOCALHOST', 'ⓛocalhost']) {
    const outcome = failed(await askOpenly(`http://${host}:${server.port}/`))
    // Some resolvers do not know the full name of this machine's own name.
    assert.ok(['address-refused', 'dns'].includes(outcome.reason), host)
  }
  assert.equal(server.connections(), 0)
})

test('SSRF: a port that is no web server’s is not connected to', async () => {
  const outcome = failed(await askOpenly('http://shop.example:25/'))
  assert.deepEqual([outcome.reason, outcome.code], ['address-refused', 'ADDRESS_REFUSED'])
})

test('--resolve is the one exception, for the host and port it names and for no other', async () => {
  const server = await serve(replying)
  const rules = [`127.0.0.1:9=127.0.0.1:${server.port}`, `[::1]=127.0.0.1:${server.port}`]
  assert.equal(answered(await askOpenly('http://0x7f.1:9/', rules)).status, 200)
  assert.equal(answered(await askOpenly('http://[0:0::1]:8080/', rules)).status, 200)
  assert.equal(failed(await askOpenly('http://127.0.0.1:10/', rules)).reason, 'address-refused')
  assert.equal(failed(await askOpenly('http://127.0.0.2:9/', rules)).reason, 'address-refused')
  assert.equal(server.connections(), 2)
})

test('RFC9110_7.2: Host is the host as URLs print it, with brackets, dot and port where they belong', async () => {
  const server = await serve(replying)
  for (const [address, host] of [
    ['http://SHOP.Example/', 'shop.example'],
    ['http://shop.example:80/', 'shop.example'],
    ['http://shop.example:443/', 'shop.example:443'],
    ['http://shop.example./', 'shop.example.'],
    ['http://straße.example/', 'xn--strae-oqa.example'],
    ['http://[2001:DB8:0::7]/', '[2001:db8::7]'],
    ['http://[2001:db8::7]:8080/', '[2001:db8::7]:8080'],
    ['http://192.0.2.7:8080/', '192.0.2.7:8080'],
  ] as const) {
    answered(await ask(server.port, { address }))
    assert.ok(server.requests.at(-1)?.includes(`\r\nhost: ${host}\r\n`), address)
  }
})

const authority = await makeAuthority()

test('RFC6066_3: the handshake names the host without its last dot, and no address at all', async () => {
  const named: unknown[] = []
  const onRequest: RawBehaviour['onRequest'] = (socket) => {
    named.push(socket instanceof TLSSocket ? Reflect.get(socket, 'servername') : 'no TLS')
    socket.end(HELLO)
  }
  const shop = await serve({ onRequest, tls: await issue(authority, ['shop.example']) })
  for (const address of ['https://shop.example/', 'https://shop.example./'])
    answered(await ask(shop.port, { address, authorities: [authority.certPem] }))
  for (const [host, address] of [
    ['192.0.2.7', 'https://192.0.2.7/'],
    ['2001:db8::7', 'https://[2001:db8::7]/'],
  ] as const) {
    const itself = await selfSigned(host)
    const server = await serve({ onRequest, tls: itself })
    answered(await ask(server.port, { address, authorities: [itself.certPem] }))
    const other = failed(
      await ask(server.port, { address: 'https://192.0.2.8/', authorities: [itself.certPem] }),
    )
    assert.deepEqual([other.reason, other.code], ['tls', 'ERR_TLS_CERT_ALTNAME_INVALID'])
  }
  assert.deepEqual(named, ['shop.example', 'shop.example', false, false])
})
