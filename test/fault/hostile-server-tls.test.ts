/**
 * TLS that cannot be had: each fault ends in one outcome, `tls` wherever it is the certificate's or the
 * protocol's, nothing is asked, and nothing is tried again with less.
 */
import assert from 'node:assert/strict'
import type net from 'node:net'
import { after, test } from 'node:test'
import {
  expiredValidity,
  issue,
  makeAuthority,
  privateKeyPem,
  selfSigned,
} from '../support/certificates.ts'
import { type Asking, ask, failed, url } from '../support/fetching.ts'
import { OK, reply } from '../support/hostile-servers.ts'
import { type RawBehaviour, rawServer, type RawServer } from '../support/raw-server.ts'
import { closingsOf, conclusionOf, fetchWholeWay } from '../support/whole-way.ts'

const servers: RawServer[] = []
const serve = async (behaviour: RawBehaviour): Promise<RawServer> => {
  const server = await rawServer(behaviour)
  servers.push(server)
  return server
}
after(() => Promise.all(servers.map((server) => server.close())))

const LIMITS = { totalMs: 30_000, connectMs: 30_000 }

/** Asks a server of that behaviour once. */
const outcomeOf = async (behaviour: RawBehaviour, asking: Asking) => {
  const server = await serve(behaviour)
  const outcome = await ask(server.port, { ...asking, limits: { ...LIMITS, ...asking.limits } })
  assert.equal(server.connections(), 1, 'connected once')
  return outcome
}

const authority = await makeAuthority()
const shop = await issue(authority, ['shop.example'])
const secure: Asking = {
  address: 'https://shop.example/',
  authorities: [authority.certPem],
}
const tlsReason = async (behaviour: RawBehaviour, asking: Asking = secure) => {
  const { reason, code } = failed(await outcomeOf(behaviour, asking))
  return [reason, code]
}

test('TLS fault: self-signed, unknown authority, wrong name, expired: tls, and nothing is asked', async () => {
  const page = reply(`${OK}Content-Length: 0\r\n\r\n`)
  const stranger = await makeAuthority('Stranger')
  const itself = await selfSigned('shop.example')
  assert.deepEqual(await tlsReason({ ...page, tls: itself }), [
    'tls',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
  ])
  const root = { certPem: stranger.certPem, keyPem: await privateKeyPem(stranger.keys.privateKey) }
  assert.deepEqual(await tlsReason({ ...page, tls: root }), ['tls', 'INVALID_PURPOSE'])
  const foreign = await issue(stranger, ['shop.example'])
  assert.deepEqual(await tlsReason({ ...page, tls: foreign }), [
    'tls',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ])
  const other = await issue(authority, ['other.example'])
  assert.deepEqual(await tlsReason({ ...page, tls: other }), [
    'tls',
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ])
  const old = await issue(authority, ['shop.example'], expiredValidity())
  assert.deepEqual(await tlsReason({ ...page, tls: old }), ['tls', 'CERT_HAS_EXPIRED'])
  assert.ok(servers.slice(-5).every((server) => server.requests.length === 0))
})

test('TLS fault: plain HTTP on a TLS port and TLS on a plain one', async () => {
  const plain: RawBehaviour = { onConnection: (socket: net.Socket) => socket.end(`${OK}\r\n`) }
  assert.equal((await tlsReason(plain))[0], 'tls')
  const outcome = await outcomeOf({ tls: shop }, { address: 'http://shop.example/' })
  assert.ok(['reset', 'cut-short', 'bad-response'].includes(failed(outcome).reason))
})

test('TLS fault: a handshake cut off, reset or never begun', async () => {
  const cut: RawBehaviour = { onConnection: (socket) => socket.end() }
  assert.equal((await tlsReason(cut))[0], 'reset')
  const reset: RawBehaviour = { onConnection: (socket) => socket.resetAndDestroy() }
  assert.equal((await tlsReason(reset))[0], 'reset')
  const limits = { totalMs: 60_000, connectMs: 500 }
  assert.equal((await tlsReason({}, { ...secure, limits }))[0], 'connect-timeout')
})

test('TLS fault: broken off and reset within the body', async () => {
  const start = `${OK}Content-Length: 9\r\n\r\nabc`
  assert.equal((await tlsReason({ ...reply(start), tls: shop }))[0], 'cut-short')
  const writeAndReset = (socket: net.Socket): void => {
    socket.write(start, () => setTimeout(() => servers.at(-1)?.reset(), 30))
  }
  assert.equal((await tlsReason({ onRequest: writeAndReset, tls: shop }))[0], 'cut-short')
})

test('TLS fault: an old protocol, no cipher in common, a certificate demanded of us', async () => {
  const page = reply(`${OK}Content-Length: 0\r\n\r\n`)
  const insisting = (options: NonNullable<RawBehaviour['tls']>['options'] & object) =>
    tlsReason({ ...page, tls: { ...shop, options } })
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' } as const
  assert.deepEqual(await insisting(old), ['tls', 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'])
  const nothing = { maxVersion: 'TLSv1.2', ciphers: 'eNULL:aNULL:@SECLEVEL=0' } as const
  assert.equal((await insisting(nothing))[0], 'tls')
  // TLS 1.3 tells after the handshake, and the alert and the close arrive in either order.
  const [demanded] = await insisting({ requestCert: true, rejectUnauthorized: true })
  assert.ok(demanded === 'tls' || demanded === 'reset', demanded)
})

test('CL1: TLS faults have one closing event and one conclusion each', async () => {
  const stranger = await makeAuthority('Stranger')
  const page = reply(`${OK}Content-Length: 0\r\n\r\n`)
  const faults: readonly (readonly [reason: string, behaviour: RawBehaviour])[] = [
    ['tls', { ...page, tls: await issue(stranger, ['news.example']) }],
    ['tls', { ...page, tls: await issue(authority, ['news.example'], expiredValidity()) }],
    ['tls', { ...page, tls: shop }],
    ['reset', { onConnection: (socket) => socket.end() }],
    ['tls', { onConnection: (socket) => socket.end(`${OK}\r\n`) }],
    ['connect-timeout', {}],
  ]
  for (const [reason, behaviour] of faults) {
    const server = await serve(behaviour)
    const events = await fetchWholeWay({
      purpose: 'robots',
      target: url('https://news.example/robots.txt'),
      resolve: new Map([['*:*', { address: '127.0.0.1', port: server.port }]]),
      authorities: [authority.certPem],
      limits: reason === 'connect-timeout' ? { connectMs: 400 } : {},
    })
    const [closing, ...more] = closingsOf(events)
    assert.ok(closing?.type === 'RequestFailed' && more.length === 0)
    assert.equal(closing.reason, reason, closing.code)
    const told = conclusionOf(events, 'robots')
    assert.ok(told.type === 'RobotsRead' && told.access === 'unreachable')
    assert.equal(server.requests.length, 0)
  }
})
